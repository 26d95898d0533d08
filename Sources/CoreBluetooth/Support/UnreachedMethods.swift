import Foundation

// On Apple's systems an optional method of a delegate is found by its selector when it is called. On
// Linux a protocol has no optional methods, only defaults, and the class that declares the conformance
// decides once which of them it replaces. A method that only a subclass declares is never called.
//
// This cannot be cured here: neither a class's metadata nor its table of methods has names, and an
// optimized build removes methods without a caller. A debug build has their symbols, which suffice for
// a line in the log.

/// Finds the methods of delegates that are never called.
enum UnreachedMethods {
  private struct Check: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private static let checks = Locked(Set<Check>())

  /// Logs one line about each class whose methods of a protocol are not all called. Only a debug build
  /// does that.
  ///
  /// - Parameters:
  ///   - delegate: The new delegate.
  ///   - name: The name of the protocol.
  ///   - conforms: Whether a class conforms to the protocol.
  static func check(_ delegate: AnyObject?, for name: String, _ conforms: (AnyClass) -> Bool) {
    #if DEBUG
      guard let delegate else { return }
      let check = Check(type: ObjectIdentifier(type(of: delegate)), name: name)
      guard checks.withLock({ $0.insert(check).inserted }) else { return }
      if let line = line(about: delegate, for: name, conforms) { Log.logger.warning("\(line)") }
    #endif
  }

  /// The line for the log; `nil` if every method is called, as far as the program's symbols show.
  static func line(
    about delegate: AnyObject, for name: String, _ conforms: (AnyClass) -> Bool
  ) -> String? {
    let classes = classes(of: delegate)
    // The last one that conforms declares the conformance.
    guard let owner = classes.lastIndex(where: conforms), owner > 0, let symbols = ProgramSymbols()
    else { return nil }
    let names = classes.map { ProgramSymbols.plain(_typeName($0, qualified: true)) }
    let modules = Set(names.map { $0.prefix { $0 != "." } })
    let functions = symbols.functions(
      mangledAs: modules.map { "\($0.utf8.count)\($0)" }
        + ["13CoreBluetooth\(name.utf8.count)\(name)PAAE"])
    // The defaults are those of the optional methods.
    let defaults = "(extension in CoreBluetooth):CoreBluetooth.\(name)."
    let optional = functions.filter { $0.hasPrefix(defaults) }.map { $0.dropFirst(defaults.count) }
    var (early, late) = (Set<Substring>(), Set<Substring>())
    for function in functions {
      guard let method = optional.first(where: { function.hasSuffix("." + $0) }) else { continue }
      let type = ProgramSymbols.plain(String(function.dropLast(method.count + 1)))
      guard let index = names.firstIndex(of: type) else { continue }
      if index < owner { late.insert(method) } else { early.insert(method) }
    }
    let unreached = late.subtracting(early)
    guard !unreached.isEmpty else { return nil }
    let list = unreached.map { ProgramSymbols.selector(String($0)) }.sorted().joined(
      separator: ", ")
    return "\(classes[0]) is a \(name) by its superclass \(classes[owner]), which lacks \(list): "
      + "on Linux these methods are never called. Declare them in \(classes[owner]), empty if need "
      + "be, and override them in the subclass"
  }

  /// The class of an object and its superclasses.
  private static func classes(of object: AnyObject) -> [AnyClass] {
    var classes: [AnyClass] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let next = mirror, let type = next.subjectType as? AnyClass {
      classes.append(type)
      mirror = next.superclassMirror
    }
    return classes
  }
}
