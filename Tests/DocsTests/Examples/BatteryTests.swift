import BluetoothCentral
import BluetoothHost
import Testing
import VirtualRadio

@Test("a central reads the charge, over a radio in software")
func batteryIsRead() {
  let now = Instant(rawValue: 0)
  let air = VirtualAir(now: now)
  let (here, there) = (air.addController(), air.addController())

  var host = BatteryHost(
    configuration: HostConfiguration(
      name: DeviceName(StaticText("Battery")), service: BluetoothUUID(0x180F), address: .public),
    database: GATTDatabase { Battery.service }, application: Battery())
  let central = Central(configuration: CentralConfiguration(randomAddress: .zero))

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
    while move({ host.nextPacket(into: &$0, at: now) }, here.send)
      || move({ here.nextPacket(into: &$0) }, { host.receive($0, at: now) })
      || move({ central.nextPacket(into: &$0, at: now) }, there.send)
      || move({ there.nextPacket(into: &$0) }, { central.receive($0, at: now) })
    {}
  }

  host.start(at: now)
  central.start(at: now)
  settle()
  let link = central.connect(to: here.address, at: now)
  let reading = central.perform(.read(host.server.handle(of: .charge)), on: link)
  settle()

  var charge: [UInt8]?
  while let event = central.nextEvent() {
    if case .completed(reading, _, .success(.value(let value))) = event { charge = value }
  }
  #expect(charge == [100])
}
