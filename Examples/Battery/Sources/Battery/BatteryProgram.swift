import BluetoothHost
import LinuxAir
import LinuxRadio

/// The battery as a program on a radio of Linux.
struct BatteryProgram: RadioProgram, ~Copyable {
  private var host = BatteryHost(
    configuration: HostConfiguration(
      name: DeviceName(StaticText("Battery")), service: BluetoothUUID(0x180F), address: .public),
    database: GATTDatabase { Battery.service }, application: Battery())

  mutating func radioIsReady(at now: Instant) { host.start(at: now) }
  mutating func radioIsLost(_ error: RadioError, at now: Instant) { host.radioLost() }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) { host.receive(packet, at: now) }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { host.deadline }
  mutating func advance(to now: Instant) { host.advance(to: now) }
  mutating func turnEnded() {}

  mutating func shutDown(at now: Instant) { host.shutDown() }
  var isFinished: Bool { host.isShutDown }
}

/// Serves the battery on the radio `name` until a wake-up after which `isOver` is true.
func runBattery(on name: RadioAddress, until isOver: () -> Bool) throws {
  let loop = try EventLoop()
  var radio = Radio(toBeOpened: name, loop: loop, air: SharedAir(loop: loop))
  var program = BatteryProgram()
  while !isOver() {
    let now = MonotonicClock.now
    let mayHaveMore = radio.serve(&program, at: now)
    let deadline = Instant.earlier(program.deadline, radio.deadline)
    try loop.wait(until: mayHaveMore ? now : deadline)
  }
  radio.close()
}
