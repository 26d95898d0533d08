// Fragments: frames that are cut anywhere, continued wrongly, of any length, on any channel.
//
// A piece of the input is one ACL packet; of its tag, the low two bits are the link and the next two
// the packet boundary flag.

/// Plays one input of the fuzzer L2CAP.
func playL2CAP(_ pieces: consuming Pieces, on ground: inout BallGround) {
  var pieces = pieces
  while let piece = pieces.next() {
    ground.receive(fragment: piece.bytes, boundary: (piece.tag >> 2) & 3, link: piece.tag & 3)
  }
  // After anything, a whole frame that starts now is received.
  let request: [3 of UInt8] = [0x0A, 0x03, 0x00]
  for link: UInt8 in 0..<4 {
    ground.responses = 0
    ground.receive(frame: request.span, channel: 0x04, link: link)
    demand(ground.responses == 1, "a whole frame after broken ones has no response")
  }
}
