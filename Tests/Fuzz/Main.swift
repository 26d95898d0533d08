// All fuzzers in one program, so that the core is compiled for them once. Its file name chooses the
// fuzzer; scripts/fuzz makes a link for each.

import Glibc

private enum Fuzzer: String {
  case hci = "HCI"
  case att = "ATT"
  case l2cap = "L2CAP"

  /// Where every input starts.
  func makeGround() -> Ground {
    switch self {
    case .hci: .started(followsLinks: false)
    case .att, .l2cap: .withFourLinks()
    }
  }

  func play(_ pieces: consuming Pieces, on ground: inout Ground) {
    switch self {
    case .hci: playHCI(pieces, on: &ground)
    case .att: playATT(pieces, on: &ground)
    case .l2cap: playL2CAP(pieces, on: &ground)
    }
  }
}

private let fuzzer: Fuzzer = {
  let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  guard let fuzzer = Fuzzer(rawValue: name) else {
    print("There is no fuzzer \(name). The program's file name must be HCI, ATT or L2CAP.")
    exit(2)
  }
  return fuzzer
}()

private let start = StartingGround(fuzzer.makeGround)

/// One input, as libFuzzer hands it over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe UnsafeBufferPointer(start: bytes, count: count)
  let ground = unsafe start.restored()
  unsafe fuzzer.play(Pieces(input.span), on: &ground.pointee)
  return 0
}
