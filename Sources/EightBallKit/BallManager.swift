import CoreBluetooth
import Foundation

/// Which side of the link a program is on.
public enum BallRole: Sendable {
  /// It asks.
  case central
  /// It is a ball.
  case peripheral
}

/// What the two sides have in common: a `BallCentral` asks, a `BallPeripheral` answers.
///
/// All calls may come from any thread. Observers are told on the queue that the manager was made
/// with, and kept weakly.
public class BallManager: NSObject, @unchecked Sendable {
  /// The side that `role` names, with its defaults.
  ///
  /// - Parameter queue: On which everything happens: a serial one; `nil` is the main queue.
  public static func make(_ role: BallRole, queue: DispatchQueue? = nil) -> BallManager {
    switch role {
    case .central: BallCentral(queue: queue)
    case .peripheral: BallPeripheral(queue: queue)
    }
  }

  /// Whether Bluetooth can be used.
  public var isPoweredOn: Bool { shared.current.isPoweredOn }

  /// What went wrong last; `nil` if nothing has.
  public internal(set) var error: BallError? {
    get { shared.current.error }
    set { shared { $0.error = newValue } }
  }

  /// Whoever is told.
  public var observers: [any BallObserver] { shared.current.observers.compactMap(\.observer) }

  /// Tells `observer` from now on what happens.
  ///
  /// - Returns: An identifier for the observation; `nil`, and nothing changes, if it is told
  ///   already.
  @discardableResult
  public func addObserver(_ observer: any BallObserver) -> UUID? {
    // Another may have been where this one is, and be no more.
    let gone = Set(shared.current.observers.filter { $0.observer == nil }.map(\.id))
    return shared {
      $0.observers.removeAll { gone.contains($0.id) }
      guard !$0.observers.contains(where: { $0.isOf(observer) }) else { return nil }
      let observation = Observation(observer)
      $0.observers.append(observation)
      return observation.id
    }
  }

  /// Tells `observer` no more.
  public func removeObserver(_ observer: any BallObserver) {
    shared { $0.observers.removeAll { $0.isOf(observer) } }
  }

  /// Whether `observer` is told.
  public func isObserved(by observer: any BallObserver) -> Bool {
    observers.contains { $0 === observer }
  }

  let queue: DispatchQueue

  /// Within the lock `observer` is not touched: it might be the last to hold on to it, and its end
  /// may call for the lock.
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

  private let shared = Guarded(Shared())

  init(queue: DispatchQueue?) {
    self.queue = queue ?? .main
    super.init()
  }

  /// Takes the state of the CoreBluetooth manager, and tells of it.
  func update(isPoweredOn: Bool) {
    shared { $0.isPoweredOn = isPoweredOn }
    for observer in observers { observer.ballManagerDidUpdateState(self) }
  }

  /// Keeps the error, and tells of it.
  func report(_ error: BallError, for device: (any BallDevice)?) {
    self.error = error
    for observer in observers { observer.ballManager(self, didFailWith: error, for: device) }
  }
}
