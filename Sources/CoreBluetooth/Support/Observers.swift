import Foundation

/// A manager, as its radio's engines know it: it is called on its queue, and not retained.
class ManagerHandle<Manager: CBManager>: @unchecked Sendable {
  /// The queue on which the manager's delegate is called.
  let queue: DispatchQueue
  /// How it is called.
  let calls: DelegateCalls
  private struct Weak { weak var manager: Manager? }
  private let represented = Locked(Weak())

  /// - Parameters:
  ///   - queue: The queue on which the manager's delegate is called.
  ///   - calls: How it is called.
  init(queue: DispatchQueue, calls: DelegateCalls = DelegateCalls()) {
    self.queue = queue
    self.calls = calls
    calls.note(queue)
  }

  /// Sets the manager that this represents. To be called once, when the manager has been made.
  func represent(_ manager: Manager) { represented.withLock { $0.manager = manager } }

  /// Calls `body` on the manager's queue, in the order of the calls, unless the manager is
  /// released.
  func callManager(_ body: @escaping @Sendable (Manager) -> Void) {
    callQueue { [self] in withManager(body) }
  }

  /// Calls `body` on the manager's queue, in the order of the calls.
  func callQueue(_ body: @escaping @Sendable () -> Void) { calls.add(on: queue, body) }

  func withManager(_ body: (Manager) -> Void) {
    if let manager = represented.withLock({ $0.manager }) { body(manager) }
  }
}

/// An object that reports changes of its properties.
protocol Observed: AnyObject { var observers: Observers { get } }

/// The observers of one object's properties. The object reports that something has changed; each
/// observer compares its property with the last value.
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
