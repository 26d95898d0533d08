import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Many controllers on one air")
struct ManyControllersTests {
  /// An air with `count` advertisers, each with a scan response, whose addresses are random.
  private func crowd(_ count: Int) -> (air: VirtualAir, addresses: Set<[UInt8]>) {
    let air = VirtualAir()
    var addresses: Set<[UInt8]> = []
    for number in 1...count {
      let host = TestHost(on: air)
      let address: [UInt8] = [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0]
      host.send(
        LESetRandomAddress(
          DeviceAddress(
            kind: .random,
            bytes: [address[0], address[1], address[2], address[3], address[4], 0xC0]
          )))
      host.advertise(scanResponse: [2, 9, 65], ownAddressType: 1)
      addresses.insert(address)
    }
    return (air, addresses)
  }

  // Symptom: a report beyond the 64 that a controller keeps was dropped and counted as heard: of
  // 60 balls, a scan found 32.
  @Test("A scan without duplicates finds every advertiser once", arguments: [60, 1_000])
  func everybodyIsFound(count: Int) {
    let (air, addresses) = crowd(count)
    let scanner = TestHost(on: air)
    scanner.scan(active: true, filterDuplicates: true)
    var reports: [[UInt8]] = []
    // The host reads once in 5 ms, and 100 ms are between two advertisements. At the worst, all
    // advertise at once, and 64 reports are read in each interval: 2 × 1,000 / 64 = 31.25, so 32
    // intervals of 100 ms.
    for time in stride(from: UInt64(0), through: 3_200, by: 5) {
      air.advance(to: milliseconds(time))
      reports += scanner.receive().filter { $0.starts(with: [0x04, 0x3E]) }
    }
    expect(reports.count, is: 2 * count)
    // Event, code, length, subevent, count; then the kind (4 is a scan response), the address's
    // kind and the address.
    expect(Set(reports.filter { $0[5] == 0 }.map { Array($0[7..<13]) }), is: addresses)
    expect(Set(reports.filter { $0[5] == 4 }.map { Array($0[7..<13]) }), is: addresses)
    // All advertisers have been heard: the air can sleep.
    expect(air.deadline, is: nil)
  }

  @Test("After a dropped scan response, only the scan response is reported again")
  func droppedResponse() {
    let (air, _) = crowd(33)
    let scanner = TestHost(on: air)
    // A host that leaves one advertisement unread has room for 63: 31 pairs and one advertisement.
    let first = TestHost(on: air)
    scanner.scan()
    first.advertise(type: 3)
    while scanner.receiveOne() != nil {}
    scanner.stopScanning()
    first.send(LESetAdvertisingEnable(false))
    first.advertise(type: 3)
    scanner.scan(active: true, filterDuplicates: true)
    let reports = scanner.receive().filter { $0.starts(with: [0x04, 0x3E]) }
    expect(reports.count, is: 64)
    air.advance(to: milliseconds(100))
    // 33 pairs and one without a scan response are 67 reports: 3 were dropped.
    let later = scanner.receive().map { $0[5] }
    expect(later.sorted(), is: [0, 3, 4])
    expect(air.deadline, is: nil)
  }

  @Test("Addresses stay unique after very many controllers")
  func numbering() {
    let air = VirtualAir()
    var last: VirtualController?
    for _ in 0..<65_537 {
      let controller = air.addController()
      if let last { air.remove(last, .vanishing) }
      last = controller
    }
    expect(last?.address, is: DeviceAddress(kind: .public, bytes: [1, 0, 1, 0, 0, 0xF0]))
  }
}
