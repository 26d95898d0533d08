import BluetoothHost
import Testing
import VirtualRadio

/// A central that keeps the charge that it reads.
struct ChargeReader: ClientApplication {
  var charge: UInt8?

  mutating func read(_ value: Span<UInt8>, from offset: Int, at place: Int) {
    if !value.isEmpty { charge = value[0] }
  }
}

@Test("a central reads the charge, over a radio in software")
func batteryIsRead() {
  let now = Instant(rawValue: 0)
  let air = VirtualAir(now: now)
  let (here, there) = (air.addController(), air.addController())
  let setup = HostConfiguration(
    name: DeviceName(StaticText("Battery")), service: BluetoothUUID(0x180F), address: .public)
  var battery = BatteryHost(
    configuration: setup, database: GATTDatabase { Battery.service }, application: Battery())
  var central = Central<1, ChargeReader>(configuration: setup, application: ChargeReader())

  // Carries packets, both ways on both sides, until nobody has any.
  func settle() {
    var storage = [UInt8](repeating: 0, count: 2_053)
    func move(_ next: (inout ByteWriter) -> Bool, _ take: (Span<UInt8>) -> Void) -> Bool {
      var writer = ByteWriter(storage.mutableSpan)
      guard next(&writer) else { return false }
      let count = writer.count
      take(storage.span.extracting(first: count))
      return true
    }
    while move({ battery.nextPacket(into: &$0, at: now) }, here.send)
      || move({ here.nextPacket(into: &$0) }, { battery.receive($0, at: now) })
      || move({ central.nextPacket(into: &$0, at: now) }, there.send)
      || move({ there.nextPacket(into: &$0) }, { central.receive($0, at: now) })
    {}
  }

  battery.start(at: now)
  central.start(at: now)
  _ = central.connect(to: here.address)
  settle()
  _ = central.perform(.read(battery.server.handle(of: .charge)), at: 0)
  settle()
  let charge = central.client.application.charge
  #expect(charge == 100)
}
