import CoreBluetooth

/// A delegate with every method for a central and its peripherals, like libraries that wrap Core
/// Bluetooth.
final class EveryCentralCall: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn, central.authorization == .allowedAlways else { return }
    central.registerForConnectionEvents(options: [
      .serviceUUIDs: [CBUUID(string: "180D")], .peripheralUUIDs: [UUID](),
    ])
    if CBCentralManager.supports(.extendedScanAndConnect) { central.stopScan() }
    central.scanForPeripherals(withServices: nil)
  }
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.connect(
      peripheral,
      options: [
        CBConnectPeripheralOptionEnableAutoReconnect: true,
        CBConnectPeripheralOptionEnableTransportBridgingKey: false,
        CBConnectPeripheralOptionRequiresANCS: false,
      ])
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.openL2CAPChannel(CBL2CAPPSM(0x80))
  }
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {}
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) {
    let age: CFTimeInterval = CFAbsoluteTimeGetCurrent() - timestamp
    print(age, isReconnecting)
  }
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral
  ) {
    switch event {
    case .peerConnected: central.connect(peripheral)
    case .peerDisconnected: central.cancelPeripheralConnection(peripheral)
    @unknown default: break
    }
  }
  func centralManager(
    _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
  ) {
    print(peripheral.ancsAuthorized)
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {
    print(peripheral.rssi ?? 0)
  }
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  func peripheral(
    _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    guard let channel, let input = channel.inputStream, let output = channel.outputStream else {
      return
    }
    input.open()
    output.open()
    print(channel.psm, channel.peer.identifier)
  }
}

/// The same for a peripheral manager.
final class EveryPeripheralCall: NSObject, CBPeripheralManagerDelegate {
  let characteristic = CBMutableCharacteristic(
    type: CBUUID(), properties: [.notify], value: nil, permissions: [.readable])
  var psm: CBL2CAPPSM?

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard CBPeripheralManager.authorizationStatus() == .authorized else { return }
    peripheral.publishL2CAPChannel(withEncryption: true)
    peripheral.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    peripheral.respond(to: request, withResult: CBATTError.Code(rawValue: 0x80) ?? .unlikelyError)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {}
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {
    psm = PSM
    peripheral.unpublishL2CAPChannel(PSM)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {
    psm = nil
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
