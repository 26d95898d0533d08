import BluetoothHost
import Expectations
import VirtualRadio

/// Identity resolving keys, made from a number each.
func resolvingKey(_ number: UInt8) -> Number128 {
  Number128(mostSignificantFirst: (0..<16).map { number &* 16 &+ $0 })
}

let noKey = Number128.zero

extension TestHost {
  /// Adds a device to the resolving list, and expects success.
  func resolve(_ peer: DeviceAddress, peerKey: Number128 = noKey, localKey: Number128 = noKey) {
    let answer = ask(LEAddDeviceToResolvingList(peer: peer, peerKey: peerKey, localKey: localKey))
    expect(answer, is: [complete(.leAddDeviceToResolvingList)])
  }

  /// Enables address resolution, and expects success.
  func enableResolution() {
    expect(
      ask(LESetAddressResolutionEnable(enable: 1)), is: [complete(.leSetAddressResolutionEnable)])
  }

  /// The private address that the controller uses for `peer`; `nil` without one.
  func localAddress(for peer: DeviceAddress) -> DeviceAddress? {
    resolvableAddress(.leReadLocalResolvableAddress, for: peer)
  }

  /// The result of LE Read Peer or Local Resolvable Address; `nil` if refused.
  func resolvableAddress(_ opcode: HCIOpcode, for peer: DeviceAddress) -> DeviceAddress? {
    // Drops earlier packets.
    guard let answer = ask(opcode, bytes { peer.write(to: &$0) }).last else { return nil }
    guard answer[6] == 0 else {
      expect(answer, is: complete(opcode, .unknownConnectionIdentifier, .zeros(6)))
      return nil
    }
    return DeviceAddress(kind: .random, bytes: InlineArray<6, UInt8> { answer[7 + $0] })
  }
}

@Suite("The resolving list")
struct ResolvingListTests {
  let air = VirtualAir()
  let host: TestHost

  init() { host = TestHost(on: air, configuration: .init(resolvingListSize: 2)) }

  private func add(_ number: UInt8, _ key: Number128 = noKey) -> [[UInt8]] {
    host.ask(LEAddDeviceToResolvingList(peer: publicAddress(number), peerKey: key, localKey: noKey))
  }

  private func addAnswer(_ status: HCIErrorCode) -> [[UInt8]] {
    [complete(.leAddDeviceToResolvingList, status)]
  }

  @Test("It holds its stated number of devices, each once, and each key once")
  func capacity() {
    expect(
      host.ask(.leReadResolvingListSize), is: [complete(.leReadResolvingListSize, .success, [2])])
    expect(add(1, resolvingKey(1)), is: addAnswer(.success))
    expect(add(1, resolvingKey(2)), is: addAnswer(.invalidCommandParameters))
    expect(add(2, resolvingKey(1)), is: addAnswer(.invalidCommandParameters))
    expect(add(2), is: addAnswer(.success))
    expect(add(3), is: addAnswer(.memoryCapacityExceeded))
    expect(host.ask(.leClearResolvingList), is: [complete(.leClearResolvingList)])
    // Several devices may have no key.
    expect(add(3), is: addAnswer(.success))
    expect(add(4), is: addAnswer(.success))
  }

  @Test("Removing, reading or setting the mode of an unknown device fails")
  func unknownDevice() {
    let peer = bytes { publicAddress(1).write(to: &$0) }
    let remove = HCIOpcode.leRemoveDeviceFromResolvingList
    expect(host.ask(remove, peer), is: [complete(remove, .unknownConnectionIdentifier)])
    expect(
      host.ask(LESetPrivacyMode(peer: publicAddress(1), mode: 1)),
      is: [complete(.leSetPrivacyMode, .unknownConnectionIdentifier)])
    expect(host.resolvableAddress(.leReadPeerResolvableAddress, for: publicAddress(1)), is: nil)
    expect(host.localAddress(for: publicAddress(1)), is: nil)
    // The same bytes as a random address are another device.
    expect(add(1), is: addAnswer(.success))
    let random = bytes {
      DeviceAddress(kind: .random, bytes: publicAddress(1).bytes).write(to: &$0)
    }
    expect(host.ask(remove, random), is: [complete(remove, .unknownConnectionIdentifier)])
    expect(host.ask(remove, peer), is: [complete(remove)])
    expect(host.ask(remove, peer), is: [complete(remove, .unknownConnectionIdentifier)])
  }

  @Test("A new entry has no private addresses before they are used")
  func unusedAddresses() {
    host.resolve(publicAddress(9), peerKey: resolvingKey(1), localKey: resolvingKey(2))
    expect(host.resolvableAddress(.leReadPeerResolvableAddress, for: publicAddress(9)), is: nil)
    expect(host.localAddress(for: publicAddress(9)), is: nil)
  }

  @Test("Values outside their ranges are refused")
  func ranges() {
    let timeout = HCIOpcode.leSetResolvablePrivateAddressTimeout
    for (seconds, code) in [
      (UInt16(0), HCIErrorCode.invalidCommandParameters), (1, .success), (3_600, .success),
      (3_601, .invalidCommandParameters),
    ] {
      expect(
        host.ask(LESetResolvablePrivateAddressTimeout(timeout: seconds)),
        is: [complete(timeout, code)])
    }
    expect(
      host.ask(LESetAddressResolutionEnable(enable: 2)),
      is: [complete(.leSetAddressResolutionEnable, .invalidCommandParameters)])
    _ = add(1)
    expect(
      host.ask(LESetPrivacyMode(peer: publicAddress(1), mode: 2)),
      is: [complete(.leSetPrivacyMode, .invalidCommandParameters)])
    host.advertise(ownAddressType: 4)
    expect(
      host.receive().first, is: complete(.leSetAdvertisingParameters, .invalidCommandParameters))
  }

  static let commands: [(HCIOpcode, [UInt8])] = [
    (.leAddDeviceToResolvingList, .zeros(39)),
    (.leRemoveDeviceFromResolvingList, [0, 1, 0, 0, 0, 0, 0xF0]),
    (.leSetPrivacyMode, [0, 1, 0, 0, 0, 0, 0xF0, 0]), (.leClearResolvingList, []),
  ]

  @Test(
    "The list is fixed while addresses are resolved and used; resolution cannot be switched then",
    arguments: Activity.allCases)
  func inUse(_ activity: Activity) {
    _ = add(1)
    activity.begin(host)
    expect(
      host.ask(LESetAddressResolutionEnable(enable: 1)),
      is: [complete(.leSetAddressResolutionEnable, .commandDisallowed)])
    // Resolving is off.
    expect(add(2), is: addAnswer(.success))
    activity.end(host)
    host.enableResolution()
    activity.begin(host)
    for (opcode, parameters) in Self.commands {
      expect(host.ask(opcode, parameters), is: [complete(opcode, .commandDisallowed)])
    }
    activity.end(host)
    for (opcode, parameters) in Self.commands.reversed() {
      let answer = host.ask(opcode, parameters)
      // The list was cleared, so there is nothing to remove.
      let isMissing = opcode == .leRemoveDeviceFromResolvingList || opcode == .leSetPrivacyMode
      expect(answer, is: [complete(opcode, isMissing ? .unknownConnectionIdentifier : .success)])
    }
  }

  @Test("Reset empties the list and ends address resolution")
  func reset() {
    _ = add(1)
    _ = add(2)
    host.enableResolution()
    expect(host.ask(.reset), is: [complete(.reset)])
    host.scan()
    _ = host.receive()
    expect(add(1), is: addAnswer(.success))
    expect(add(2), is: addAnswer(.success))
  }

  @Test("Without link layer privacy its address types are wrong")
  func unsupported() {
    let plain = TestHost(on: air, configuration: .init(supportsPrivacy: false))
    for type in UInt8(2)...3 {
      plain.advertise(ownAddressType: type)
      plain.scan(ownAddressType: type)
      plain.connect(to: publicAddress(9), ownAddressType: type)
      let refused = plain.receive()
      expect(refused.first, is: complete(.leSetAdvertisingParameters, .invalidCommandParameters))
      expect(refused.contains(complete(.leSetScanParameters, .invalidCommandParameters)))
      expect(refused.last, is: status(.leCreateConnection, .invalidCommandParameters))
      plain.send(.reset)
      _ = plain.receive()
    }
  }

  @Test("A missing random address is refused, as with address type 0x01")
  func missingRandomAddress() {
    host.resolve(publicAddress(9), localKey: resolvingKey(1))
    host.scan(ownAddressType: 3)
    expect(host.receive().last, is: complete(.leSetScanEnable, .invalidCommandParameters))
    host.connect(to: publicAddress(8), ownAddressType: 3)
    host.connect(to: .zero, ownAddressType: 3, filterPolicy: 1)
    // For a device with a key it is not needed.
    host.connect(to: publicAddress(9), ownAddressType: 3)
    let refused = status(.leCreateConnection, .invalidCommandParameters)
    expect(host.receive(), is: [refused, refused, status(.leCreateConnection)])
    host.advertise(ownAddressType: 3, peer: publicAddress(8))
    expect(host.receive().last, is: complete(.leSetAdvertisingEnable, .invalidCommandParameters))
    host.advertise(ownAddressType: 3, peer: publicAddress(9))
    expect(host.receive().last, is: complete(.leSetAdvertisingEnable))
  }
}
