import BluetoothHost
import Testing
import VirtualRadio

@testable import Battery

/// A central that keeps the charge that it reads.
struct ChargeReader: ClientApplication {
  var charge: UInt8?

  mutating func read(_ value: Span<UInt8>, from offset: Int, at connectionIndex: Int) {
    if !value.isEmpty { charge = value[0] }
  }
}

@Test("A central reads the charge over a radio in software")
func batteryIsRead() throws {
  let setup = HostConfiguration(
    name: DeviceName(StaticText("Battery")), service: BluetoothUUID(0x180F), address: .public)
  let bench = AirBench()
  let battery = bench.add(
    BatteryHost(
      configuration: setup, database: GATTDatabase { Battery.service }, application: Battery()))
  let central = bench.add(
    Central<1, ChargeReader>(configuration: setup, application: ChargeReader()))

  battery.host.start(at: bench.now)
  central.host.start(at: bench.now)
  _ = central.host.connect(to: battery.controller.address)
  try bench.settle()
  _ = central.host.perform(.read(battery.host.server.handle(of: .charge)), at: 0)
  try bench.settle()
  #expect(central.host.client.application.charge == 100)
}
