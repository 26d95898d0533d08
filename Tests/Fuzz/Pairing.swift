// Pairing of two devices with an attacker, controllers that fail, and impatient users.
//
// Bit 7 of a piece's tag is the side: 0 the central, 1 the peripheral.
//
// | tag | what happens |
// | --- | --- |
// | 0x00 | the side's next PDU arrives |
// | 0x01 | it is lost |
// | 0x02 | it arrives twice |
// | 0x03 | it arrives changed: the first byte is the position, the second the flipped bits; cut
// there if 0 |
// | 0x04 | the side gets the piece as a PDU |
// | 0x05, 0x06 | the side pairs; encrypts with its bond |
// | 0x07 | its user confirms (1) or rejects (0) |
// | 0x08 | its user enters the piece as a number, or nothing |
// | 0x09 | its user enters the number that the other device shows |
// | 0x0A | its policy, from two bytes |
// | 0x0B | it forgets a bond |
// | 0x10 | the controllers encrypt; with a byte, that of the central refuses with it |
// | 0x11, 0x12 | the link is lost; is made |
// | 0x13 | time passes: 200 ms times the first byte |
// | 0x14 | all act properly until no packet is left |

/// Plays one input of the fuzzer Pairing.
func playPairing(_ pieces: consuming Pieces, on ground: inout PairingGround) {
  var pieces = pieces
  while let piece = pieces.next() {
    let strongest = ground.strengths
    play(piece, on: &ground)
    ground.check()
    if piece.tag & 0x7F != 0x0B { ground.demandNothingWeaker(than: strongest) }
  }
  finish(&ground)
}

private func play(_ piece: borrowing Piece, on ground: inout PairingGround) {
  let isCentral = piece.tag & 0x80 == 0
  switch piece.tag & 0x7F {
  case 0x00...0x03: playPDU(piece, on: &ground)
  case 0x04: ground.give(piece.bytes, toCentral: isCentral)
  case 0x05:
    if isCentral {
      _ = ground.central.pair(at: 0, at: ground.now)
    } else {
      _ = ground.peripheral.pair(at: 0, at: ground.now)
    }
  case 0x06:
    if isCentral {
      _ = ground.central.secure(at: 0, at: ground.now)
    } else {
      _ = ground.peripheral.secure(at: 0, at: ground.now)
    }
  case 0x07: ground.confirm(piece.first & 1 == 1, atCentral: isCentral)
  case 0x08:
    var reader = ByteReader(piece.bytes)
    ground.enter(reader.readUInt32(), atCentral: isCentral)
  case 0x09:
    let shown = isCentral ? ground.peripheral.delegate.shown : ground.central.delegate.shown
    ground.enter(shown, atCentral: isCentral)
  case 0x0A:
    if isCentral {
      ground.central.policy = policy(piece)
    } else {
      ground.peripheral.policy = policy(piece)
    }
  case 0x0B:
    if isCentral {
      ground.central.removeBond(at: 0)
    } else {
      ground.peripheral.removeBond(at: 0)
    }
  case 0x10:
    let refusal = piece.first == 0 ? nil : HCIErrorCode(rawValue: piece.first)
    ground.encrypt(refusal: refusal)
  case 0x11: ground.disconnect()
  case 0x12: ground.connect()
  case 0x13: ground.pass(milliseconds: UInt32(piece.first) * 200)
  case 0x14: ground.settle()
  default: ground.work()
  }
}

/// Delivers, changes or drops a PDU.
private func playPDU(_ piece: borrowing Piece, on ground: inout PairingGround) {
  let fromCentral = piece.tag & 0x80 == 0
  var pdu = ground.takePDU(fromCentral: fromCentral)
  guard pdu.count > 0 else { return }
  switch piece.tag & 0x7F {
  case 0x01: return
  case 0x02: ground.give(pdu.span, toCentral: !fromCentral)
  case 0x03:
    let position = Int(piece.first) % pdu.count
    let flipped = piece.last
    if flipped == 0 {
      ground.give(pdu.span.extracting(first: position), toCentral: !fromCentral)
      return
    }
    var changed = ByteBuffer<65>()
    changed.write { writer in
      for index in 0..<pdu.count {
        writer.write(index == position ? pdu.span[index] ^ flipped : pdu.span[index])
      }
    }
    pdu = changed
  default: break
  }
  ground.give(pdu.span, toCentral: !fromCentral)
}

/// A policy for the next pairing.
private func policy(_ piece: borrowing Piece) -> PairingPolicy {
  let bits = piece.last
  return PairingPolicy(
    isOpen: bits & 0x01 == 0,
    ioCapability: IOCapability(rawValue: piece.first % 5) ?? .noInputNoOutput,
    authentication: bits & 0x02 == 0 ? .wherePossible : bits & 0x04 == 0 ? .required : .optional,
    secureConnections: bits & 0x08 == 0
      ? .wherePossible : bits & 0x10 == 0 ? .required : .notOffered,
    bonds: bits & 0x20 == 0, confirmsJustWorks: bits & 0x40 != 0)
}

/// In any state a pairing ends in time, and two honest devices can pair afterwards.
private func finish(_ ground: inout PairingGround) {
  for _ in 0..<4 { ground.pass(milliseconds: 40_000) }
  demand(ground.central.pairingIndex == nil, "a pairing of the central that never ends")
  demand(ground.peripheral.pairingIndex == nil, "a pairing of the peripheral that never ends")
  ground.disconnect()
  ground.check()
  for _ in 0..<2 {
    ground.central.removeBond(at: 0)
    ground.peripheral.removeBond(at: 0)
  }
  ground.central.policy = PairingPolicy()
  ground.peripheral.policy = PairingPolicy()
  ground.pass(milliseconds: 100_000)
  ground.connect()
  demand(ground.central.pair(at: 0, at: ground.now), "a central that no longer pairs")
  ground.settle()
  ground.check()
  demand(
    ground.central.security(at: 0).contains(.encrypted)
      && ground.peripheral.security(at: 0).contains(.encrypted),
    "two honest devices that do not pair")
}

extension PairingGround {
  /// The bonds of both devices.
  fileprivate var strengths: (InlineArray<2, Bond?>, InlineArray<2, Bond?>) {
    (InlineArray { central.bonds.bond(at: $0) }, InlineArray { peripheral.bonds.bond(at: $0) })
  }

  /// A bond with a peer has at least the protection of the previous one.
  fileprivate func demandNothingWeaker(
    than before: (InlineArray<2, Bond?>, InlineArray<2, Bond?>)
  ) {
    for index in 0..<2 {
      if let old = before.0[index], let number = central.bonds.index(of: old.identityAddress),
        let new = central.bonds.bond(at: number)
      {
        demand(!new.isWeaker(than: old), "a bond of the central that has become weaker")
      }
      if let old = before.1[index], let number = peripheral.bonds.index(of: old.identityAddress),
        let new = peripheral.bonds.bond(at: number)
      {
        demand(!new.isWeaker(than: old), "a bond of the peripheral that has become weaker")
      }
    }
  }
}
