/// A ball that puts off what it is asked, while it hesitates.
struct HesitantBall: GATTApplication, ~Copyable {
  var ball = Ball<4>(seed: 8)
  var hesitates = false

  mutating func centralConnected(at place: Int, address: DeviceAddress) {
    ball.centralConnected(at: place, address: address)
  }

  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    ball.centralDisconnected(at: place, reason: reason)
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    ball.configurationChanged(of: attribute, at: place, to: configuration)
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if hesitates { throw .later }
    try ball.read(attribute, at: place, from: offset, into: &value)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    try ball.write(value, to: attribute, at: place)
  }

  mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal) {
    if hesitates { throw .later }
  }

  func pendingUpdate(at place: Int) -> ApplicationAttribute? { ball.pendingUpdate(at: place) }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    ball.writeUpdate(of: attribute, at: place, into: &value)
  }

  mutating func radioChanged(to state: RadioState) { ball.radioChanged(to: state) }
}
