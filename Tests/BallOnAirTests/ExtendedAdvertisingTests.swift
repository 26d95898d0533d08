import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

/// A ball with two advertising sets.
private typealias Ball5 = Host<
  2,
  AdvertisingServer<2, EightBallProfile.Database, BallApplication<2>, AdvertisingSets<2, 1_650>>,
  NoClient, NoSecurity, NoChannels
>

/// A central that keeps what it hears.
private struct Ear: ClientApplication {
  struct Heard: Equatable {
    var address: DeviceAddress
    var isConnectable: Bool?
    var isLegacy: Bool
    var primaryPHY: PHY
    var secondaryPHY: PHY?
    var isWhole: Bool
    var data: [UInt8]
  }

  var heard: [Heard] = []
  var linkCount = 0

  mutating func received(_ report: borrowing AdvertisingReport) {
    let data = report.data
    heard.append(
      Heard(
        address: report.address, isConnectable: report.isConnectable, isLegacy: report.isLegacy,
        primaryPHY: report.primaryPHY, secondaryPHY: report.secondaryPHY,
        isWhole: report.completeness == .complete, data: data.indices.map { data[$0] }))
  }

  mutating func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    linkCount += 1
  }
}

private typealias Ear5 = Host<
  2, NoServer, ScanningClient<2, Ear, ExtendedScanner<2, 400>>, NoSecurity, NoChannels
>

extension AirBench {
  /// A ball with a set.
  fileprivate func addBall(
    _ set: AdvertisingSet? = nil, _ data: [UInt8] = [], in index: Int = 0, legacy: Bool = false,
    linkPHYs: PHYSet? = nil, on controller: VirtualController? = nil
  ) -> AirDevice<Ball5> {
    let ball = add(
      Ball5(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Ball")), service: legacy ? .ballService : nil,
          address: .public),
        server: AdvertisingServer(
          database: EightBallProfile.makeDatabase(), application: BallApplication(seed: 8)),
        client: NoClient()), on: controller)
    if let linkPHYs { ball.host.server.sets.linkPHYs = linkPHYs }
    if let set { expect(ball.host.advertise(set, data.span, in: index)) }
    ball.host.start(at: now)
    return ball
  }

  /// A central that scans.
  fileprivate func addEar(on controller: VirtualController? = nil) -> AirDevice<Ear5> {
    let ear = add(
      Ear5(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Ear")), service: nil, address: .public),
        server: NoServer(), client: ScanningClient(application: Ear())),
      on: controller)
    ear.host.start(at: now)
    ear.host.scan(ScanParameters())
    return ear
  }

  fileprivate func connect(_ ear: AirDevice<Ear5>, to ball: AirDevice<Ball5>) throws {
    expect(ear.host.connect(to: ball.controller.address))
    try settle()
    expect(ear.host.client.application.linkCount, is: 1)
  }
}

private func counting(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0) }
}

@Suite("Extended advertising, from host to host")
struct ExtendedAdvertisingTests {
  @Test(
    "Each kind of set is found, with all of its data, and a connectable one is connected to",
    arguments: [
      (AdvertisingSet.Kind.connectable, PHY.le1M, 245), (.connectable, .le2M, 31),
      (.connectable, .leCoded, 200), (.scannable, .le1M, 300), (.scannable, .leCoded, 20),
      (.nonconnectable, .le2M, 400), (.nonconnectable, .leCoded, 1),
    ])
  func kinds(kind: AdvertisingSet.Kind, phy: PHY, count: Int) throws {
    let bench = AirBench()
    let ball = bench.addBall(AdvertisingSet(kind, phy: phy), counting(count), in: 1)
    let ear = bench.addEar()
    try bench.settle()
    expect(ball.host.radio, is: .advertising)
    var expected = Ear.Heard(
      address: ball.controller.address, isConnectable: kind == .connectable, isLegacy: false,
      primaryPHY: phy == .leCoded ? .leCoded : .le1M, secondaryPHY: phy, isWhole: true,
      data: counting(count))
    if kind == .scannable {
      var advertisement = expected
      advertisement.data = []
      expected.isConnectable = nil
      expect(ear.host.client.application.heard, is: [advertisement, expected])
    } else {
      expect(ear.host.client.application.heard, is: [expected])
    }
    guard kind == .connectable else { return }
    try bench.connect(ear, to: ball)
    expect(ball.host.connectionCount, is: 1)
    // The ball has a second place.
    expect(ball.host.radio, is: .advertising)
  }

  @Test("Data beyond what the scanner keeps is cut, and marked")
  func tooLong() throws {
    let bench = AirBench()
    _ = bench.addBall(AdvertisingSet(.nonconnectable), counting(1_650))
    let ear = bench.addEar()
    try bench.settle()
    expect(ear.host.client.application.heard.map(\.isWhole), is: [false])
    expect(ear.host.client.application.heard.first?.data, is: counting(400))
  }

  @Test("A legacy central finds and connects to the legacy half of both")
  func both() throws {
    let bench = AirBench()
    let ball = bench.addBall(AdvertisingSet(.connectable), counting(100), legacy: true)
    let ear = bench.addEar()
    let old = bench.add(
      Central<2, Ear>(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Old")), service: nil, address: .public),
        application: Ear()))
    old.host.start(at: bench.now)
    old.host.scan(ScanParameters())
    try bench.settle()
    expect(Set(old.host.client.application.heard.map(\.isLegacy)), is: [true])
    expect(Set(ear.host.client.application.heard.map(\.isLegacy)), is: [true, false])
    expect(old.host.connect(to: ball.controller.address))
    try bench.settle()
    expect(old.host.client.application.linkCount, is: 1)
    try bench.connect(ear, to: ball)
    expect(ball.host.isAdvertisingHeldBack)
    expect(!ball.controller.isAdvertising)
  }

  @Test("On a controller without extended advertising, both sides use the commands of Bluetooth 4")
  func oldControllers() throws {
    let bench = AirBench()
    let plain = ControllerConfiguration(supportsExtendedAdvertising: false)
    let ball = bench.addBall(legacy: true, on: bench.air.addController(configuration: plain))
    let ear = bench.addEar(on: bench.air.addController(configuration: plain))
    try bench.settle()
    expect(!ball.host.isExtended && !ear.host.isExtended)
    expect(ear.host.client.application.heard.count, is: 2)
    try bench.connect(ear, to: ball)
  }

  @Test("A link that the sides want on the coded PHY stays there")
  func codedLink() throws {
    let bench = AirBench()
    let ball = bench.addBall(
      AdvertisingSet(.connectable, phy: .leCoded), counting(9), linkPHYs: .leCoded)
    let ear = bench.addEar()
    ear.host.client.scanner.linkPHYs = .leCoded
    try bench.settle()
    var phys: [[UInt8]] = []
    ear.onPacket = { packet, direction in
      // LE PHY Update Complete: status, handle, and the two PHYs.
      guard direction == .received, packet.count > 8, packet[1] == 0x3E, packet[3] == 0x0C else {
        return
      }
      phys.append([packet[7], packet[8]])
    }
    try bench.connect(ear, to: ball)
    expect(Set(phys), is: [[3, 3]])
  }

  @Test("A scan finds each of 1,000 extended advertisers")
  func crowd() throws {
    let bench = AirBench()
    for number in 0..<1_000 {
      let data: [UInt8] = [0, 0, UInt8(number & 0xFF), UInt8(number >> 8)] + counting(100)
      _ = bench.addBall(AdvertisingSet(.connectable), data)
    }
    try bench.settle()
    let ear = bench.addEar()
    // A controller keeps at most 64 unread reports, and drops the others until the host has read.
    try bench.run(for: 2_000)
    expect(ear.host.client.application.heard.count, is: 1_000)
    expect(Set(ear.host.client.application.heard.map(\.data)).count, is: 1_000)
  }
}
