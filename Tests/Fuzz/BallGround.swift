// The ground of the server's fuzzers: a ball that hesitates.

/// A server-only host.
typealias BallGround = Ground<GATTServer<4, GATTDatabase<32>, HesitantBall>, NoClient, NoChannels>

extension Ground
where
  Server == GATTServer<4, GATTDatabase<32>, HesitantBall>, Client: ~Copyable, Channels: ~Copyable
{
  /// Whether the ball defers its responses.
  var hesitates: Bool {
    get { host.server.application.hesitates }
    set { host.server.application.hesitates = newValue }
  }

  /// Allows the deferred responses.
  mutating func resume() {
    for connectionIndex in -1...4 { host.resume(at: connectionIndex) }
    drain()
  }

  /// Reports changed services between two handles.
  mutating func change(_ start: UInt8, _ end: UInt8) {
    host.server.databaseChanged(
      in: AttributeHandleRange(
        start: AttributeHandle(rawValue: UInt16(start)),
        end: AttributeHandle(rawValue: UInt16(end))))
    drain()
  }
}

extension Ground
where
  Server == GATTServer<4, GATTDatabase<32>, HesitantBall>, Client == NoClient,
  Channels == NoChannels
{
  /// A host that has started up.
  static func started(followsLinks: Bool) -> Ground {
    Ground(
      server: .hesitant, client: NoClient(), channels: NoChannels(), followsLinks: followsLinks)
  }

  /// A host that has started up and has four links.
  static func withFourLinks() -> Ground {
    var ground = started(followsLinks: true)
    for link: UInt8 in 0..<4 { ground.connect(link) }
    return ground
  }
}

extension AdvertisingServer where Database == GATTDatabase<32>, Application == HesitantBall {
  static var hesitant: AdvertisingServer {
    AdvertisingServer(database: EightBallProfile.makeDatabase(), application: HesitantBall())
  }
}

/// A role, or an application, with something to restore after each step.
protocol Settling: ~Copyable {
  mutating func settle()
}

extension AdvertisingServer: Settling
where Database: ~Copyable, Application: Settling, Application: ~Copyable {
  mutating func settle() { application.settle() }
}

extension ScanningClient: Settling where Application: Settling, Application: ~Copyable {
  mutating func settle() { application.settle() }
}

extension NoServer: Settling {
  func settle() {}
}

extension NoClient: Settling {
  func settle() {}
}

extension HesitantBall: Settling {
  mutating func settle() {
    while ball.nextEvent() != nil {}
    _ = ball.lights
  }
}
