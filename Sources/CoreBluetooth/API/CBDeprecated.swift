// What Apple has deprecated and old sources still use.

/// The state of a central manager's radio, before `CBManagerState` existed.
///
/// Apple's `CBCentralManagerState`, with the same numbers.
@nonexhaustive(warn)
public enum CBCentralManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// The radio was lost, or is being set up again.
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

/// The state of a peripheral manager's radio, before `CBManagerState` existed.
///
/// Apple's `CBPeripheralManagerState`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// The radio was lost, or is being set up again.
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

/// Whether the user lets a program share data as a peripheral, before `CBManagerAuthorization`
/// existed.
///
/// Apple's `CBPeripheralManagerAuthorizationStatus`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The user cannot allow it.
  case restricted = 1
  /// The user has refused.
  case denied = 2
  /// The user has allowed it.
  case authorized = 3
}

extension CBPeripheralManager {
  /// Always `authorized`: Linux does not ask the user.
  public class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }
}
