// Packets from a faulty controller: events and data, in any order, of any length.
//
// A piece of the input is a packet, type byte first, unless its tag says otherwise.

/// Plays one input of the fuzzer HCI.
func playHCI(_ pieces: consuming Pieces, on ground: inout BallGround) {
  var pieces = pieces
  while let piece = pieces.next() {
    switch piece.tag {
    case 0xF0: ground.isObliging.toggle()
    case 0xF1: ground.restart()
    case 0xF2: ground.connect(piece.first & 3)
    case 0xF3: ground.pass(milliseconds: UInt32(piece.first) * 100)
    default: ground.receive(piece.bytes)
    }
  }
}
