import Foundation

/// What a `CBPeripheralManager` tells. All but the first are optional.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// The state has changed: nothing can be asked for unless it is `poweredOn`.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

  /// Never called: nothing is restored on Linux.
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

  /// Advertising has begun, or cannot begin.
  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?)

  /// A service has been added, or cannot be added.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

  /// A central wants to be told of a characteristic.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic)

  /// A central no longer wants to be told of a characteristic, or has gone.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic)

  /// A central reads a value: answer with `respond(to:withResult:)`.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

  /// A central writes, one value or several at once: answer all of them with one
  /// `respond(to:withResult:)` for the first.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

  /// After `updateValue` gave false: there is room again.
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

  /// A channel was published under this number, or was not.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?)

  /// A channel is not published any more.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?)

  /// A central has opened a channel that is published. Keep the channel for as long as it is used.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]
  ) {}
  /// Nothing.
  public func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  /// Refuses it, so that the central does not wait in vain.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    peripheral.respond(to: request, withResult: .requestNotSupported)
  }
  /// Refuses them, so that the central does not wait in vain.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    peripheral.respond(to: first, withResult: .requestNotSupported)
  }
  /// Nothing.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
