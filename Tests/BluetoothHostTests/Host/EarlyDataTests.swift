import Testing

@testable import BluetoothHost

/// USB carries data and events in different pipes, so data may precede their Connection Complete.
///
/// Symptom: such data was lost, and of six unknown handles one was ended in 2.5 s.
@Suite("Host: data before its Connection Complete")
struct EarlyDataTests {
  @Test("An early request is answered when its link is reported")
  func request() {
    let controller = ScriptedController<2>()
    controller.send([0x0A, 0x16, 0x00], on: 0x40)
    #expect(controller.frames == [])
    controller.connect(0x40)
    #expect(controller.pdus(on: 0x40) == [[0x0B, 0x64]])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A request in fragments may be split by the event", arguments: 1..<7)
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

  @Test("Early packets keep their order")
  func order() {
    let controller = ScriptedController<2>()
    // 0x52: Write Command.
    for value in 1...3 as ClosedRange<UInt8> { controller.send([0x52, 0x0D, 0x00, value]) }
    controller.connect()
    #expect(controller.writes == [[1], [2], [3]])
  }

  @Test("Two links get their own early data")
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

  @Test("Data of a link beyond the capacity do not reach another link")
  func noConnection() {
    let controller = ScriptedController<1>()
    controller.send([0x52, 0x0D, 0x00, 0x40], on: 0x40)
    controller.send([0x52, 0x0D, 0x00, 0x41], on: 0x41)
    controller.connect(0x40)
    #expect(controller.writes == [[0x40]])
  }

  @Test("A link gets its data when another ends before it is reported")
  func oneOfTwo() {
    let controller = ScriptedController<2>()
    controller.send([0x52, 0x0D, 0x00, 0x40], on: 0x40)
    controller.send([0x52, 0x0D, 0x00, 0x41], on: 0x41)
    controller.disconnect(0x40)
    controller.connect(0x41)
    #expect(controller.writes == [[0x41]])
  }

  @Test("A link gets no early data of another handle")
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

  @Test("The end of the wait discards the early data", arguments: 0..<3)
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

  @Test("521 bytes of early data are kept; more are dropped")
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

  @Test("Six unknown handles are each ended 2 s after their first data")
  func sixUnknownHandles() {
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

  @Test("More unknown handles than the host can track are ended one after the other")
  func manyUnknownHandles() {
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
