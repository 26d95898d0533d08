import Foundation

// Key-value observing is part of Foundation on Apple's systems; Foundation on Linux lacks it.

/// What is passed to the handler of an observation.
///
/// Foundation's `NSKeyValueObservingOptions`, with the same numbers.
public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Any bits, known or not.
  public init(rawValue: UInt) { self.rawValue = rawValue }

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

/// An observation, which ends with `invalidate()`, or when it is released.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  private let end: Locked<(() -> Void)?>

  init(end: @escaping () -> Void) {
    self.end = Locked(end)
    super.init()
  }

  deinit { invalidate() }

  /// Ends the observation: the handler is no longer called.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
