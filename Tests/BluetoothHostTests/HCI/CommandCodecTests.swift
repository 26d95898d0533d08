import BluetoothHost
import Expectations

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

private let parameters = ConnectionParameters(
  minimumInterval: 0x0102, maximumInterval: 0x0304, latency: 0x0506, supervisionTimeout: 0x0708)
private let parameterBytes: [UInt8] = [0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07]

private let attempt = LEExtendedCreateConnection.Attempt(
  scanInterval: 0x1112, scanWindow: 0x1314, parameters: parameters, minimumEventLength: 0x0D0E,
  maximumEventLength: 0x0F10)
private let attemptBytes: [UInt8] =
  [0x12, 0x11, 0x14, 0x13] + parameterBytes + [0x0E, 0x0D, 0x10, 0x0F]

/// Different values in every field.
private func advertisingSet() -> LESetExtendedAdvertisingParameters {
  var set = LESetExtendedAdvertisingParameters(
    handle: 3, properties: .connectable | .directed | .txPower, minimumInterval: 0x03_0201,
    maximumInterval: 0x06_0504, ownAddressType: 1, filterPolicy: 2, primaryPHY: .leCoded,
    secondaryPHY: .le2M, identifier: 9)
  set.channelMap = 0b101
  set.peer = peer
  set.txPower = -10
  set.maximumSkip = 7
  set.notifiesOfRequests = 1
  return set
}

private let subrate = SubrateParameters(
  minimumFactor: 0x0102, maximumFactor: 0x0103, maximumLatency: 0x0105,
  continuationNumber: 0x0107, supervisionTimeout: 0x0809)
private let subrateBytes: [UInt8] = [2, 1, 3, 1, 5, 1, 7, 1, 9, 8]

private let paddedData: [UInt8] = [3, 0x02, 0x01, 0x06] + [UInt8](repeating: 0, count: 28)

private let commands: [Check] = [
  .command(
    SetEventMask(mask: 0x0807_0605_0403_0201), [1, 2, 3, 4, 5, 6, 7, 8], read: SetEventMask.init),
  .command(
    LESetEventMask(mask: 0x0807_0605_0403_0201), [1, 2, 3, 4, 5, 6, 7, 8], read: LESetEventMask.init
  ),
  .command(LESetRandomAddress(peer), [1, 2, 3, 4, 5, 0xC6], read: LESetRandomAddress.init),
  .command(
    LESetAdvertisingParameters(
      minimumInterval: 0x0102, maximumInterval: 0x0304, type: 5, ownAddressType: 1, peer: peer,
      channelMap: 0b101, filterPolicy: 3),
    [0x02, 0x01, 0x04, 0x03, 5, 1, 1, 1, 2, 3, 4, 5, 0xC6, 0b101, 3],
    read: LESetAdvertisingParameters.init),
  .command(LESetAdvertisingData(advertisingData()), paddedData, read: LESetAdvertisingData.init),
  .command(LESetScanResponseData(advertisingData()), paddedData, read: LESetScanResponseData.init),
  .command(LESetAdvertisingEnable(true), [1], read: LESetAdvertisingEnable.init),
  .command(LESetAdvertisingEnable(false), [0], read: LESetAdvertisingEnable.init),
  .command(
    LESetScanParameters(
      type: 1, interval: 0x0102, window: 0x0304, ownAddressType: 1, filterPolicy: 2),
    [1, 0x02, 0x01, 0x04, 0x03, 1, 2], read: LESetScanParameters.init),
  .command(LESetScanEnable(enable: 1, filterDuplicates: 1), [1, 1], read: LESetScanEnable.init),
  .command(
    LECreateConnection(
      scanInterval: 0x1112, scanWindow: 0x1314, filterPolicy: 1, peer: peer, ownAddressType: 1,
      parameters: parameters, minimumEventLength: 0x0D0E, maximumEventLength: 0x0F10),
    [0x12, 0x11, 0x14, 0x13, 1, 1, 1, 2, 3, 4, 5, 0xC6, 1] + parameterBytes
      + [0x0E, 0x0D, 0x10, 0x0F], read: LECreateConnection.init),
  .command(
    Disconnect(handle: link, reason: .remoteUserTerminatedConnection), [0xFF, 0x0E, 0x13],
    read: Disconnect.init),
  .command(
    LEConnectionUpdate(handle: link, parameters: parameters),
    [0xFF, 0x0E] + parameterBytes + [0, 0, 0, 0]),
  .command(
    LEEncrypt(key: key, plaintext: otherKey), keyBytes + otherKeyBytes, read: LEEncrypt.init),
  .command(
    LEEnableEncryption(
      handle: link, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0A09, key: key),
    [0xFF, 0x0E, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] + keyBytes, read: LEEnableEncryption.init),
  .command(
    LELongTermKeyRequestReply(handle: link, key: key), [0xFF, 0x0E] + keyBytes,
    read: LELongTermKeyRequestReply.init),
  .command(
    LEAddDeviceToResolvingList(peer: peer, peerKey: key, localKey: otherKey),
    [1, 1, 2, 3, 4, 5, 0xC6] + keyBytes + otherKeyBytes, read: LEAddDeviceToResolvingList.init),
  .command(LESetAddressResolutionEnable(enable: 1), [1], read: LESetAddressResolutionEnable.init),
  .command(
    LESetResolvablePrivateAddressTimeout(timeout: 0x0E10), [0x10, 0x0E],
    read: LESetResolvablePrivateAddressTimeout.init),
  .command(LEAddDeviceToFilterAcceptList(device: peer), [1, 1, 2, 3, 4, 5, 0xC6]),
  .command(
    LESetPrivacyMode(peer: peer, mode: 1), [1, 1, 2, 3, 4, 5, 0xC6, 1], read: LESetPrivacyMode.init),
  .command(
    LESetAdvertisingSetRandomAddress(handle: 0xEF, address: peer), [0xEF, 1, 2, 3, 4, 5, 0xC6],
    read: LESetAdvertisingSetRandomAddress.init),
  .command(
    advertisingSet(),
    [3, 0x45, 0, 1, 2, 3, 4, 5, 6, 0b101, 1, 1, 1, 2, 3, 4, 5, 0xC6, 2, 0xF6, 3, 7, 2, 9, 1],
    read: LESetExtendedAdvertisingParameters.init),
  .command(
    LESetPeriodicAdvertisingParameters(
      handle: 3, minimumInterval: 0x0102, maximumInterval: 0x0304, properties: 0x40),
    [3, 0x02, 0x01, 0x04, 0x03, 0x40, 0], read: LESetPeriodicAdvertisingParameters.init),
  .command(
    LESetPeriodicAdvertisingEnable(enable: 3, handle: 9), [3, 9],
    read: LESetPeriodicAdvertisingEnable.init),
  .command(
    LEPeriodicAdvertisingCreateSync(
      options: 5, advertisingSet: 9, address: peer, skip: 0x0102, timeout: 0x0304,
      constantToneExtension: 7),
    [5, 9, 1, 1, 2, 3, 4, 5, 0xC6, 0x02, 0x01, 0x04, 0x03, 7],
    read: LEPeriodicAdvertisingCreateSync.init),
  .command(
    LEPeriodicAdvertisingTerminateSync(handle: 0x0EFF), [0xFF, 0x0E],
    read: LEPeriodicAdvertisingTerminateSync.init),
  .command(LERemoveAdvertisingSet(handle: 9), [9], read: LERemoveAdvertisingSet.init),
  .command(
    LESetExtendedScanParameters(
      ownAddressType: 1, filterPolicy: 2,
      le1M: .init(type: 1, interval: 0x0102, window: 0x0304),
      leCoded: .init(type: 0, interval: 0x0506, window: 0x0708)),
    [1, 2, 0b101, 1, 0x02, 0x01, 0x04, 0x03, 0, 0x06, 0x05, 0x08, 0x07],
    read: LESetExtendedScanParameters.init),
  .command(
    LESetExtendedScanParameters(
      ownAddressType: 1, filterPolicy: 2, le1M: nil,
      leCoded: .init(type: 0, interval: 0x0506, window: 0x0708)),
    [1, 2, 0b100, 0, 0x06, 0x05, 0x08, 0x07], read: LESetExtendedScanParameters.init),
  .command(
    LESetExtendedScanEnable(enable: 1, filterDuplicates: 2, duration: 0x0304, period: 0x0506),
    [1, 2, 0x04, 0x03, 0x06, 0x05], read: LESetExtendedScanEnable.init),
  .command(
    LEExtendedCreateConnection(
      filterPolicy: 1, ownAddressType: 2, peer: peer, phys: .le1M | .leCoded, attempt: attempt),
    [1, 2, 1, 1, 2, 3, 4, 5, 0xC6, 0b101] + attemptBytes + attemptBytes,
    read: LEExtendedCreateConnection.init),
  .command(LELongTermKeyRequestNegativeReply(handle: link), [0xFF, 0x0E]),
  .command(
    LERemoteConnectionParameterRequestReply(handle: link, parameters: parameters),
    [0xFF, 0x0E] + parameterBytes + [0, 0, 0, 0]),
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
  .command(
    LESubrateRequest(handle: link, parameters: subrate), [0xFF, 0x0E] + subrateBytes),
  .command(LESetHostFeature(bit: 38, value: 1), [38, 1], read: LESetHostFeature.init),
]

@Suite("HCI commands")
struct CommandCodecTests {
  @Test(
    "Each is written; those with a reader are read, and refused if cut short", arguments: commands)
  func roundTrip(command: Check) { command.value() }

  @Test(
    "A command without parameters is written",
    arguments: [HCIOpcode.reset, .readBDADDR, .leReadBufferSize, .none])
  func plain(opcode: HCIOpcode) {
    expect(
      written { PlainCommand(opcode).writePacket(to: &$0) },
      is: [0x01] + Array(little: opcode.rawValue) + [0])
  }

  @Test("Advertising data of more than 31 bytes is refused", arguments: [32, 33, 255])
  func longData(length: UInt8) {
    let bytes = [length] + [UInt8](repeating: 0, count: 255)
    var reader = ByteReader(bytes.span)
    expect(LESetAdvertisingData(&reader), is: nil)
    var other = ByteReader(bytes.span)
    expect(LESetScanResponseData(&other), is: nil)
  }

  @Test("Connection parameters as a number are their eight bytes, the first one lowest")
  func parametersAsNumber() {
    let parameters = ConnectionParameters(
      minimumInterval: 0x0201, maximumInterval: 0x0403, latency: 0x0605, supervisionTimeout: 0x0807)
    expect(written { parameters.write(to: &$0) }, is: [1, 2, 3, 4, 5, 6, 7, 8])
    expect(parameters.number, is: 0x0807_0605_0403_0201)
  }

  /// Symptom: each of the refused ones was accepted.
  @Test(
    "Connection parameters that are invalid, or silence the link too long, are not acceptable",
    arguments: [
      (0xFFFF, 1, 0, 0, false), (24, 40, 499, 10, false), (5, 40, 0, 400, false),
      (6, 3_201, 0, 3_200, false), (40, 24, 0, 400, false), (41, 40, 0, 400, false),
      (6, 12, 500, 3_200, false), (6, 12, 0, 9, false), (6, 12, 0, 3_201, false),
      // 4 × 10 = 40 is not more than 40 × (1 + 0).
      (40, 40, 0, 10, false),
      // 2 × 1.25 ms × 32 × (1 + 99) = 8 s, which is not less than 8 s.
      (6, 32, 99, 800, false), (6, 32, 99, 801, true),
      // 1.25 ms × 33 × (1 + 99) = 4.125 s, and 800 × 1.25 ms × (1 + 4) = 5 s of silence.
      (6, 33, 99, 3_200, false), (800, 800, 4, 3_200, false),
      (6, 6, 0, 10, true), (3_200, 3_200, 0, 3_200, true), (6, 6, 499, 3_200, true),
      (39, 39, 0, 10, true),
      // 800 × 1.25 ms × (1 + 3) = 4 s of silence.
      (800, 800, 3, 3_200, true),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
  func acceptable(
    minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, areAcceptable: Bool
  ) {
    let parameters = ConnectionParameters(
      minimumInterval: minimum, maximumInterval: maximum, latency: latency,
      supervisionTimeout: timeout)
    expect(parameters.areAcceptable, is: areAcceptable)
  }

  @Test("The top four bits of a handle are ignored")
  func handleFlags() {
    let bytes: [UInt8] = [0x40, 0xF0, 0x13]
    var reader = ByteReader(bytes.span)
    expect(Disconnect(&reader)?.handle, is: ConnectionHandle(rawValue: 0x0040))
  }

  @Test("The address types 0x02 and 0x03 of resolved addresses are public and random")
  func addressKinds() {
    for (byte, kind): (UInt8, DeviceAddress.Kind) in [
      (0, .public), (1, .random), (2, .public), (3, .random),
    ] {
      let bytes = [byte, 1, 2, 3, 4, 5, 6]
      var reader = ByteReader(bytes.span)
      expect(DeviceAddress(&reader), is: DeviceAddress(kind: kind, bytes: [1, 2, 3, 4, 5, 6]))
    }
  }

  @Test("An address that is cut short is refused", arguments: 0..<7)
  func shortAddress(length: Int) {
    let bytes = [UInt8](counting: length)
    var reader = ByteReader(bytes.span)
    expect(DeviceAddress(&reader), is: nil)
    expect(length == 6 || DeviceAddress(&reader, kind: .public) == nil)
  }
}
