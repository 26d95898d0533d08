import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Connections")
struct ConnectionTests {
  private let air = VirtualAir()
  private let ball, phone: TestHost

  init() { (ball, phone) = twoHosts(on: air) }

  @Test("Both hosts get an event with their own handle, and advertising stops")
  func connects() {
    ball.advertise()
    _ = ball.receive()
    phone.connect(to: publicAddress(1))
    let phoneEnd = phone.handle
    let ballEnd = ball.handle
    expect(phoneEnd != ballEnd)
    expect(
      phone.receive(), is: [status(.leCreateConnection), enhanced(phoneEnd, 0, publicAddress(1))])
    expect(ball.receive(), is: [enhanced(ballEnd, 1, publicAddress(2))])
    expect(!ball.controller.isAdvertising)
  }

  @Test("An initiator waits until its advertiser comes")
  func waits() {
    phone.connect(to: publicAddress(1))
    expect(phone.receive(), is: [status(.leCreateConnection)])
    phone.connect(to: publicAddress(1))
    expect(phone.receive(), is: [status(.leCreateConnection, .commandDisallowed)])
    ball.advertise()
    expect(phone.receive(), is: [enhanced(phone.handle, 0, publicAddress(1))])
  }

  @Test("A cancelled attempt reports twice: for the command and for the connection")
  func cancel() {
    phone.connect(to: publicAddress(9))
    _ = phone.receive()
    expect(
      phone.ask(.leCreateConnectionCancel),
      is: [
        complete(.leCreateConnectionCancel),
        enhanced(ConnectionHandle(rawValue: 0), 0, .zero, status: 0x02),
      ])
  }

  @Test("Both sides use random addresses, and the kind of an address matters")
  func randomAddresses() {
    ball.send(LESetRandomAddress(randomAddress(7)))
    phone.send(LESetRandomAddress(randomAddress(8)))
    ball.advertise(ownAddressType: 1)
    _ = ball.receive()
    _ = phone.receive()
    // Neither its public address nor the same bytes as a public address are advertised.
    phone.connect(to: publicAddress(1))
    phone.send(.leCreateConnectionCancel)
    phone.connect(to: DeviceAddress(kind: .public, bytes: randomAddress(7).bytes))
    phone.send(.leCreateConnectionCancel)
    expect(ball.receive(), is: [])
    _ = phone.receive()
    phone.connect(to: randomAddress(7), ownAddressType: 1)
    expect(
      phone.receive(),
      is: [status(.leCreateConnection), enhanced(phone.handle, 0, randomAddress(7))])
    expect(ball.receive(), is: [enhanced(ball.handle, 1, randomAddress(8))])
  }

  @Test("A full controller refuses to initiate")
  func full() {
    let pair = Pair(central: .init(maximumLinks: 1))
    pair.central.connect(to: publicAddress(9))
    expect(pair.central.receive(), is: [status(.leCreateConnection, .connectionLimitExceeded)])
  }

  @Test(
    "Parameters that the specification forbids are refused",
    arguments: [
      ("interval 5", [UInt16(5), 24, 0, 72]), ("interval 3,201", [24, 3_201, 0, 72]),
      ("least above most", [25, 24, 0, 72]), ("latency 500", [24, 24, 500, 3_200]),
      ("time-out 9", [6, 6, 0, 9]),
      // 72 × 10 ms = 720 ms is not more than (1 + 11) × 24 × 1.25 ms × 2 = 720 ms.
      ("time-out too short for the latency", [24, 24, 11, 72]),
    ])
  func forbidden(_ name: String, _ values: [UInt16]) {
    phone.send(
      LECreateConnection(
        scanInterval: 0x10, scanWindow: 0x10, filterPolicy: 0, peer: publicAddress(9),
        ownAddressType: 0,
        parameters: ConnectionParameters(
          minimumInterval: values[0], maximumInterval: values[1],
          latency: values[2], supervisionTimeout: values[3])))
    expect(phone.receive(), is: [status(.leCreateConnection, .invalidCommandParameters)])
  }

  @Test("An initiator connects at the next advertisement after its advertiser comes into range")
  func comesIntoRange() {
    air.setSignalStrength(nil, from: ball.controller, to: phone.controller)
    ball.advertise(interval: 0x00A0)  // 100 ms
    phone.connect(to: publicAddress(1))
    air.advance(to: milliseconds(1_050))
    expect(air.deadline, is: nil)
    air.setSignalStrength(-90, from: ball.controller, to: phone.controller)
    air.advance(to: milliseconds(1_150))
    expect(phone.controller.connectionHandles.count, is: 1)
    expect(air.deadline, is: nil)
  }
}

@Suite("The ends of links")
struct DisconnectionTests {

  @Test("Disconnect: this side gets 0x16, the other the given reason")
  func disconnect() {
    let pair = Pair()
    let (near, far) = (pair.central.handle, pair.peripheral.handle)
    expect(
      pair.central.ask(Disconnect(handle: near, reason: .remoteUserTerminatedConnection)),
      is: [status(.disconnect), ended(near, .connectionTerminatedByLocalHost)])
    expect(pair.peripheral.receive(), is: [ended(far, .remoteUserTerminatedConnection)])
    expect(
      pair.central.ask(Disconnect(handle: near, reason: .remoteUserTerminatedConnection)),
      is: [status(.disconnect, .unknownConnectionIdentifier)])
    expect(pair.air.deadline, is: nil)
  }

  @Test("A vanished peer: silence, then 0x08 after the supervision timeout")
  func vanish() {
    let pair = Pair(supervisionTimeout: 100)
    let handle = pair.central.handle
    pair.air.advance(to: milliseconds(50))
    pair.peripheral.controller.vanish()
    expect(pair.central.receive(), is: [])
    expect(pair.air.deadline, is: milliseconds(1_050))
    pair.air.advance(to: milliseconds(1_049))
    expect(pair.central.receive(), is: [])
    pair.air.advance(to: milliseconds(1_050))
    expect(pair.central.receive(), is: [ended(handle, .connectionTimeout)])
    expect(pair.air.deadline, is: nil)
    pair.peripheral.send(.reset)
    expect(pair.peripheral.receive(), is: [])
    expect(pair.peripheral.controller.counters.packetsAfterRemoval, is: 1)
  }

  @Test("A polite removal: the peer's link ends at once")
  func politely() {
    let pair = Pair()
    let handle = pair.central.handle
    pair.air.remove(pair.peripheral.controller, .politely)
    expect(pair.central.receive(), is: [ended(handle, .remoteDevicePoweredOff)])
    expect(pair.air.controllers.count, is: 1)
  }

  @Test("Reset drops the links without events, and the peer times out")
  func reset() {
    let pair = Pair(supervisionTimeout: 10)
    let handle = pair.peripheral.handle
    expect(pair.central.ask(.reset), is: [complete(.reset)])
    expect(pair.central.controller.connectionHandles, is: [])
    pair.air.advance(to: milliseconds(100))
    expect(pair.peripheral.receive(), is: [ended(handle, .connectionTimeout)])
  }

  @Test("A link without a responding peer can still be closed from this side")
  func closeLost() {
    let pair = Pair()
    let handle = pair.central.handle
    pair.peripheral.controller.vanish()
    expect(
      pair.central.ask(Disconnect(handle: handle, reason: .remoteUserTerminatedConnection)),
      is: [status(.disconnect), ended(handle, .connectionTerminatedByLocalHost)])
    expect(pair.air.deadline, is: nil)
  }
}
