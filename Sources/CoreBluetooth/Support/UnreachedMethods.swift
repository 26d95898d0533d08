import Foundation
import Glibc

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
  static func line(about delegate: AnyObject, for name: String, _ conforms: (AnyClass) -> Bool)
    -> String?
  {
    let classes = classes(of: delegate)
    // The last one that conforms declares the conformance.
    guard let owner = classes.lastIndex(where: conforms), owner > 0, let symbols = ProgramSymbols()
    else { return nil }
    let names = classes.map { ProgramSymbols.plain(_typeName($0, qualified: true)) }
    let modules = Set(names.map { $0.prefix { $0 != "." } })
    let functions = symbols.functions(
      mangledAs: modules.map { "\($0.utf8.count)\($0)" } + [
        "13CoreBluetooth\(name.utf8.count)\(name)PAAE"
      ])
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

/// The names of this program's symbols: the string table of its ELF file. A stripped program has none.
struct ProgramSymbols {
  private let names: Data

  /// `nil` if there are none, or the file is not a 64-bit ELF file.
  init?(path: String = "/proc/self/exe") {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
      let names = Self.names(in: file)
    else { return nil }
    self.names = names
  }

  /// The bytes of the table that the table of symbols uses. Tool Interface Standard, Executable and
  /// Linking Format, version 1.2: header, section headers.
  static func names(in file: Data) -> Data? {
    func number(at offset: Int, _ byteCount: Int) -> Int? {
      guard offset >= 0, offset <= file.count - byteCount else { return nil }
      return (0..<byteCount).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
    // The first bytes, 64 bits, least significant byte first.
    guard file.prefix(6) == Data([0x7F, 0x45, 0x4C, 0x46, 2, 1]), let table = number(at: 0x28, 7),
      let size = number(at: 0x3A, 2), let count = number(at: 0x3C, 2)
    else { return nil }
    for index in 0..<count {
      let section = table + index * size
      // SHT_SYMTAB; the link of its header is the index of its string table.
      guard number(at: section + 4, 4) == 2, let link = number(at: section + 0x28, 4),
        let start = number(at: table + link * size + 0x18, 7),
        let length = number(at: table + link * size + 0x20, 7), start <= file.count - length
      else { continue }
      return file[start..<start + length]
    }
    return nil
  }

  /// The functions whose mangled names begin with one of these, in full, such as
  /// `App.Scanner.centralManager(_: CoreBluetooth.CBCentralManager) -> ()`.
  func functions(mangledAs prefixes: [String]) -> [String] {
    let prefixes = prefixes.map { Array("$s\($0)".utf8) }
    // Unsafe: the table may have 20 MB, and a debug build would take a minute with checked indices. The
    // names are within the bytes of the table: each search ends at their end.
    return unsafe names.withUnsafeBytes { table in
      var functions: [String] = []
      var start = 0
      while start < table.count, let base = table.baseAddress,
        let end = unsafe memchr(base + start, 0, table.count - start)
      {
        let symbol = unsafe UnsafeRawBufferPointer(
          start: base + start, count: base.distance(to: end) - start)
        start += symbol.count + 1
        // A function's name ends in F.
        guard unsafe symbol.last == UInt8(ascii: "F"),
          prefixes.contains(where: { unsafe symbol.starts(with: $0) }),
          let name = Self.demangled(unsafe String(decoding: symbol, as: UTF8.self))
        else { continue }
        functions.append(name)
      }
      return functions
    }
  }

  /// A name in full without what depends on where it is written: discriminators of private types, and
  /// the arguments of generic types.
  static func plain(_ name: String) -> String {
    name.replacing(#/\(unknown context at [^)]*\)\./#, with: "").replacing(
      #/\((\w+) in _[0-9A-F]+\)/#
    ) { "\($0.1)" }.replacing(#/^([\w.]+)<[^>]*>/#) { "\($0.1)" }
  }

  /// A method as Swift writes it: `centralManager(_:didConnect:)`.
  static func selector(_ method: String) -> String {
    let list = method.prefix { $0 != ")" }
    guard let open = list.firstIndex(of: "(") else { return method }
    let labels = list[list.index(after: open)...].split(separator: ", ").compactMap { part in
      part.firstIndex(of: ":").map { part[...$0] }
    }
    return "\(list[..<open])(\(labels.joined()))"
  }

  /// The name in full; `nil` if it is not a Swift name, or the program lacks the runtime's function.
  private static func demangled(_ symbol: String) -> String? {
    typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    // Unsafe: the function's type is that of the runtime's header, and its result is freed here.
    guard let address = unsafe dlsym(nil, "swift_demangle") else { return nil }
    let demangle = unsafe unsafeBitCast(address, to: Demangle.self)
    guard let text = unsafe demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
