import BluetoothHost
import Expectations
import VirtualRadio

/// A pair whose hosts encrypt their link.
struct EncryptingPair {
  let pair: Pair
  let key = Number128(mostSignificantFirst: Array(0x50..<0x60))
  let otherKey = Number128.zero
  let negative = HCIOpcode.leLongTermKeyRequestNegativeReply
  let reply = HCIOpcode.leLongTermKeyRequestReply

  init(central: ControllerConfiguration = .init(), peripheral: ControllerConfiguration = .init()) {
    pair = Pair(central: central, peripheral: peripheral)
  }

  var central: TestHost { pair.central }
  var peripheral: TestHost { pair.peripheral }
  var near: ConnectionHandle { central.handle }
  var far: ConnectionHandle { peripheral.handle }

  /// The bytes of the peripheral's handle.
  var farBytes: [UInt8] { [UInt8(far.rawValue & 0xFF), UInt8(far.rawValue >> 8)] }

  /// The central's host starts encryption; returns its immediate answer.
  func enable() -> [[UInt8]] {
    central.ask(
      LEEnableEncryption(
        handle: near, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0B0A, key: key))
  }

  /// The central starts; the peripheral's host gets the key request.
  func begin() {
    expect(enable(), is: [status(.leEnableEncryption)])
    expect(peripheral.receive(), is: [request])
  }

  /// LE Long Term Key Request.
  var request: [UInt8] {
    [0x04, 0x3E, 13, 0x05] + farBytes + [1, 2, 3, 4, 5, 6, 7, 8, 0x0A, 0x0B]
  }

  func answer(_ key: Number128) -> [[UInt8]] {
    peripheral.ask(LELongTermKeyRequestReply(handle: far, key: key))
  }

  /// The link becomes encrypted.
  func encrypt() {
    begin()
    expect(answer(key), is: [complete(reply, .success, farBytes), changed(far)])
    expect(central.receive(), is: [changed(near)])
  }

  func changed(_ handle: ConnectionHandle, _ status: HCIErrorCode = .success) -> [UInt8] {
    event(EncryptionChange(status: status, handle: handle, enabled: status == .success ? 1 : 0))
  }

  func refreshed(_ handle: ConnectionHandle) -> [UInt8] {
    event(EncryptionKeyRefreshComplete(status: .success, handle: handle))
  }
}

extension Number128 {
  /// The number of these 16 bytes.
  init(mostSignificantFirst bytes: [UInt8]) {
    let reversed = Array(bytes.reversed())
    var reader = ByteReader(reversed.span)
    self = Number128(&reader) ?? .zero
  }
}
