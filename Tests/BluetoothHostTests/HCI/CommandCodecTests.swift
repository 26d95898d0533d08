import BluetoothHost
import Testing

private let link = ConnectionHandle(rawValue: 0x0EFF)
private let peer = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])

private func advertisingData() -> AdvertisingData {
  let bytes: [UInt8] = [0x02, 0x01, 0x06]
  return AdvertisingData(bytes.span) ?? AdvertisingData()
}

/// Bytes that count from 1, and from 0x21.
private let key = Number128(0x100F_0E0D_0C0B_0A09, 0x0807_0605_0403_0201)
private let keyBytes = (1...16).map { UInt8($0) }
private let otherKey = Number128(0x302F_2E2D_2C2B_2A29, 0x2827_2625_2423_2221)
private let otherKeyBytes = (0x21...0x30).map { UInt8($0) }

private let paddedData: [UInt8] = [3, 0x02, 0x01, 0x06] + [UInt8](repeating: 0, count: 28)

private let commands: [Check] = [
  .command(SetEventMask(mask: 0x0807_0605_0403_0201), [1, 2, 3, 4, 5, 6, 7, 8]),
  .command(LESetEventMask(mask: 0x0807_0605_0403_0201), [1, 2, 3, 4, 5, 6, 7, 8]),
  .command(LESetRandomAddress(peer), [1, 2, 3, 4, 5, 0xC6]),
  .command(
    LESetAdvertisingParameters(
      minimumInterval: 0x0102, maximumInterval: 0x0304, type: 5, ownAddressType: 1, peer: peer,
      channelMap: 0b101, filterPolicy: 3),
    [0x02, 0x01, 0x04, 0x03, 5, 1, 1, 1, 2, 3, 4, 5, 0xC6, 0b101, 3]),
  .command(LESetAdvertisingData(advertisingData()), paddedData),
  .command(LESetScanResponseData(advertisingData()), paddedData),
  .command(LESetAdvertisingEnable(true), [1]),
  .command(LESetAdvertisingEnable(false), [0]),
  .command(
    LESetScanParameters(
      type: 1, interval: 0x0102, window: 0x0304, ownAddressType: 1, filterPolicy: 2),
    [1, 0x02, 0x01, 0x04, 0x03, 1, 2]),
  .command(LESetScanEnable(enable: 1, filterDuplicates: 1), [1, 1]),
  .command(
    LECreateConnection(
      scanInterval: 0x0102, scanWindow: 0x0304, filterPolicy: 1, peer: peer, ownAddressType: 1,
      parameters: ConnectionParameters(
        minimumInterval: 0x0506, maximumInterval: 0x0708, latency: 0x090A,
        supervisionTimeout: 0x0B0C), minimumEventLength: 0x0D0E, maximumEventLength: 0x0F10),
    [0x02, 0x01, 0x04, 0x03, 1, 1, 1, 2, 3, 4, 5, 0xC6, 1]
      + [0x06, 0x05, 0x08, 0x07, 0x0A, 0x09, 0x0C, 0x0B, 0x0E, 0x0D, 0x10, 0x0F]),
  .command(
    Disconnect(handle: link, reason: .remoteUserTerminatedConnection), [0xFF, 0x0E, 0x13]),
  .command(
    LEConnectionUpdate(
      handle: link,
      parameters: ConnectionParameters(
        minimumInterval: 0x0102, maximumInterval: 0x0304, latency: 0x0506,
        supervisionTimeout: 0x0708), minimumEventLength: 0x090A, maximumEventLength: 0x0B0C),
    [0xFF, 0x0E, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07, 0x0A, 0x09, 0x0C, 0x0B]),
  .command(LEEncrypt(key: key, plaintext: otherKey), keyBytes + otherKeyBytes),
  .command(
    LEEnableEncryption(
      handle: link, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0A09, key: key),
    [0xFF, 0x0E, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] + keyBytes),
  .command(LELongTermKeyRequestReply(handle: link, key: key), [0xFF, 0x0E] + keyBytes),
  .command(
    LEAddDeviceToResolvingList(peer: peer, peerKey: key, localKey: otherKey),
    [1, 1, 2, 3, 4, 5, 0xC6] + keyBytes + otherKeyBytes),
  .command(LESetAddressResolutionEnable(enable: 1), [1]),
  .command(LESetResolvablePrivateAddressTimeout(timeout: 0x0E10), [0x10, 0x0E]),
  .command(LEAddDeviceToFilterAcceptList(device: peer), [1, 1, 2, 3, 4, 5, 0xC6]),
  .command(LESetPrivacyMode(peer: peer, mode: 1), [1, 1, 2, 3, 4, 5, 0xC6, 1]),
  .command(LELongTermKeyRequestNegativeReply(handle: link), [0xFF, 0x0E]),
  .command(
    LERemoteConnectionParameterRequestReply(
      handle: link,
      parameters: ConnectionParameters(
        minimumInterval: 0x0102, maximumInterval: 0x0304, latency: 0x0506,
        supervisionTimeout: 0x0708), minimumEventLength: 0x090A, maximumEventLength: 0x0B0C),
    [0xFF, 0x0E, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07, 0x0A, 0x09, 0x0C, 0x0B]),
  .command(
    LERemoteConnectionParameterRequestNegativeReply(
      handle: link, reason: .unacceptableConnectionParameters), [0xFF, 0x0E, 0x3B]),
  .command(
    LESetDataLength(handle: link, transmitOctets: 251, transmitTime: 2_120),
    // 2,120 = 0x0848
    [0xFF, 0x0E, 251, 0, 0x48, 0x08]),
  .command(
    LESetPHY(handle: link, allPHYs: 1, transmitPHYs: 2, receivePHYs: 4, options: 0x0203),
    [0xFF, 0x0E, 1, 2, 4, 0x03, 0x02]),
]

@Suite("HCI commands")
struct CommandCodecTests {
  @Test("Written, read, cut short at every length, too long", arguments: commands)
  func roundTrip(command: Check) {
    command.run()
  }

  @Test(
    "A command without parameters",
    arguments: [HCIOpcode.reset, .readBDADDR, .leReadBufferSize, .none])
  func plain(opcode: HCIOpcode) {
    #expect(
      written { PlainCommand(opcode).writePacket(to: &$0) }
        == [0x01] + Array(little: opcode.rawValue) + [0])
  }

  @Test("Advertising data that states more than 31 bytes is none", arguments: [32, 33, 255])
  func longData(length: UInt8) {
    let bytes = [length] + [UInt8](repeating: 0, count: 255)
    var reader = ByteReader(bytes.span)
    #expect(LESetAdvertisingData(&reader) == nil)
    var other = ByteReader(bytes.span)
    #expect(LESetScanResponseData(&other) == nil)
  }

  @Test("Connection parameters as a number are the eight bytes that are written, the first lowest")
  func parametersAsNumber() {
    let parameters = ConnectionParameters(
      minimumInterval: 0x0201, maximumInterval: 0x0403, latency: 0x0605, supervisionTimeout: 0x0807)
    #expect(written { parameters.write(to: &$0) } == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(parameters.number == 0x0807_0605_0403_0201)
  }

  @Test("A handle's top four bits are not part of it")
  func handleFlags() {
    let bytes: [UInt8] = [0x40, 0xF0, 0x13]
    var reader = ByteReader(bytes.span)
    #expect(Disconnect(&reader)?.handle == ConnectionHandle(rawValue: 0x0040))
  }

  @Test("The address kinds 0x02 and 0x03, which a controller resolved, are public and random")
  func addressKinds() {
    for (byte, kind): (UInt8, DeviceAddress.Kind) in [
      (0, .public), (1, .random), (2, .public), (3, .random),
    ] {
      let bytes = [byte, 1, 2, 3, 4, 5, 6]
      var reader = ByteReader(bytes.span)
      let address = DeviceAddress(&reader)
      #expect(address == DeviceAddress(kind: kind, bytes: [1, 2, 3, 4, 5, 6]))
    }
  }

  @Test("An address cut short is none, and nothing moves", arguments: 0..<7)
  func shortAddress(length: Int) {
    let bytes = [UInt8](counting: length)
    var reader = ByteReader(bytes.span)
    #expect(DeviceAddress(&reader) == nil)
    #expect(length == 6 || DeviceAddress(&reader, kind: .public) == nil)
  }
}
