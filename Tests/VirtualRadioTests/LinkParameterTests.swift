import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Changes of a link")
struct LinkParameterTests {
  private let pair = Pair()
  private var near: ConnectionHandle { pair.central.handle }
  private var far: ConnectionHandle { pair.peripheral.handle }
  private let parameters = ConnectionParameters(
    minimumInterval: 20, maximumInterval: 40, latency: 0, supervisionTimeout: 200)

  private func update(_ handle: ConnectionHandle) -> LEConnectionUpdate {
    LEConnectionUpdate(handle: handle, parameters: parameters)
  }

  private func updated(
    _ handle: ConnectionHandle, _ status: HCIErrorCode = .success, interval: UInt16 = 40,
    timeout: UInt16 = 200
  ) -> [UInt8] {
    event(
      LEConnectionUpdateComplete(
        status: status, handle: handle, interval: interval, latency: 0,
        supervisionTimeout: timeout))
  }

  @Test("A central's update takes effect on both sides")
  func centralUpdates() {
    expect(pair.central.ask(update(near)), is: [status(.leConnectionUpdate), updated(near)])
    expect(pair.peripheral.receive(), is: [updated(far)])
    // The same request again changes nothing, and only the requesting host gets an event.
    expect(pair.central.ask(update(near)), is: [status(.leConnectionUpdate), updated(near)])
    expect(pair.peripheral.receive(), is: [])
    // The new supervision timeout applies: 200 × 10 ms.
    pair.peripheral.controller.vanish()
    expect(pair.air.deadline, is: milliseconds(2_000))
  }

  @Test("A peripheral's update goes to the central's host, which may accept it")
  func peripheralAsks() {
    expect(pair.peripheral.ask(update(far)), is: [status(.leConnectionUpdate)])
    expect(
      pair.central.receive(),
      is: [event(LERemoteConnectionParameterRequest(handle: near, parameters: parameters))])
    let reply = LERemoteConnectionParameterRequestReply(handle: near, parameters: parameters)
    let handle = bytes { $0.write(near.rawValue) }
    let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply
    expect(pair.central.ask(reply), is: [complete(opcode, .success, handle), updated(near)])
    expect(pair.peripheral.receive(), is: [updated(far)])
    // A reply without a request.
    expect(pair.central.ask(reply), is: [complete(opcode, .commandDisallowed, handle)])
  }

  @Test("The central's host refuses, and the peripheral's host gets the reason")
  func centralRefuses() {
    _ = pair.peripheral.ask(update(far))
    _ = pair.central.receive()
    let handle = bytes { $0.write(pair.central.handle.rawValue) }
    let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply
    expect(pair.central.ask(opcode, handle + [0x3B]), is: [complete(opcode, .success, handle)])
    expect(
      pair.peripheral.receive(),
      is: [updated(far, HCIErrorCode(rawValue: 0x3B), interval: 24, timeout: 72)])
  }

  @Test("A central's host that masks the requests refuses them all")
  func masked() {
    pair.central.send(LESetEventMask(mask: 0x1F))
    expect(
      pair.peripheral.ask(update(far)),
      is: [
        status(.leConnectionUpdate),
        updated(far, .unsupportedRemoteFeature, interval: 24, timeout: 72),
      ])
  }

  @Test("A suggested data length is used on every new link")
  func suggested() {
    let (ball, phone) = twoHosts(on: VirtualAir())
    let write = HCIOpcode(rawValue: 0x2024)
    expect(phone.ask(write, [251, 0, 0x48, 0x08]), is: [complete(write)])
    ball.advertise()
    _ = ball.receive()
    phone.connect(to: publicAddress(1))
    expect(
      ball.receive().last,
      is: event(
        LEDataLengthChange(
          handle: ball.handle, transmitOctets: 27, transmitTime: 328, receiveOctets: 251,
          receiveTime: 2_120)))
  }

  @Test("The peer's version and features can be read from either side")
  func remote() {
    let pair = Pair(central: .init(supports2MPHY: false, supportsExtendedAdvertising: false))
    let near = bytes { $0.write(pair.central.handle.rawValue) }
    let far = bytes { $0.write(pair.peripheral.handle.rawValue) }
    expect(
      pair.central.ask(.readRemoteVersionInformation, near),
      is: [
        status(.readRemoteVersionInformation), [0x04, 0x0C, 8, 0] + near + [9, 0xFF, 0xFF, 0, 0],
      ])
    expect(
      pair.peripheral.ask(.leReadRemoteFeatures, far),
      is: [
        status(.leReadRemoteFeatures),
        [0x04, 0x3E, 12, 0x04, 0] + far + [0x6F, 0x08, 0, 0, 0x20, 0, 0, 0],
      ])
  }

  @Test("The RSSI of a link is the peer's signal strength here")
  func rssi() {
    pair.air.setSignalStrength(-77, from: pair.peripheral.controller, to: pair.central.controller)
    let near = bytes { $0.write(pair.central.handle.rawValue) }
    let opcode = HCIOpcode(rawValue: 0x1405)
    expect(
      pair.central.ask(opcode, near),
      is: [complete(opcode, .success, near + [UInt8(bitPattern: -77)])])
  }
}
