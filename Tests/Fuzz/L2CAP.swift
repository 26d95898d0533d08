// Fragments: frames cut anywhere, continued by the wrong piece, of any length, on any channel.
//
// A piece of the input is one ACL packet; of its tag, the low two bits are the link and the next two
// the packet boundary flag.

/// One input, as libFuzzer hands it over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var pieces = unsafe Pieces(start, count)
  var ground = Ground()
  ground.pass(milliseconds: 1)
  for link: UInt8 in 0..<4 { ground.connect(link) }
  while let (tag, bytes) = pieces.next() {
    ground.receive(fragment: bytes, boundary: (tag >> 2) & 3, link: tag & 3)
  }
  // Whatever came before, a whole frame that starts now is heard.
  for link: UInt8 in 0..<4 {
    ground.responses = 0
    ground.receive(frame: [0x0A, 0x03, 0x00], channel: 0x04, link: link)
    demand(ground.responses == 1, "a whole frame after broken ones is not heard")
  }
  return 0
}
