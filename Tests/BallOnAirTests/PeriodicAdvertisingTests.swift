import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

/// A ball whose first set has a train.
private typealias Broadcaster = Host<
  2,
  AdvertisingServer<
    2, EightBallProfile.Database, BallApplication<2>, PeriodicAdvertisingSets<1, 31, 1_650>
  >, NoClient, NoSecurity, NoChannels
>

/// A client that follows the train of the advertiser that it hears.
private struct Display: ClientApplication {
  enum News: Equatable {
    case begins(PHY, interval: UInt16)
    case value([UInt8], isWhole: Bool, rssi: Int8?)
    case ends(HCIErrorCode)
  }

  var source: SynchronizationParameters?
  var news: [News] = []

  mutating func received(_ report: borrowing AdvertisingReport) {
    source = SynchronizationParameters(report) ?? source
  }

  mutating func synchronized(at index: Int, phy: PHY, interval: UInt16) {
    news.append(.begins(phy, interval: interval))
  }

  mutating func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int) {
    let data = report.data
    news.append(
      .value(
        data.indices.map { data[$0] }, isWhole: report.completeness == .complete,
        rssi: report.rssi))
  }

  mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode) {
    news.append(.ends(reason))
  }
}

private typealias Viewer = Host<
  1, NoServer, ScanningClient<1, Display, PeriodicScanner<2, 31, 1, 400>>, NoSecurity, NoChannels
>

@Suite("Periodic advertising, from host to host")
struct PeriodicAdvertisingTests {
  private let bench = AirBench()

  private func broadcaster(phy: PHY = .le1M, _ data: [UInt8]) -> AirDevice<Broadcaster> {
    let ball = bench.add(
      Broadcaster(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
        server: AdvertisingServer(
          database: EightBallProfile.makeDatabase(), application: BallApplication(seed: 8)),
        client: NoClient()))
    let name: [UInt8] = [2, 9, 66]
    expect(ball.host.advertise(AdvertisingSet(.nonconnectable, phy: phy), name.span, in: 0))
    broadcast(data, from: ball)
    ball.host.start(at: bench.now)
    return ball
  }

  private func broadcast(_ data: [UInt8], from ball: AirDevice<Broadcaster>) {
    // 80 × 1.25 ms.
    expect(ball.host.advertise(PeriodicTrain(interval: 80...80), data.span, withSet: 0))
  }

  /// A viewer that has begun to follow.
  private func viewer() throws -> AirDevice<Viewer> {
    let viewer = bench.add(
      Viewer(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Eye")), service: nil, address: .public), server: NoServer(),
        client: ScanningClient(application: Display())))
    viewer.host.start(at: bench.now)
    viewer.host.scan(ScanParameters())
    try bench.settle()
    try follow(viewer)
    return viewer
  }

  private func follow(_ viewer: AirDevice<Viewer>) throws {
    guard let source = viewer.host.client.application.source else {
      Issue.record("no train was found")
      return
    }
    expect(viewer.host.synchronize(with: source), is: 0)
    viewer.host.scan(ScanParameters())
    try bench.run(for: 1_000) { !viewer.host.client.application.news.isEmpty }
    viewer.host.scan(nil)
    try bench.settle()
  }

  private func takeNews(_ viewer: AirDevice<Viewer>) -> [Display.News] {
    let news = viewer.host.client.application.news
    viewer.host.client.application.news = []
    return news
  }

  @Test(
    "Any number of viewers see each value, without a connection", arguments: [PHY.le1M, .le2M])
  func values(phy: PHY) throws {
    let ball = broadcaster(phy: phy, [1])
    let viewers = [try viewer(), try viewer(), try viewer()]
    for viewer in viewers {
      expect(
        takeNews(viewer).prefix(2),
        is: [.begins(phy, interval: 80), .value([1], isWhole: true, rssi: -50)])
    }
    broadcast([2, 3], from: ball)
    try bench.run(for: 100)
    for viewer in viewers {
      expect(takeNews(viewer), is: [.value([2, 3], isWhole: true, rssi: -50)])
    }
    expect(ball.host.connectionCount, is: 0)
    // A central connects beside the train, which goes on.
    expect(viewers[0].host.connect(to: ball.controller.address))
    try bench.run(for: 100)
    expect(ball.host.connectionCount, is: 1)
    for viewer in viewers { expect(takeNews(viewer).count, is: 1) }
  }

  @Test("Data beyond what the viewer keeps is cut, and marked")
  func longData() throws {
    let data = (0..<1_650).map { UInt8(truncatingIfNeeded: $0) }
    _ = broadcaster(data)
    let viewer = try viewer()
    expect(
      takeNews(viewer).dropFirst().first,
      is: .value(Array(data[..<400]), isWhole: false, rssi: -50))
  }

  @Test("A controller that loses its state broadcasts again, and the viewer finds the train again")
  func failure() throws {
    let ball = broadcaster([1])
    let viewer = try viewer()
    _ = takeNews(viewer)
    ball.controller.fail(hardwareCode: 1)
    // 6 × 100 ms is less than the least time-out of a second.
    try bench.run(for: 1_100)
    expect(takeNews(viewer), is: [.ends(.connectionTimeout)])
    viewer.host.scan(ScanParameters())
    try bench.settle()
    try follow(viewer)
    expect(takeNews(viewer).first, is: .begins(.le1M, interval: 80))
    // The viewer's own controller fails.
    viewer.controller.fail(hardwareCode: 1)
    try bench.settle()
    expect(takeNews(viewer).last, is: .ends(.hardwareFailure))
  }

  @Test("Both sides end cleanly")
  func ends() throws {
    let ball = broadcaster([1])
    let viewer = try viewer()
    _ = takeNews(viewer)
    viewer.host.unsynchronize(at: 0)
    try bench.settle()
    expect(takeNews(viewer), is: [.ends(.connectionTerminatedByLocalHost)])
    try follow(viewer)
    viewer.host.shutDown()
    ball.host.shutDown()
    try bench.settle()
    expect(viewer.host.isShutDown && ball.host.isShutDown)
    expect(bench.air.deadline, is: nil)
  }
}
