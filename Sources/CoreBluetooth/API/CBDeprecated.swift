// What Apple has deprecated, and old sources still name.

/// What the radio of a central manager can be used for: what `CBManagerState` was before.
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

/// What the radio of a peripheral manager can be used for: what `CBManagerState` was before.
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

/// Whether the user lets a program share data as a peripheral: what `CBManagerAuthorization` was
/// before.
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
  /// Always `authorized`: Linux has no such question.
  public class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }
}
