import BallTestSupport
import Expectations

@testable import BluetoothHost

/// Two devices and the links between them. Packets have random lengths and a random order, the same
/// in every run.
final class ChannelPair<Owner: ChannelApplication> {
  let left: ChannelDevice<Owner>
  let right: ChannelDevice<Owner>
  var random: FixedRandom

  init(_ left: ChannelDevice<Owner>, _ right: ChannelDevice<Owner>, seed: UInt64) {
    self.left = left
    self.right = right
    random = FixedRandom(seed: seed)
  }

  /// Carries up to `count` packets. Returns their number.
  @discardableResult
  func carry(_ count: Int = .max, on link: Int = 0) -> Int {
    var carried = 0
    while carried < count {
      let (first, second) = Bool.random(using: &random) ? (left, right) : (right, left)
      guard move(from: first, to: second, on: link) || move(from: second, to: first, on: link)
      else { break }
      carried += 1
    }
    return carried
  }

  private func move(
    from sender: ChannelDevice<Owner>, to receiver: ChannelDevice<Owner>, on link: Int
  ) -> Bool {
    let length = Int.random(in: 27...251, using: &random)
    guard let packet = sender.nextPacket(on: link, length: length) else { return false }
    receiver.receive(packet.data, starts: packet.starts, on: link)
    return true
  }
}
