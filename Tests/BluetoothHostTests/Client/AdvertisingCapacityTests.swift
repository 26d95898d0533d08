import BluetoothHost
import Testing

@Suite("Host: capacity for centrals beside links to peripherals")
struct AdvertisingCapacityTests {
  private let now = Instant(rawValue: 1_000)

  /// An advertising device with a capacity of four connections.
  private func device(peripheralLinks: Int? = nil) -> Device {
    let device = Device(
      number: 1, mtu: .maximum, packetLength: 27, peripheralLinks: peripheralLinks)
    device.host.start(at: now)
    run(device)
    expect(.advertising, on: device)
    return device
  }

  private func run(_ device: Device) {
    while device.nextPacket(at: now) != nil {}
  }

  /// A central connects; the number of its handle ends in `number`.
  private func connect(_ number: UInt8, role: UInt8 = 1, to device: Device) {
    device.receive(
      Events.connected(
        0x40 + UInt16(number), peer: [0, number, 0, 0, 0, 0, 0xF0], role: role), at: now)
    run(device)
  }

  private func expect(
    _ radio: RadioState, on device: Device, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let state = device.host.radio
    #expect(state == radio, sourceLocation: sourceLocation)
    let isHeldBack = device.host.isAdvertisingHeldBack
    #expect(isHeldBack == (radio != .advertising), sourceLocation: sourceLocation)
  }

  @Test("The last connection is reserved for a peer while the device connects to it")
  func keptConnection() {
    let device = device()
    for number in 2...4 as ClosedRange<UInt8> { connect(number, to: device) }
    expect(.advertising, on: device)
    let begins = device.host.connect(to: .numbered(5))
    #expect(begins)
    run(device)
    expect(.silent, on: device)
    device.host.cancelConnection()
    run(device)
    device.receive(Events.connectionFailed(0x02), at: now)
    run(device)
    expect(.advertising, on: device)
    connect(5, to: device)
    expect(.silent, on: device)
  }

  @Test("Links to peripherals do not count towards the limit for centrals")
  func peripheralLinks() {
    let device = device(peripheralLinks: 2)
    device.connects = { [unowned device] number in
      device.receive(
        Events.connected(
          0x40 + UInt16(number), peer: [0, number, 0, 0, 0, 0, 0xF0], role: 0), at: now)
    }
    connect(2, to: device)
    let begins = device.host.connect(to: .numbered(3))
    #expect(begins)
    run(device)
    expect(.advertising, on: device)
    connect(4, to: device)
    expect(.silent, on: device)
    device.receive(Events.disconnected(0x43, reason: 0x13), at: now)
    run(device)
    expect(.silent, on: device)
    device.receive(Events.disconnected(0x42, reason: 0x13), at: now)
    run(device)
    expect(.advertising, on: device)
  }
}
