import Testing

@testable import BluetoothHost

/// A request that the application puts off, and the response that it gets in the end.
private let requests = [
  Exchange("a read", [0x0A, 0x0D, 0x00], [0x0B] + Array(counting: 22)),
  Exchange("a read of a part", [0x0C, 0x0D, 0x00, 22, 0x00], [0x0D] + Array(22..<44)),
  Exchange(
    "a read by type, whose first value is known: 2 + 1 = 3 bytes each",
    [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A],
    [0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64]),
  Exchange(
    "a read of several values, the last of them put off",
    [0x0E, 0x16, 0x00, 0x10, 0x00], [0x0F, 0x64, 0x07]),
  Exchange(
    "the same with their lengths",
    [0x20, 0x16, 0x00, 0x10, 0x00], [0x21, 1, 0, 0x64, 1, 0, 0x07]),
  Exchange(
    "a search by value", [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x07],
    [0x07, 0x10, 0x00, 0x10, 0x00]),
  Exchange("a write", [0x12, 0x0D, 0x00, 0x01], [0x13]),
]

@Suite("ATT server: answers that come later")
struct PutOffTests {
  @Test("A request that is put off is answered when it is resumed", arguments: requests)
  func resume(exchange: Exchange) {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange(exchange.request) == [])
    #expect(isPutOff(controller))
    controller.pass(milliseconds: 10_000)
    #expect(controller.pdus() == [])
    controller.host.server.application.isBusy = false
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [exchange.response])
    #expect(!isPutOff(controller))
    // And the next is answered at once.
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A request may be put off again, and be refused in the end", arguments: requests)
  func refusal(exchange: Exchange) {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange(exchange.request) == [])
    controller.host.resume(at: 0)
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [])
    controller.host.server.application.refusal = .insufficientResources
    controller.host.resume(at: 0)
    controller.run()
    let opcode = exchange.request[0]
    switch opcode {
    case 0x06:
      // What cannot be read has no value to compare.
      #expect(controller.pdus() == [error(0x06, 0x0001, .attributeNotFound)])
    default:
      let handle: UInt16 = [0x08, 0x0E, 0x20].contains(opcode) ? 0x0010 : 0x000D
      #expect(controller.pdus() == [error(opcode, handle, .insufficientResources)])
    }
  }

  @Test("In a list of values, one that is put off is waited for, and not left out")
  func laterInList() {
    let controller = connectedController()
    controller.host.server.application.busyWith = .level
    // From 0x0010 on: level, put off, then two that are known.
    #expect(controller.exchange([0x08, 0x10, 0x00, 0xFF, 0xFF, 0x19, 0x2A]) == [])
    controller.host.server.application.busyWith = nil
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [[0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64]])
  }

  @Test("An application is told from which byte on a value is read")
  func offsets() {
    let controller = connectedController()
    controller.expect([0x0C, 0x0D, 0x00, 88, 0x00], gives: [0x0D] + Array(88..<100))
    controller.expect([0x0A, 0x0D, 0x00], gives: [0x0B] + Array(0..<22))
    #expect(controller.host.server.application.offsets == [88, 0])
  }

  @Test("A second request while one waits is ignored; the first is answered")
  func secondRequest() {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
    controller.host.server.application.isBusy = false
    #expect(controller.exchange([0x0A, 0x16, 0x00]) == [])
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [[0x0B] + [UInt8](counting: 22)])
  }

  @Test("Commands, confirmations and updates pass while a request waits")
  func whileWaiting() {
    let controller = connectedController()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.expect([0x12, 0x11, 0x00, 0x02, 0x00], gives: [0x13])
    controller.forgetWhatWasSent()
    controller.host.server.application.busyWith = .alert
    #expect(controller.exchange([0x12, 0x14, 0x00, 0x02]) == [])
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x07]) == [])
    #expect(controller.writes == [[0x07]])
    controller.host.server.application.updates = [
      .init(place: 0, attribute: .level, value: [0x05]),
      .init(place: 0, attribute: .text, value: [0x06]),
    ]
    controller.run()
    #expect(controller.pdus() == [[0x1D, 0x10, 0x00, 0x05]])
    controller.expect([0x1E], gives: [0x1B, 0x0D, 0x00, 0x06])
    controller.host.server.application.busyWith = nil
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus().last == [0x13])
    #expect(controller.writes == [[0x07], [0x02]])
  }

  @Test("A command that is put off is forgotten")
  func command() {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x01]) == [])
    #expect(!isPutOff(controller))
    controller.host.server.application.isBusy = false
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.writes == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("To resume nothing does nothing, wherever", arguments: [-1, 0, 1, 2, .max])
  func nothing(place: Int) {
    let controller = connectedController()
    controller.host.resume(at: place)
    controller.run()
    #expect(controller.pdus() == [])
    let isPutOff = controller.host.server.isPutOff(at: place)
    #expect(!isPutOff)
  }

  @Test("To resume while a response waits for a buffer leaves the response as it is")
  func unsentResponse() {
    let controller = connectedController()
    controller.behaviour.completesPackets = false
    // Four buffers: three for this link, and one for a link that may come.
    for _ in 0..<4 { controller.send([0x0A, 0x16, 0x00]) }
    #expect(controller.pdus().count == 3)
    controller.host.resume(at: 0)
    controller.completePackets(of: 0x40)
    controller.run()
    #expect(controller.pdus() == [[UInt8]](repeating: [0x0B, 0x64], count: 4))
  }

  @Test("What waits is forgotten with its link; the next central owes nothing")
  func disconnect() {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
    controller.disconnect()
    controller.connect()
    controller.host.server.application.isBusy = false
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("One central that waits keeps no other waiting")
  func otherCentral() {
    let controller = connectedController()
    controller.connect(0x41)
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
    controller.host.server.application.isBusy = false
    controller.expect([0x0A, 0x10, 0x00], gives: [0x0B, 0x07], on: 0x41)
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus() == [[0x0B] + [UInt8](counting: 22)])
  }

  @Test("A request of 517 bytes is kept whole")
  func longest() {
    let controller = connectedController(mtu: 517)
    let value = [UInt8](counting: 512)
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x12, 0x0D, 0x00] + value) == [])
    controller.host.server.application.isBusy = false
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.writes == [value])
    #expect(controller.pdus().last == [0x13])
  }

  private func isPutOff(_ controller: ScriptedController<2>) -> Bool {
    controller.host.server.isPutOff(at: 0)
  }
}

@Suite("ATT server: the end of a write")
struct WriteEndTests {
  /// A Prepare Write Request.
  private func prepare(_ handle: UInt8, _ offset: UInt8, _ part: [UInt8]) -> [UInt8] {
    [0x16, handle, 0x00, offset, 0x00] + part
  }

  private func noting() -> ScriptedController<2> {
    let controller = connectedController()
    controller.host.server.application.notesEndings = true
    controller.events = []
    return controller
  }

  @Test("It follows the value of a Write Request, and that of a Write Command")
  func single() {
    let controller = noting()
    controller.expect([0x12, 0x0D, 0x00, 0x01], gives: [0x13])
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x02]) == [])
    #expect(
      controller.events == [
        .wrote([0x01], .text, 0), .endedWrite(0, isCommand: false),
        .wrote([0x02], .text, 0), .endedWrite(0, isCommand: true),
      ])
  }

  @Test("It is not told of what is none of the application's")
  func notApplications() {
    let controller = noting()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.expect([0x12, 0x09, 0x00, 0x01], gives: [0x13])
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.events == [.configured(.text, 0, .notification)])
  }

  @Test("It comes once, after all values of an Execute Write")
  func several() {
    let controller = noting()
    for part in [prepare(0x0D, 0, [1, 2]), prepare(0x0D, 2, [3]), prepare(0x14, 0, [4])] {
      controller.expect(part, gives: [0x17] + part.dropFirst())
    }
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(
      controller.events == [
        .wrote([1, 2, 3], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false),
      ])
  }

  @Test("An Execute Write that is put off keeps its parts, and writes them again")
  func executeLater() {
    let controller = noting()
    for part in [prepare(0x0D, 0, [1, 2]), prepare(0x14, 0, [4])] {
      controller.expect(part, gives: [0x17] + part.dropFirst())
    }
    controller.host.server.application.ending = .later
    #expect(controller.exchange([0x18, 0x01]) == [])
    controller.events = []
    controller.host.server.application.ending = nil
    controller.host.resume(at: 0)
    controller.run()
    #expect(controller.pdus().last == [0x19])
    #expect(
      controller.events == [
        .wrote([1, 2], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false),
      ])
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.events.count == 3)
  }

  @Test("A refusal at the end is the request's; the first attribute of it is at fault")
  func refusal() {
    let controller = noting()
    controller.host.server.application.ending = .error(.insufficientResources)
    controller.expect(
      [0x12, 0x14, 0x00, 0x01], gives: error(0x12, 0x0014, .insufficientResources))
    for part in [prepare(0x0D, 0, [1, 2]), prepare(0x14, 0, [4])] {
      controller.expect(part, gives: [0x17] + part.dropFirst())
    }
    controller.expect([0x18, 0x01], gives: error(0x18, 0x000D, .insufficientResources))
    // A command gets no answer. The queue is empty again.
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x02]) == [])
    controller.host.server.application.ending = nil
    controller.events = []
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.events == [])
  }
}
