import Foundation

/// The state of a manager's radio.
///
/// Apple's `CBManagerState`, with the same numbers.
@nonexhaustive(warn)
public enum CBManagerState: Int, Sendable {
  /// Not known yet: the controller is being set up for the first time.
  case unknown = 0
  /// The controller was lost, or is being set up again; an update follows.
  case resetting = 1
  /// There is no such radio.
  case unsupported = 2
  /// This program may not use the radio.
  case unauthorized = 3
  /// The radio is switched off.
  case poweredOff = 4
  /// The radio can be used.
  case poweredOn = 5
}

/// Whether the user lets a program use Bluetooth. Linux does not ask the user: the manager's state
/// shows whether the program may use the adapter.
///
/// Apple's `CBManagerAuthorization`, with the same numbers.
@nonexhaustive(warn)
public enum CBManagerAuthorization: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The user cannot allow it.
  case restricted = 1
  /// The user has refused.
  case denied = 2
  /// The user has allowed it.
  case allowedAlways = 3
}

/// What central and peripheral managers have in common.
///
/// `state`, `CBCentralManager.isScanning` and `CBPeripheralManager.isAdvertising` can be observed.
open class CBManager: NSObject, Observed, @unchecked Sendable {
  /// The radio's state. The delegate receives each change.
  public internal(set) var state: CBManagerState {
    get { stateBox.withLock { $0 } }
    set {
      stateBox.withLock { $0 = newValue }
      observers.notify()
    }
  }

  /// Always `allowedAlways`: Linux does not ask the user.
  public class var authorization: CBManagerAuthorization { .allowedAlways }
  /// The same. Apple has deprecated it in favour of the class property.
  public var authorization: CBManagerAuthorization { .allowedAlways }

  private let stateBox = Locked(CBManagerState.unknown)
  let observers = Observers()

  override init() { super.init() }

  /// Whether the manager is powered on. Logs the misuse if it is not.
  func isPoweredOn() -> Bool {
    if state == .poweredOn { return true }
    logNotPoweredOn()
    return false
  }

  func logNotPoweredOn() {
    Misuse.log(self, "can only accept this command while in the powered on state")
  }
}
