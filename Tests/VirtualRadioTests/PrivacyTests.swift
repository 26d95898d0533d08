import BluetoothHost
import Expectations
import VirtualRadio

/// A ball and a phone that know each other's identity resolving keys.
@Suite("Private addresses")
struct PrivacyTests {
  let air = VirtualAir(seed: 8)
  let ball: TestHost
  let phone: TestHost
  let unbonded: TestHost
  let ballAddress = publicAddress(1)
  let phoneAddress = publicAddress(2)
  let ballKey = resolvingKey(1)
  let phoneKey = resolvingKey(2)

  init() {
    ball = TestHost(on: air)
    phone = TestHost(on: air)
    unbonded = TestHost(on: air)
  }

  /// Both hosts add the bond's keys to their controllers.
  private func bond(resolving: Bool = true) {
    ball.resolve(phoneAddress, peerKey: phoneKey, localKey: ballKey)
    phone.resolve(ballAddress, peerKey: ballKey, localKey: phoneKey)
    guard resolving else { return }
    ball.enableResolution()
    phone.enableResolution()
  }

  /// The address in a report, with its type.
  private func reportedAddress(_ packet: [UInt8]) -> [UInt8] { Array(packet[6..<13]) }

  private func resolved(_ address: DeviceAddress) -> DeviceAddress {
    DeviceAddress(
      kind: DeviceAddress.Kind(rawValue: address.kind.rawValue | 2), bytes: address.bytes)
  }

  @Test("The specification's sample: 70:81:94:0D:FB:AA resolves with its key, and with no other")
  func sample() {
    // Core Specification, Vol 3, Part H, D.7: ah(key, 0x708194) = 0x0DFBAA.
    let key: [UInt8] = [
      0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D,
      0x9B,
    ]
    for (changed, address) in [
      (nil, resolved(ballAddress)),
      (15, DeviceAddress(kind: .random, bytes: [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70])),
    ] as [(Int?, DeviceAddress)] {
      let air = VirtualAir()
      let ball = TestHost(on: air)
      let phone = TestHost(on: air)
      var bytes = key
      if let changed { bytes[changed] ^= 1 }
      phone.resolve(ballAddress, peerKey: Number128(mostSignificantFirst: bytes))
      phone.enableResolution()
      ball.send(.leSetRandomAddress, [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70])
      ball.advertise(ownAddressType: 1)
      phone.scan()
      expect(phone.reports(), is: [report(.connectable, address, [2, 1, 6])])
    }
  }

  @Test("An unknown device reports an advertiser's private address; a bonded one resolves it")
  func advertises() throws {
    bond()
    ball.advertise(scanResponse: [2, 9, 65], ownAddressType: 2, peer: phoneAddress)
    // At its identity address, the ball would not answer the phone.
    phone.scan(active: true, ownAddressType: 2)
    unbonded.scan(active: true)
    let stated = resolved(ballAddress)
    expect(
      phone.reports(),
      is: [report(.connectable, stated, [2, 1, 6]), report(.scanResponse, stated, [2, 9, 65])])
    let strange = try #require(unbonded.reports().first)
    let local = try #require(ball.localAddress(for: phoneAddress))
    expect(local.bytes[5] >> 6, is: 0b01)
    expect(reportedAddress(strange), is: bytes { local.write(to: &$0) })
    expect(phone.resolvableAddress(.leReadPeerResolvableAddress, for: ballAddress), is: local)
    // Without a key for the advertiser there is no private address.
    ball.send(LESetAdvertisingEnable(false))
    ball.advertise(ownAddressType: 2, peer: publicAddress(9))
    air.advance(to: milliseconds(200))
    expect(unbonded.reports().map(reportedAddress).last, is: bytes { ballAddress.write(to: &$0) })
  }

  @Test("Without resolution, a controller reports the private address, and still generates its own")
  func notResolving() throws {
    bond(resolving: false)
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    phone.scan()
    let local = try #require(ball.localAddress(for: phoneAddress))
    expect(phone.reports(), is: [report(.connectable, local, [2, 1, 6])])
  }

  @Test("Addresses derive from the air's seed: the same in each run, different with another seed")
  func seeded() {
    func address(_ seed: UInt64) -> DeviceAddress? {
      let host = TestHost(on: VirtualAir(seed: seed))
      host.resolve(phoneAddress, localKey: ballKey)
      host.advertise(ownAddressType: 2, peer: phoneAddress)
      _ = host.receive()
      return host.localAddress(for: phoneAddress)
    }
    expect(address(1) != nil)
    expect(address(1), is: address(1))
    expect(address(1) != address(2))
  }

  @Test("An expired private address is renewed; a resolving controller sees the same device")
  func renewal() {
    bond()
    expect(
      ball.ask(LESetResolvablePrivateAddressTimeout(timeout: 2)),
      is: [complete(.leSetResolvablePrivateAddressTimeout)])
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    _ = ball.receive()
    let first = ball.localAddress(for: phoneAddress)
    for host in [phone, unbonded] { host.scan(filterDuplicates: true) }
    expect(phone.reports().count, is: 1)
    expect(unbonded.reports().count, is: 1)
    // All scanners have heard it: nothing happens before the renewal.
    expect(air.deadline, is: milliseconds(2_000))
    air.advance(to: milliseconds(2_100))
    let second = ball.localAddress(for: phoneAddress)
    expect(second != nil && second != first)
    expect(phone.reports(), is: [])
    expect(
      unbonded.reports().map(reportedAddress), is: [second.map { a in bytes { a.write(to: &$0) } }])
  }

  @Test("A link of two private devices: each event has the identity and both private addresses")
  func connects() throws {
    bond()
    ball.advertise(ownAddressType: 2, peer: phoneAddress, filterPolicy: 0)
    _ = ball.receive()
    phone.connect(to: ballAddress, ownAddressType: 2)
    let heard = (phone.receive(), ball.receive())
    let ours = try #require(ball.localAddress(for: phoneAddress))
    let theirs = try #require(phone.localAddress(for: ballAddress))
    expect(ours != theirs)
    expect(
      heard.0,
      is: [
        status(.leCreateConnection),
        enhanced(phone.handle, 0, resolved(ballAddress), local: theirs, remote: ours),
      ])
    expect(
      heard.1,
      is: [enhanced(ball.handle, 1, resolved(phoneAddress), local: ours, remote: theirs)])
    // It is the same device whatever address it has next.
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    _ = ball.receive()
    phone.connect(to: ballAddress, ownAddressType: 2)
    expect(phone.receive(), is: [status(.leCreateConnection, .connectionAlreadyExists)])
  }

  @Test("The plain event has no room for private addresses, and gives the identity")
  func plainEvent() {
    bond()
    for host in [ball, phone] { host.send(LESetEventMask(mask: 0x1F)) }
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    phone.connect(to: ballAddress, ownAddressType: 2)
    for (host, role, peer) in [
      (phone, LEConnectionComplete.Role.central, ballAddress), (ball, .peripheral, phoneAddress),
    ] {
      expect(
        host.receive().last,
        is: event(
          LEConnectionComplete(
            status: .success, handle: host.handle, role: role, peer: peer, interval: 24,
            latency: 0, supervisionTimeout: 72)))
    }
  }

  @Test("A host that resolves addresses itself connects to the private address, and sees that one")
  func hostResolves() throws {
    bond(resolving: false)
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    _ = ball.receive()
    let ours = try #require(ball.localAddress(for: phoneAddress))
    phone.connect(to: ours)
    expect(phone.receive().last, is: enhanced(phone.handle, 0, ours))
    expect(ball.receive(), is: [enhanced(ball.handle, 1, phoneAddress, local: ours)])
  }

  @Test("Network privacy ignores a device with a key at its identity; device privacy accepts it")
  func privacyModes() {
    bond()
    ball.advertise()
    phone.scan()
    expect(phone.reports(), is: [])
    phone.stopScanning()
    phone.connect(to: ballAddress)
    expect(phone.receive().last, is: status(.leCreateConnection))
    phone.send(.leCreateConnectionCancel)
    _ = phone.receive()
    expect(
      phone.ask(LESetPrivacyMode(peer: ballAddress, mode: 1)), is: [complete(.leSetPrivacyMode)])
    phone.scan()
    expect(phone.reports(), is: [report(.connectable, ballAddress, [2, 1, 6])])
    phone.stopScanning()
    _ = phone.receive()
    // The ball does not accept the phone's identity either.
    phone.connect(to: ballAddress)
    expect(phone.receive(), is: [status(.leCreateConnection)])
    phone.send(.leCreateConnectionCancel)
    _ = phone.receive()
    phone.connect(to: ballAddress, ownAddressType: 2)
    expect(phone.controller.connectionHandles.count, is: 1)
  }

  @Test("The accept list has identities: for scans, links in both roles, and scan requests")
  func acceptLists() {
    bond()
    let add = HCIOpcode(rawValue: 0x2011)
    phone.send(add, bytes { ballAddress.write(to: &$0) })
    ball.send(add, bytes { phoneAddress.write(to: &$0) })
    unbonded.advertise([2, 1, 4])
    ball.advertise(
      scanResponse: [2, 9, 65], ownAddressType: 2, peer: phoneAddress, filterPolicy: 3)
    _ = ball.receive()
    phone.scan(active: true, ownAddressType: 2, filterPolicy: 1)
    unbonded.scan(active: true)
    let stated = resolved(ballAddress)
    expect(
      phone.reports(),
      is: [report(.connectable, stated, [2, 1, 6]), report(.scanResponse, stated, [2, 9, 65])])
    // The unknown device hears the advertisement, and gets no scan response and no link.
    expect(unbonded.reports().count, is: 1)
    let ours = ball.localAddress(for: phoneAddress)
    unbonded.connect(to: ours ?? .zero)
    expect(unbonded.controller.connectionHandles, is: [])
    phone.connect(to: .zero, ownAddressType: 2, filterPolicy: 1)
    expect(phone.controller.connectionHandles.count, is: 1)
    expect(ball.controller.connectionHandles.count, is: 1)
  }

  @Test("Directed advertising uses a private address made with the target's key")
  func directed() throws {
    bond()
    ball.advertise(type: 4, ownAddressType: 2, peer: phoneAddress)
    _ = ball.receive()
    let target = ball.resolvableAddress(.leReadPeerResolvableAddress, for: phoneAddress)
    expect(target.map { $0.bytes[5] >> 6 }, is: 0b01)
    for host in [phone, unbonded] { host.scan() }
    expect(phone.reports(), is: [report(.directed, resolved(ballAddress))])
    expect(unbonded.reports(), is: [])
    unbonded.connect(to: try #require(ball.localAddress(for: phoneAddress)))
    expect(unbonded.controller.connectionHandles, is: [])
    phone.connect(to: ballAddress, ownAddressType: 2)
    expect(phone.controller.connectionHandles.count, is: 1)
    expect(ball.controller.connectionHandles.count, is: 1)
  }

  @Test("A waiting initiator finds a private device when it arrives")
  func waits() {
    bond()
    phone.connect(to: ballAddress, ownAddressType: 2)
    unbonded.advertise()
    expect(phone.receive(), is: [status(.leCreateConnection)])
    ball.advertise(ownAddressType: 2, peer: phoneAddress)
    expect(phone.controller.connectionHandles.count, is: 1)
    expect(air.deadline, is: nil)
  }

  @Test("Devices that renew their addresses every second connect for an hour")
  func meetings() {
    bond()
    for host in [ball, phone] {
      host.send(LESetResolvablePrivateAddressTimeout(timeout: 1))
      _ = host.receive()
    }
    for minute in UInt64(1)...60 {
      ball.advertise(ownAddressType: 2, peer: phoneAddress)
      air.advance(to: milliseconds(minute * 60_000))
      phone.connect(to: ballAddress, ownAddressType: 2)
      expect(phone.controller.connectionHandles.count, is: 1)
      phone.send(Disconnect(handle: phone.handle, reason: .remoteUserTerminatedConnection))
      _ = phone.receive()
      _ = ball.receive()
    }
  }
}
