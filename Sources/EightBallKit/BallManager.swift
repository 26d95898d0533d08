import CoreBluetooth
import Foundation

/// A program's side of the link.
public enum BallRole: Sendable {
  /// The central, which asks.
  case central
  /// The peripheral: a ball.
  case peripheral
}

/// The base class of both sides: a `BallCentral` asks, a `BallPeripheral` answers.
///
/// Any thread may call it. Observers are called on the manager's queue, and referenced weakly.
public class BallManager: NSObject, @unchecked Sendable {
  /// Makes the manager of `role` with its defaults.
  ///
  /// - Parameter role: The side.
  /// - Parameter queue: The serial queue for all calls; `nil` is the main queue.
  public static func make(_ role: BallRole, queue: DispatchQueue? = nil) -> BallManager {
    switch role {
    case .central: BallCentral(queue: queue)
    case .peripheral: BallPeripheral(queue: queue)
    }
  }

  /// Whether Bluetooth can be used.
  public var isPoweredOn: Bool { shared.withLock(\.isPoweredOn) }

  /// The last error; `nil` if there was none.
  public internal(set) var error: BallError? {
    get { shared.withLock(\.error) }
    set { shared.withLock { $0.error = newValue } }
  }

  /// The observers.
  public var observers: [any BallObserver] { shared.withLock(\.observers).compactMap(\.observer) }

  /// Adds an observer.
  ///
  /// - Returns: An identifier for the observation; `nil`, without effect, if it was added before.
  @discardableResult public func addObserver(_ observer: any BallObserver) -> UUID? {
    // A released observer may have had the same address.
    let gone = Set(shared.withLock(\.observers).filter { $0.observer == nil }.map(\.id))
    return shared.withLock {
      $0.observers.removeAll { gone.contains($0.id) }
      guard !$0.observers.contains(where: { $0.isOf(observer) }) else { return nil }
      let observation = Observation(observer)
      $0.observers.append(observation)
      return observation.id
    }
  }

  /// Removes an observer.
  public func removeObserver(_ observer: any BallObserver) {
    shared.withLock { $0.observers.removeAll { $0.isOf(observer) } }
  }

  /// Whether `observer` has been added.
  public func isObserved(by observer: any BallObserver) -> Bool {
    observers.contains { $0 === observer }
  }

  let queue: DispatchQueue

  /// The lock's holder does not read `observer`: that could release the last reference, and the
  /// observer's `deinit` may take the lock.
  private struct Observation {
    let id = UUID()
    weak let observer: (any BallObserver)?
    private let identity: ObjectIdentifier

    init(_ observer: any BallObserver) {
      self.observer = observer
      identity = ObjectIdentifier(observer)
    }

    func isOf(_ other: any BallObserver) -> Bool { identity == ObjectIdentifier(other) }
  }

  private struct Shared {
    var isPoweredOn = false
    var error: BallError?
    var observers: [Observation] = []
  }

  private let shared = Locked(Shared())

  init(queue: DispatchQueue?) {
    self.queue = queue ?? .main
    super.init()
  }

  /// Keeps the state of the CoreBluetooth manager, and reports it.
  func update(isPoweredOn: Bool) {
    shared.withLock { $0.isPoweredOn = isPoweredOn }
    for observer in observers { observer.ballManagerDidUpdateState(self) }
  }

  /// Keeps the error, and reports it.
  func report(_ error: BallError, for device: (any BallDevice)?) {
    self.error = error
    for observer in observers { observer.ballManager(self, didFailWith: error, for: device) }
  }
}
