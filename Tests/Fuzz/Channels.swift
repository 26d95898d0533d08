// Channels with faulty peers: signalling and K-frames in any order, with a delegate that opens,
// sends, takes and closes.
//
// The low two bits of a piece's tag are the link. Of the others:
//
// | tag | what the piece is |
// | --- | --- |
// | 0x00 … 0x1F | a signalling command of the peer |
// | 0x20 … 0x3F | the data of the response to the host's last request about a channel |
// | 0x40 … 0x5F | a K-frame: the low six bits of its first byte are the CID's; with bit 4 of the tag, 502 bytes |
// | 0x60 … 0x7F | one ACL packet, its boundary flag in bits 2 and 3 of the tag |
// | 0x80 … 0x9F | the delegate: see below |
// | 0xA0 … 0xBF | the link is replaced |
// | 0xF0 … 0xFF | the controller and the time |

/// A host with a server, which has channels.
typealias ChannelGround = Ground<
  GATTServer<4, GATTDatabase<32>, HesitantBall>, NoClient, CreditBasedChannels<4, 8, Courier>
>

extension Ground
where
  Server == GATTServer<4, GATTDatabase<32>, HesitantBall>, Client == NoClient,
  Channels == CreditBasedChannels<4, 8, Courier>
{
  /// A host that has started up and has four links.
  static func withFourLinks() -> Ground {
    var ground = Ground(
      server: .hesitant, client: NoClient(),
      channels: CreditBasedChannels(application: Courier(), mps: .twoPackets),
      followsLinks: true)
    for link: UInt8 in 0..<4 { ground.connect(link) }
    return ground
  }

  /// The delegate acts: 0 opens one channel and 255 several, 1 closes, 2 takes the received data,
  /// the others send.
  fileprivate mutating func own(_ piece: borrowing Piece, at link: Int) {
    let channel = Int(piece.last % 8)
    switch piece.first {
    case 0:
      if let opened = host.channels.open(.firstDynamic, mtu: .minimum, at: link) {
        host.channels.application.begin(opened)
      }
    case .max:
      var opened =
        host.channels.open(
          1 &+ Int(piece.last % 5), of: .firstDynamic, mtu: ChannelMTU(64) ?? .minimum, at: link)
        ?? .none
      while let channel = opened.first(from: 0) {
        opened.remove(channel)
        host.channels.application.begin(channel)
      }
    case 1: host.channels.disconnect(channel)
    case 2:
      host.channels.application.drain(channel)
      host.channels.resume(channel)
    default:
      host.channels.application.send(Int(piece.first) &* 5, on: channel)
      host.channels.resume(channel)
    }
    drain()
  }

  /// The peer responds to the host's last request.
  fileprivate mutating func respond(_ data: Span<UInt8>, at link: UInt8) {
    let signal = signals[Int(link)]
    guard signal.code != 0 else { return }
    var storage = InlineArray<260, UInt8>(repeating: 0)
    var writer = ByteWriter(storage.mutableSpan)
    writer.write(signal.code &+ 1)
    writer.write(signal.identifier)
    if signal.code == 0x06 {
      writer.write(4 as UInt16)
      for index in 0..<4 { writer.write(signal.cids[index]) }
    } else {
      writer.write(UInt16(data.count))
      writer.write(data)
    }
    let count = writer.count
    receive(frame: storage.span.extracting(first: count), channel: 0x05, link: link)
  }
}

/// Plays one input of the fuzzer Channels.
func playChannels(_ pieces: consuming Pieces, on ground: inout ChannelGround) {
  var pieces = pieces
  var wasSilent = false
  while let piece = pieces.next() {
    let link = piece.tag & 3
    switch piece.tag {
    case 0x00...0x1F: ground.receive(frame: piece.bytes, channel: 0x05, link: link)
    case 0x20...0x3F: ground.respond(piece.bytes, at: link)
    case 0x40...0x5F:
      guard !piece.bytes.isEmpty else { continue }
      ground.receive(
        frame: piece.bytes.extracting(1...), filling: piece.tag & 0x10 != 0 ? 502 : nil,
        channel: 0x40 | piece.first & 0x3F, link: link)
    case 0x60...0x7F:
      ground.receive(fragment: piece.bytes, boundary: (piece.tag >> 2) & 3, link: link)
    case 0x80...0x9F: ground.own(piece, at: Int(link))
    case 0xA0...0xBF: ground.connect(link)
    case 0xF0: ground.isObliging.toggle()
    case 0xF1: ground.restart()
    default: ground.pass(milliseconds: UInt32(piece.first) * 200)
    }
    // A controller that was silent may never return some buffers.
    wasSilent = wasSilent || !ground.isObliging
    demand(
      wasSilent || ground.host.channels.pendingConnections.isEmpty,
      "channels that always have something to send")
  }
  finish(&ground)
}

/// The peers are silent: every request ends, and every channel with its link.
private func finish(_ ground: inout ChannelGround) {
  ground.isObliging = true
  for _ in 0..<4 { ground.pass(milliseconds: 31_000) }
  demand(ground.host.channels.deadline == nil, "a request that never ends")
  demand(
    ground.host.channels.count == ground.host.channels.application.count,
    "the host's and the delegate's channels differ")
  ground.restart()
  demand(ground.host.channels.count == 0, "a channel without a link")
  demand(ground.host.channels.application.count == 0, "a channel whose end was not reported")
}
