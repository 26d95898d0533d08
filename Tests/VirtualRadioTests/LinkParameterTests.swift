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

  @Test("Data length: what one side sends is what the other receives")
  func dataLength() {
    let handle = bytes { $0.write(near.rawValue) }
    // What the sender's host gets is in RangeTests.
    pair.central.send(LESetDataLength(handle: near, transmitOctets: 251, transmitTime: 17_040))
    _ = pair.central.receive()
    expect(
      pair.peripheral.receive(),
      is: [
        event(
          LEDataLengthChange(
            handle: far, transmitOctets: 27, transmitTime: 328, receiveOctets: 251,
            receiveTime: 2_120))
      ])
    // Once more changes nothing.
    expect(
      pair.central.ask(LESetDataLength(handle: near, transmitOctets: 251, transmitTime: 17_040)),
      is: [complete(.leSetDataLength, .success, handle)])
  }

  @Test("A suggested data length is used on every new link")
  func suggested() {
    let air = VirtualAir()
    let ball = TestHost(on: air)
    let phone = TestHost(on: air)
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

  @Test("PHY: 2M if both prefer it; the requesting host always gets an event")
  func phy() {
    let handle = bytes { $0.write(near.rawValue) }
    let wish = LESetPHY(
      handle: near, allPHYs: 0, transmitPHYs: 0b010, receivePHYs: 0b010, options: 0)
    func changed(_ handle: ConnectionHandle) -> [UInt8] {
      event(LEPHYUpdateComplete(status: .success, handle: handle, transmitPHY: 2, receivePHY: 2))
    }
    expect(pair.central.ask(wish), is: [status(.leSetPHY), changed(near)])
    expect(pair.peripheral.receive(), is: [changed(far)])
    expect(pair.central.ask(wish), is: [status(.leSetPHY), changed(near)])
    expect(pair.peripheral.receive(), is: [])
    // A host that prefers 1M takes the other's packets back to it.
    _ = pair.peripheral.ask(.leSetDefaultPHY, [0, 1, 1])
    _ = pair.central.ask(.leSetPHY, handle + [0, 3, 3, 0, 0])
    expect(
      pair.central.ask(.leReadPHY, handle), is: [complete(.leReadPHY, .success, handle + [1, 1])])
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
