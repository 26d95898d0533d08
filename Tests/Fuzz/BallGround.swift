// The ground of the fuzzers of a server: a ball that hesitates.

/// A host that only serves.
typealias BallGround = Ground<GATTServer<4, GATTDatabase<32>, HesitantBall>, NoClient, NoChannels>

extension Ground
where
  Server == GATTServer<4, GATTDatabase<32>, HesitantBall>, Client: ~Copyable, Channels: ~Copyable
{
  /// Whether requests that reach the ball are put off.
  var hesitates: Bool {
    get { host.server.application.hesitates }
    set { host.server.application.hesitates = newValue }
  }

  /// The requests that were put off can be answered.
  mutating func resume() {
    for place in -1...4 { host.resume(at: place) }
    drain()
  }

  /// The services from one handle to another have changed.
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

extension GATTServer where Database == GATTDatabase<32>, Application == HesitantBall {
  static var hesitant: GATTServer {
    GATTServer(database: BallProfile.makeDatabase(), application: HesitantBall())
  }
}

/// A role, or an application, that may have something to take back after each step.
protocol Settling: ~Copyable {
  mutating func settle()
}

extension GATTServer: Settling
where Database: ~Copyable, Application: Settling, Application: ~Copyable {
  mutating func settle() { application.settle() }
}

extension GATTClient: Settling where Application: Settling, Application: ~Copyable {
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
