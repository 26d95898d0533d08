/// A ball that defers its responses while it hesitates.
struct HesitantBall: GATTApplication, ~Copyable {
  var ball = BallApplication<4>(seed: 8)
  var hesitates = false

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    ball.centralConnected(at: connectionIndex, address: address)
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    ball.centralDisconnected(at: connectionIndex, reason: reason)
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    ball.configurationChanged(of: attribute, at: connectionIndex, to: configuration)
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if hesitates { throw .later }
    try ball.read(attribute, at: connectionIndex, from: offset, into: &value)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    try ball.write(value, to: attribute, at: connectionIndex)
  }

  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {
    if hesitates { throw .later }
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    ball.pendingUpdate(at: connectionIndex)
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    ball.writeUpdate(of: attribute, at: connectionIndex, into: &value)
  }

  mutating func radioChanged(to state: RadioState) { ball.radioChanged(to: state) }
}
