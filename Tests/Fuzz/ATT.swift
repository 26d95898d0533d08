// ATT PDUs from four centrals. A request gets one response; anything else gets none.
//
// A piece of the input is one PDU; the tag's low two bits are the sender. Its highest bit repeats
// the piece to 512 bytes, so that long values are reached; bit 6 first changes the database, in a
// range that the piece gives; bit 5 lets the ball defer its response.

/// Plays one input of the fuzzer ATT.
func playATT(_ pieces: consuming Pieces, on ground: inout BallGround) {
  var pieces = pieces
  while let piece = pieces.next() { play(piece, on: &ground) }
}

private func play(_ piece: Piece, on ground: inout BallGround) {
  if piece.tag & 0x40 != 0 { ground.change(piece.first, piece.last) }
  ground.responses = 0
  ground.hesitates = piece.tag & 0x20 != 0
  ground.receive(
    frame: piece.bytes, filling: piece.tag & 0x80 != 0 ? 512 : nil, channel: 0x04,
    link: piece.tag & 3)
  // Without hesitation no request is deferred, and `resume` has no effect.
  if ground.hesitates {
    demand(ground.responses <= 1, "several responses before `resume`")
    ground.hesitates = false
    ground.resume()
  }
  if piece.bytes.isEmpty || isNeverAnswered(piece.first) {
    demand(ground.responses == 0, "a response to a PDU that is no request")
  } else if piece.first & 1 == 0 {
    demand(ground.responses == 1, "a request without its one response")
  } else {
    demand(ground.responses <= 1, "several responses to an unknown PDU")
  }
}

/// Commands (bit 6), the confirmation, and server PDUs. Core Specification, Vol 3, Part F, 3.3.
private func isNeverAnswered(_ opcode: UInt8) -> Bool {
  switch opcode {
  case 0x1E, 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D,
    0x21, 0x23:
    true
  default: opcode & 0x40 != 0
  }
}
