import Foundation

// Key-value observing is part of Foundation on Apple's systems; Foundation on Linux lacks it.

/// What is passed to the handler of an observation.
///
/// Foundation's `NSKeyValueObservingOptions`, with the same numbers.
public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Any bits, known or not.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The value after the change.
  public static let new = NSKeyValueObservingOptions(rawValue: 0x01)
  /// The value before the change.
  public static let old = NSKeyValueObservingOptions(rawValue: 0x02)
  /// A first call at once, with the current value.
  public static let initial = NSKeyValueObservingOptions(rawValue: 0x04)
}

/// The kind of a change: here always `setting`.
///
/// Foundation's `NSKeyValueChange`, with the same numbers.
@nonexhaustive(warn)
public enum NSKeyValueChange: UInt, Sendable {
  /// A property has another value.
  case setting = 1
  /// Elements of a collection were added.
  case insertion = 2
  /// Elements of a collection were removed.
  case removal = 3
  /// Elements of a collection were replaced.
  case replacement = 4
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
  /// Always `setting`.
  public let kind: NSKeyValueChange
  /// The value after the change, if it was asked for by `.new`.
  public let newValue: Value?
  /// The value before the change, if it was asked for by `.old`; `nil` in the first call of
  /// `.initial`.
  public let oldValue: Value?
  /// Always `nil`: no collection is observed.
  public let indexes: IndexSet?
  /// Always false: handlers are called after the change.
  public let isPrior: Bool
}

/// An observation, which ends with `invalidate()`, or when it is released.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  private let end: Locked<(() -> Void)?>

  init(end: @escaping () -> Void) {
    self.end = Locked(end)
    super.init()
  }

  deinit {
    invalidate()
  }

  /// Ends the observation: the handler is no longer called.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// An object whose properties can be observed: every `NSObject`.
///
/// It has the name of Foundation's protocol.
public protocol _KeyValueCodingAndObserving: AnyObject {}

extension NSObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSObject {
  /// Calls `changeHandler` after each change of a property.
  ///
  /// These properties can be observed: `state`, `isScanning` and `isAdvertising` of a manager;
  /// `state`, `name`, `services`, `rssi` and `canSendWriteWithoutResponse` of a peripheral; and, on
  /// any other object, a path that leads to one of them, such as `\.manager?.isScanning`. The
  /// handler is called where the property changes: on the manager's queue, before the delegate, or
  /// in the call that changes it.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observers = (self as? any Observed)?.observers ?? .ofOtherObjects
    return observers.add(to: self, keyPath, options, changeHandler)
  }
}

/// An object that reports changes of its properties.
protocol Observed: AnyObject {
  var observers: Observers { get }
}

/// The observers of one object's properties.
///
/// The object reports that something has changed; each observer compares its property with the last
/// value.
final class Observers: Sendable {
  private struct Contents: @unchecked Sendable {
    var last = 0
    var checks: [(number: Int, check: () -> Void)] = []
  }

  /// The observers of other objects, whose key paths may lead to an `Observed` one.
  static let ofOtherObjects = Observers()

  private let contents = Locked(Contents())

  /// Calls the handlers of changed properties, in the order of the observations. The caller must
  /// hold no lock.
  func notify() {
    let others = Self.ofOtherObjects.contents.withLock(\.checks)
    for (_, check) in contents.withLock(\.checks) + others { check() }
  }

  /// Observes a property of `object`, which is not retained.
  func add<Object: AnyObject, Value>(
    to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let known = Locked(object[keyPath: keyPath])
    let check = { [weak object] in
      guard let object else { return }
      let change: (old: Value, new: Value)? = known.withLock { known in
        let (old, new) = (known, object[keyPath: keyPath])
        known = new
        return isSame(old, new) ? nil : (old, new)
      }
      guard let change else { return }
      handler(object, NSKeyValueObservedChange(change.new, before: change.old, options))
    }
    let number = contents.withLock { contents in
      contents.last += 1
      contents.checks.append((contents.last, check))
      return contents.last
    }
    if options.contains(.initial) {
      handler(object, NSKeyValueObservedChange(object[keyPath: keyPath], before: nil, options))
    }
    return NSKeyValueObservation { [weak self] in
      self?.contents.withLock { $0.checks.removeAll { $0.number == number } }
    }
  }
}

extension NSKeyValueObservedChange {
  fileprivate init(_ new: Value, before old: Value?, _ options: NSKeyValueObservingOptions) {
    self.init(
      kind: .setting, newValue: options.contains(.new) ? new : nil,
      oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false)
  }
}

/// Whether two values of a property are the same. Values that cannot be compared never change.
private func isSame<Value>(_ one: Value, _ other: Value) -> Bool {
  func isEqual<Known: Equatable>(_ known: Known) -> Bool { known == other as? Known }
  return (one as? any Equatable).map { isEqual($0) } ?? true
}
