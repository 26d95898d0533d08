import BluetoothHost
import Expectations
import VirtualRadio

/// Which controllers hear, answer and connect to which, by their addresses and lists.
@Suite("Rules of addresses")
struct AddressRuleTests {
  private let air = VirtualAir(seed: 5)
  private let ball, phone, other: TestHost

  init() {
    (ball, phone) = twoHosts(on: air)
    other = TestHost(on: air)
  }

  /// The private addresses in the host's LE Enhanced Connection Complete: its own, and the peer's.
  private func addresses(_ host: TestHost) -> [[UInt8]] {
    let event = host.receive().last { $0.starts(with: [0x04, 0x3E, 31, 0x0A, 0]) } ?? .zeros(34)
    return [Array(event[15..<21]), Array(event[21..<27])]
  }

  @Test("A private address type without a key for the peer: the identity, and no private address")
  func noKeyForPeer() {
    ball.resolve(publicAddress(77), localKey: resolvingKey(1))
    phone.resolve(publicAddress(77), localKey: resolvingKey(2))
    ball.advertise(ownAddressType: 2, peer: publicAddress(2))
    _ = ball.receive()
    phone.connect(to: publicAddress(1), ownAddressType: 2)
    expect(addresses(phone), is: [.zeros(6), .zeros(6)])
    expect(addresses(ball), is: [.zeros(6), .zeros(6)])
  }

  @Test("With the own address type 0x00, a link has no private address, whatever the list says")
  func publicType() {
    ball.resolve(publicAddress(2), localKey: resolvingKey(1))
    phone.resolve(publicAddress(1), localKey: resolvingKey(2))
    ball.advertise(ownAddressType: 2, peer: publicAddress(2))
    ball.send(LESetAdvertisingEnable(false))
    ball.advertise(ownAddressType: 0, peer: publicAddress(2))
    _ = ball.receive()
    phone.connect(to: publicAddress(1))
    expect(addresses(phone), is: [.zeros(6), .zeros(6)])
    expect(addresses(ball), is: [.zeros(6), .zeros(6)])
  }

  @Test("A random address as identity: own types 0x01 and 0x03 use it")
  func randomIdentity() {
    for type in [UInt8(1), 3] {
      let (ball, phone) = twoHosts(on: VirtualAir())
      ball.send(LESetRandomAddress(randomAddress(9)))
      ball.advertise([], ownAddressType: type)
      phone.scan()
      expect(phone.reports(), is: [report(.connectable, randomAddress(9))])
    }
  }

  @Test(
    "Directed advertising to a device's identity, heard with a private or a public own address",
    arguments: [UInt8(0), 2])
  func directedToIdentity(ownAddressType: UInt8) {
    phone.resolve(publicAddress(1), localKey: resolvingKey(2))
    ball.advertise(type: 4, peer: publicAddress(2))
    for host in [phone, other] { host.scan(ownAddressType: ownAddressType) }
    expect(phone.reports(), is: [report(.directed, publicAddress(1))])
    expect(other.reports(), is: [])
    other.connect(to: publicAddress(1))
    expect(other.controller.connectionHandles, is: [])
    // A directed advertiser accepts its target only at the address that it names.
    phone.connect(to: publicAddress(1))
    expect(phone.controller.connectionHandles.count, is: 1)
  }

  @Test("Directed advertising to the private address that the scanner uses")
  func directedToPrivate() throws {
    phone.resolve(publicAddress(1), localKey: resolvingKey(2))
    phone.scan(ownAddressType: 2)
    _ = phone.receive()
    let local = try #require(phone.localAddress(for: publicAddress(1)))
    ball.advertise(type: 4, peer: local)
    expect(phone.reports(), is: [report(.directed, publicAddress(1))])
    // The same address is not the one of a scanner with a public address, unless it resolves.
    phone.stopScanning()
    phone.scan()
    expect(phone.reports(), is: [])
    phone.stopScanning()
    _ = phone.receive()
    phone.enableResolution()
    phone.scan()
    expect(phone.reports(), is: [report(.directed, publicAddress(1))])
  }

  @Test("A device without a key of its own is accepted at its identity")
  func keylessEntry() {
    phone.resolve(publicAddress(1))
    phone.enableResolution()
    phone.scan()
    ball.advertise([])
    expect(phone.reports(), is: [report(.connectable, publicAddress(1))])
  }

  @Test("Active scans: who is answered, by the advertiser's filter and list")
  func scanRequests() {
    let add = HCIOpcode(rawValue: 0x2011)
    ball.send(add, [0, 2, 0, 0, 0, 0, 0xF0])
    for (filter, phoneCount, otherCount) in [(UInt8(0), 2, 2), (1, 2, 1), (2, 2, 2), (3, 2, 1)] {
      ball.advertise([], scanResponse: [2, 9, 65], filterPolicy: filter)
      for host in [phone, other] { host.scan(active: true) }
      expect(phone.reports().count, is: phoneCount, "filter \(filter)")
      expect(other.reports().count, is: otherCount, "filter \(filter)")
      for host in [phone, other] { host.stopScanning() }
      ball.send(LESetAdvertisingEnable(false))
    }
  }

  @Test("Connections: who is admitted, by the advertiser's filter and list")
  func admissions() {
    let add = HCIOpcode(rawValue: 0x2011)
    for filter in UInt8(0)...3 {
      let air = VirtualAir()
      let (ball, phone, other) = (TestHost(on: air), TestHost(on: air), TestHost(on: air))
      ball.send(add, [0, 2, 0, 0, 0, 0, 0xF0])
      ball.advertise(filterPolicy: filter)
      other.connect(to: publicAddress(1))
      expect(
        other.controller.connectionHandles.count, is: filter & 0b10 == 0 ? 1 : 0,
        "filter \(filter)"
      )
      other.send(.leCreateConnectionCancel)
      ball.advertise(filterPolicy: filter)
      phone.connect(to: publicAddress(1))
      expect(phone.controller.connectionHandles.count, is: 1, "filter \(filter)")
    }
  }

  @Test("No device connects to scannable or nonconnectable advertising", arguments: [UInt8(2), 3])
  func unconnectable(type: UInt8) {
    ball.advertise(type: type)
    phone.connect(to: publicAddress(1))
    expect(phone.receive(), is: [status(.leCreateConnection)])
    expect(ball.controller.isAdvertising)
    expect(air.deadline, is: nil)
  }

  @Test("An initiator at its limit on links connects after one of them ends")
  func roomReturns() {
    let small = TestHost(on: air, configuration: .init(maximumLinks: 1))
    small.connect(to: publicAddress(1))
    small.advertise()
    _ = small.receive()
    phone.connect(to: small.controller.address)
    expect(small.controller.connectionHandles.count, is: 1)
    ball.advertise()
    air.advance(to: milliseconds(1_000))
    expect(ball.controller.isAdvertising)
    small.send(Disconnect(handle: small.handle, reason: .remoteUserTerminatedConnection))
    expect(small.controller.connectionHandles.count, is: 0)
    air.advance(to: milliseconds(1_100))
    expect(!ball.controller.isAdvertising)
    expect(small.controller.connectionHandles.count, is: 1)
  }

  @Test("Two devices that have a link do not connect again; a third finds the advertiser")
  func secondLink() {
    ball.advertise()
    phone.connect(to: publicAddress(1))
    phone.send(HCIOpcode(rawValue: 0x2011), [0, 1, 0, 0, 0, 0, 0xF0])
    phone.connect(to: .zero, filterPolicy: 1)
    ball.advertise()
    expect(phone.controller.connectionHandles.count, is: 1)
    expect(ball.controller.isAdvertising)
    _ = phone.receive()
    phone.send(.leCreateConnectionCancel)
    _ = phone.receive()
    phone.connect(to: publicAddress(1))
    expect(phone.receive(), is: [status(.leCreateConnection, .connectionAlreadyExists)])
    other.connect(to: publicAddress(1))
    expect(other.controller.connectionHandles.count, is: 1)
  }

  @Test("An advertiser does not answer a device with a key that scans at its identity")
  func scanAtIdentity() {
    ball.resolve(publicAddress(2), peerKey: resolvingKey(2))
    ball.enableResolution()
    ball.advertise([], scanResponse: [2, 9, 65])
    for host in [phone, other] { host.scan(active: true) }
    expect(phone.reports(), is: [report(.connectable, publicAddress(1))])
    expect(other.reports().count, is: 2)
    // In device privacy mode it does.
    for host in [phone, ball] {
      host.stopScanning()
      host.send(LESetAdvertisingEnable(false))
    }
    ball.send(LESetPrivacyMode(peer: publicAddress(2), mode: 1))
    ball.send(LESetAdvertisingEnable(true))
    _ = phone.receive()
    phone.scan(active: true)
    expect(phone.reports().count, is: 2)
  }

  @Test(
    "Private addresses are generated for the own address types 0x02 and 0x03 alone",
    arguments: Activity.allCases)
  func whenGenerated(_ activity: Activity) {
    ball.send(LESetRandomAddress(randomAddress(9)))
    _ = ball.receive()
    ball.resolve(publicAddress(7), localKey: resolvingKey(1))
    for type in UInt8(0)...3 {
      activity.begin(ball, ownAddressType: type)
      let local = ball.localAddress(for: publicAddress(7))
      expect((local != nil), is: type >= 2, "type \(type)")
      activity.end(ball)
    }
  }

  @Test("Of two advertisers with one address, the second is found when the first stops")
  func sharedAddress() {
    for host in [ball, other] {
      host.send(LESetRandomAddress(randomAddress(9)))
      host.advertise(ownAddressType: 1)
    }
    ball.send(LESetAdvertisingEnable(false))
    phone.connect(to: randomAddress(9))
    expect(other.controller.connectionHandles.count, is: 1)
    expect(ball.controller.connectionHandles, is: [])
  }

  @Test("A link notes the private address of the other side, which no scan has heard before")
  func notedAddresses() throws {
    ball.resolve(publicAddress(2), peerKey: resolvingKey(2), localKey: resolvingKey(1))
    phone.resolve(publicAddress(1), peerKey: resolvingKey(1), localKey: resolvingKey(2))
    for host in [ball, phone] { host.enableResolution() }
    ball.advertise(ownAddressType: 2, peer: publicAddress(2))
    _ = ball.receive()
    phone.connect(to: publicAddress(1), ownAddressType: 2)
    for (host, peer, number) in [(phone, ball, UInt8(1)), (ball, phone, 2)] {
      let noted = host.resolvableAddress(.leReadPeerResolvableAddress, for: publicAddress(number))
      let own = peer.localAddress(for: host.controller.address)
      expect(noted != nil && noted == own)
    }
  }

  @Test("Directed advertising has no data")
  func directedData() {
    ball.advertise([2, 1, 6], type: 4, peer: publicAddress(2))
    phone.scan(active: true)
    expect(phone.reports(), is: [report(.directed, publicAddress(1))])
  }

  @Test("A signal strength in one direction leaves the other; out of range holds in both")
  func oneWay() {
    air.setSignalStrength(-20, from: ball.controller, to: phone.controller)
    for (advertiser, scanner, strength) in [(ball, phone, Int8(-20)), (phone, ball, -50)] {
      advertiser.advertise([])
      scanner.scan()
      expect(
        scanner.reports(),
        is: [report(.connectable, advertiser.controller.address, rssi: strength)])
      advertiser.send(LESetAdvertisingEnable(false))
      scanner.stopScanning()
    }
    air.setSignalStrength(nil, from: ball.controller, to: phone.controller)
    for (advertiser, scanner) in [(ball, phone), (phone, ball)] {
      advertiser.advertise([])
      scanner.scan()
      expect(scanner.reports(), is: [])
      expect(air.deadline, is: nil)
      advertiser.send(LESetAdvertisingEnable(false))
      scanner.stopScanning()
    }
    // Back in range in that direction.
    air.setSignalStrength(-10, from: ball.controller, to: phone.controller)
    ball.advertise([])
    phone.scan()
    expect(phone.reports(), is: [report(.connectable, publicAddress(1), rssi: -10)])
  }

  @Test("Only the links of the two controllers break when they are out of each other's range")
  func otherLinksStay() {
    for host in [phone, other] {
      ball.advertise()
      host.connect(to: publicAddress(1))
      _ = (host.receive(), ball.receive())
    }
    air.setSignalStrength(nil, from: phone.controller, to: ball.controller)
    air.advance(to: milliseconds(720))
    expect(phone.controller.connectionHandles, is: [])
    expect(other.controller.connectionHandles.count, is: 1)
    expect(ball.controller.connectionHandles.count, is: 1)
  }

  @Test("A peer out of range or vanished has no signal strength: 127")
  func unknownStrength() {
    let pair = Pair()
    let near = bytes { $0.write(pair.central.handle.rawValue) }
    pair.air.setSignalStrength(nil, from: pair.central.controller, to: pair.peripheral.controller)
    expect(pair.central.ask(.readRSSI, near), is: [complete(.readRSSI, .success, near + [0x7F])])
    // The other commands that need the peer are accepted, and get no event.
    for opcode in [HCIOpcode.readRemoteVersionInformation, .leReadRemoteFeatures] {
      expect(pair.central.ask(opcode, near), is: [status(opcode)])
    }
    expect(pair.central.ask(.leReadPHY, near), is: [complete(.leReadPHY, .success, near + [1, 1])])
    expect(pair.central.ask(.leSetPHY, near + [3, 0, 0, 0, 0]), is: [status(.leSetPHY)])
    expect(
      pair.central.ask(
        LESetDataLength(handle: pair.central.handle, transmitOctets: 251, transmitTime: 2_120)
      ).count, is: 1)
  }
}
