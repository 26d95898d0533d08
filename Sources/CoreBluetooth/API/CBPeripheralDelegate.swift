import Foundation

/// What a `CBPeripheral` tells. All are optional.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// The peripheral's name has changed.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)

  /// These services are no longer what they were: they have to be discovered again.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

  /// The strength of the link, in dBm, that `readRSSI` asked for.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

  /// The strength of the link that `readRSSI` asked for, in `rssi`. Apple has deprecated it: not
  /// called where the delegate has `didReadRSSI`.
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

  /// Services have been discovered: they are in `services`.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

  /// Included services have been discovered: they are in the service's `includedServices`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService,
    error: (any Error)?)

  /// Characteristics have been discovered: they are in the service's `characteristics`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?)

  /// A value was read, or the peripheral has told of it: it is in the characteristic's `value`.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?)

  /// The peripheral has taken, or refused, what was written with response.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?)

  /// The peripheral has taken, or refused, a subscription: `isNotifying` tells.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?)

  /// Descriptors have been discovered: they are in the characteristic's `descriptors`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?)

  /// A descriptor was read: its value is in `value`.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// The peripheral has taken, or refused, what was written to a descriptor.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// After `canSendWriteWithoutResponse` was false: it is true again.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

  /// The channel that `openL2CAPChannel` asked for, or why there is none. Keep the channel for as long as
  /// it is used.
  func peripheral(
    _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralDelegate {
  /// Nothing.
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]
  ) {}
  /// Calls the older `peripheralDidUpdateRSSI`.
  public func peripheral(
    _ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?
  ) {
    peripheralDidUpdateRSSI(peripheral, error: error)
  }
  /// Nothing.
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
  /// Nothing.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  /// Nothing.
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  /// Nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
