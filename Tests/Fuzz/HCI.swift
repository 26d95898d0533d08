// Packets from a controller that may lie: events, data, in any order, of any length.
//
// A piece of the input is a packet, type byte first, unless its tag says otherwise.

/// One input, as libFuzzer hands it over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var pieces = unsafe Pieces(start, count)
  var ground = Ground()
  ground.followsLinks = false
  ground.pass(milliseconds: 1)
  while let (tag, bytes) = pieces.next() {
    switch tag {
    case 0xF0: ground.isObliging.toggle()
    case 0xF1: ground.restart()
    case 0xF2: ground.connect((bytes.first ?? 0) & 3)
    case 0xF3: ground.pass(milliseconds: UInt32(bytes.first ?? 0) * 100)
    default: ground.receive(Array(bytes))
    }
  }
  return 0
}
