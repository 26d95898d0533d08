import Testing

@testable import BluetoothHost

/// Over USB, data and events travel by different pipes: data may overtake its Connection Complete.
///
/// Symptom: such data was lost, and of six unknown handles one was ended in 2.5 s.
@Suite("Host: data before its Connection Complete")
struct EarlyDataTests {
  @Test("A request is answered as soon as its link is there")
  func request() {
    let controller = ScriptedController<2>()
    controller.send([0x0A, 0x16, 0x00], on: 0x40)
    #expect(controller.frames == [])
    controller.connect(0x40)
    #expect(controller.pdus(on: 0x40) == [[0x0B, 0x64]])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A request in fragments, cut anywhere between data and event", arguments: 1..<7)
  func fragments(length: Int) {
    let controller = ScriptedController<2>()
    let frame: [UInt8] = [3, 0, 0x04, 0x00, 0x0A, 0x16, 0x00]
    controller.receive(controller.acl(Array(frame[..<length]), on: 0x40))
    controller.receive(controller.acl([], on: 0x40, boundary: 0b01))
    controller.connect(0x40)
    #expect(controller.frames == [])
    controller.receive(controller.acl(Array(frame[length...]), on: 0x40, boundary: 0b01))
    #expect(controller.pdus(on: 0x40) == [[0x0B, 0x64]])
  }

  @Test("Several packets keep their order")
  func order() {
    let controller = ScriptedController<2>()
    // 0x52: Write Command.
    for value in 1...3 as ClosedRange<UInt8> { controller.send([0x52, 0x0D, 0x00, value]) }
    controller.connect()
    #expect(controller.writes == [[1], [2], [3]])
  }

  @Test("Two links at once: each gets its own")
  func twoLinks() {
    let controller = ScriptedController<2>()
    controller.send([0x52, 0x0D, 0x00, 0x40], on: 0x40)
    controller.send([0x52, 0x0D, 0x00, 0x41], on: 0x41)
    controller.connect(0x41)
    #expect(controller.writes == [[0x41]])
    controller.connect(0x40)
    #expect(controller.writes == [[0x41], [0x40]])
    controller.pass(milliseconds: 10_000)
    #expect(controller.parameters(of: .disconnect) == [])
  }

  @Test("Data of a link for which there is no place left are not kept as those of another")
  func noPlace() {
    let controller = ScriptedController<1>()
    controller.send([0x52, 0x0D, 0x00, 0x40], on: 0x40)
    controller.send([0x52, 0x0D, 0x00, 0x41], on: 0x41)
    controller.connect(0x40)
    #expect(controller.writes == [[0x40]])
  }

  @Test("Of two links at once one ends before it is there: the other gets its own")
  func oneOfTwo() {
    let controller = ScriptedController<2>()
    controller.send([0x52, 0x0D, 0x00, 0x40], on: 0x40)
    controller.send([0x52, 0x0D, 0x00, 0x41], on: 0x41)
    controller.disconnect(0x40)
    controller.connect(0x41)
    #expect(controller.writes == [[0x41]])
  }

  @Test("A link whose data did not come early gets none of another's, in whichever place it is")
  func otherLink() {
    let controller = ScriptedController<2>()
    controller.send([0x52, 0x0D, 0x00, 0x77], on: 0x77)
    controller.connect(0x40)
    controller.connect(0x41)
    controller.pass(milliseconds: 2_000)
    #expect(controller.writes == [])
    #expect(controller.parameters(of: .disconnect) == [[0x77, 0x00, 0x13]])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
  }

  @Test("What ends the wait ends what was kept", arguments: 0..<3)
  func forgotten(end: Int) {
    let controller = ScriptedController<2>()
    controller.send([0x52, 0x0D, 0x00, 0x77], on: 0x40)
    switch end {
    case 0: controller.disconnect(0x40)
    case 1: controller.pass(milliseconds: 2_000)
    default: controller.start()
    }
    controller.connect(0x40)
    #expect(controller.writes == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("More than 521 bytes are not kept; those before them are")
  func tooMuch() {
    let controller = ScriptedController<1>()
    // 5 (HCI) + 4 (L2CAP) + 3 (ATT) + 20 = 32 bytes: 16 × 32 = 512
    for value in 0..<30 as Range<UInt8> {
      controller.send([0x52, 0x0D, 0x00] + [UInt8](repeating: value, count: 20))
    }
    controller.connect()
    #expect(controller.writes.map(\.first) == (0..<16 as Range<UInt8>).map(Optional.init))
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("Six handles that the host knows nothing of are all ended 2 s after their first data")
  func sixStrangers() {
    let controller = ScriptedController<2>()
    let handles = (0x70..<0x76 as Range<UInt16>)
    for handle in handles {
      controller.send([0x0A, 0x16, 0x00], on: handle)
      controller.pass(milliseconds: 10)
    }
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 1_939)
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x70, 0x00, 0x13]])
    for _ in 1..<6 { controller.pass(milliseconds: 10) }
    #expect(
      controller.parameters(of: .disconnect) == handles.map { [UInt8($0), 0x00, 0x13] })
    controller.connect(0x40)
    controller.connect(0x41)
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
  }

  @Test("More handles than can be remembered are ended one after the other")
  func manyStrangers() {
    let controller = ScriptedController<1>()
    for _ in 0..<20 {
      for handle in 0x70..<0x90 as Range<UInt16> {
        let hasEnded = controller.parameters(of: .disconnect).contains { $0[0] == UInt8(handle) }
        if !hasEnded { controller.send([0x0A, 0x16, 0x00], on: handle) }
      }
      controller.pass(milliseconds: 2_000)
    }
    #expect(Set(controller.parameters(of: .disconnect).map { $0[0] }) == Set(0x70..<0x90))
  }
}
