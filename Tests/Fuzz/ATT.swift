// ATT PDUs from four centrals. A request gets one response; anything else gets none.
//
// A piece of the input is one PDU; the tag's low two bits say from whom. Its highest bit has the PDU
// be 512 bytes made of the piece over and over, so that long values are within reach; bit 6 has the
// database change before, in a range that the piece gives; bit 5 has the ball put its answer off.

/// One input, as libFuzzer hands it over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var pieces = unsafe Pieces(start, count)
  var ground = Ground()
  ground.pass(milliseconds: 1)
  for link: UInt8 in 0..<4 { ground.connect(link) }
  while let (tag, bytes) = pieces.next() {
    var pdu = bytes
    if tag & 0x80 != 0, let first = bytes.first {
      pdu = [first] + (0..<511).map { bytes[bytes.startIndex + $0 % bytes.count] }
    }
    if tag & 0x40 != 0 { ground.change(bytes.first ?? 0, bytes.last ?? 0) }
    ground.responses = 0
    ground.hesitates = tag & 0x20 != 0
    ground.receive(frame: pdu, channel: 0x04, link: tag & 3)
    demand(!ground.hesitates || ground.responses <= 1, "several responses before the last word")
    ground.hesitates = false
    ground.resume()
    let opcode = pdu.first ?? 0x00
    if pdu.isEmpty || isNeverAnswered(opcode) {
      demand(ground.responses == 0, "a response to what is no request")
    } else if opcode & 1 == 0 {
      demand(ground.responses == 1, "a request without its one response")
    } else {
      demand(ground.responses <= 1, "several responses to an unknown PDU")
    }
  }
  return 0
}

/// Commands (bit 6), the confirmation, and what a server sends. Core Specification, Vol 3, Part F,
/// 3.3.
private func isNeverAnswered(_ opcode: UInt8) -> Bool {
  switch opcode {
  case 0x1E, 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D,
    0x21, 0x23:
    true
  default: opcode & 0x40 != 0
  }
}
