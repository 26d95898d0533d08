import Testing

@testable import BluetoothHost

/// A request that the application defers, and its response.
private let requests = [
  Exchange("a read", [0x0A, 0x0D, 0x00], [0x0B] + Array(counting: 22)),
  Exchange("a read of a part", [0x0C, 0x0D, 0x00, 22, 0x00], [0x0D] + Array(22..<44)),
  Exchange(
    "a read by type, its first value deferred: 2 + 1 = 3 bytes each",
    [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A],
    [0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64]),
  Exchange(
    "a read of several values, the last one deferred",
    [0x0E, 0x16, 0x00, 0x10, 0x00], [0x0F, 0x64, 0x07]),
  Exchange(
    "the same with their lengths",
    [0x20, 0x16, 0x00, 0x10, 0x00], [0x21, 1, 0, 0x64, 1, 0, 0x07]),
  Exchange(
    "a search by value", [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x07],
    [0x07, 0x10, 0x00, 0x10, 0x00]),
  Exchange("a write", [0x12, 0x0D, 0x00, 0x01], [0x13]),
]

@Suite("ATT server: deferred responses")
struct DeferralTests {
  @Test("A deferred request is answered when it is resumed", arguments: requests)
  func resume(exchange: Exchange) {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange(exchange.request) == [])
    #expect(isDeferred(controller))
    controller.pass(milliseconds: 10_000)
    #expect(controller.pdus() == [])
    controller.resume()
    #expect(controller.pdus() == [exchange.response])
    #expect(!isDeferred(controller))
    // The next request is answered at once.
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A request may be deferred again, and then be refused", arguments: requests)
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
      // A value that cannot be read does not match.
      #expect(controller.pdus() == [error(0x06, 0x0001, .attributeNotFound)])
    default:
      let handle: UInt16 = [0x08, 0x0E, 0x20].contains(opcode) ? 0x0010 : 0x000D
      #expect(controller.pdus() == [error(opcode, handle, .insufficientResources)])
    }
  }

  @Test("A list of values waits for a deferred value")
  func laterInList() {
    let controller = connectedController()
    controller.host.server.application.busyWith = .level
    // From 0x0010: level, which is deferred, then two numbers.
    #expect(controller.exchange([0x08, 0x10, 0x00, 0xFF, 0xFF, 0x19, 0x2A]) == [])
    controller.resume()
    #expect(controller.pdus() == [[0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64]])
  }

  @Test("The application gets the offset of a read")
  func offsets() {
    let controller = connectedController()
    controller.expect([0x0C, 0x0D, 0x00, 88, 0x00], gives: [0x0D] + Array(88..<100))
    controller.expect([0x0A, 0x0D, 0x00], gives: [0x0B] + Array(0..<22))
    #expect(controller.host.server.application.offsets == [88, 0])
  }

  @Test("A second request is ignored while one is deferred; the first is answered")
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

  @Test("Commands, confirmations and updates pass while a request is deferred")
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
      .init(connectionIndex: 0, attribute: .level, value: [0x05]),
      .init(connectionIndex: 0, attribute: .text, value: [0x06]),
    ]
    controller.run()
    #expect(controller.pdus() == [[0x1D, 0x10, 0x00, 0x05]])
    controller.expect([0x1E], gives: [0x1B, 0x0D, 0x00, 0x06])
    controller.resume()
    #expect(controller.pdus().last == [0x13])
    #expect(controller.writes == [[0x07], [0x02]])
  }

  @Test("A deferred command is dropped")
  func command() {
    let controller = connectedController()
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x01]) == [])
    #expect(!isDeferred(controller))
    controller.resume()
    #expect(controller.writes == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test(
    "Resuming a connection without a deferred request does nothing", arguments: [-1, 0, 1, 2, .max])
  func nothing(connectionIndex: Int) {
    let controller = connectedController()
    controller.host.resume(at: connectionIndex)
    controller.run()
    #expect(controller.pdus() == [])
    let isPutOff = controller.host.server.isPutOff(at: connectionIndex)
    #expect(!isPutOff)
  }

  @Test("Resuming leaves a response that waits for a buffer unchanged")
  func unsentResponse() {
    let controller = connectedController()
    controller.behaviour.completesPackets = false
    // Four buffers: three for this link, and one reserved for another.
    for _ in 0..<4 { controller.send([0x0A, 0x16, 0x00]) }
    #expect(controller.pdus().count == 3)
    controller.host.resume(at: 0)
    controller.completePackets(of: 0x40)
    controller.run()
    #expect(controller.pdus() == [[UInt8]](repeating: [0x0B, 0x64], count: 4))
  }

  @Test("A deferred request holds up no other central")
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

  @Test("A deferred request of 517 bytes is kept whole")
  func longest() {
    let controller = connectedController(mtu: 517)
    let value = [UInt8](counting: 512)
    controller.host.server.application.isBusy = true
    #expect(controller.exchange([0x12, 0x0D, 0x00] + value) == [])
    controller.resume()
    #expect(controller.writes == [value])
    #expect(controller.pdus().last == [0x13])
  }

  private func isDeferred(_ controller: ScriptedController<2>) -> Bool {
    controller.host.server.isPutOff(at: 0)
  }
}

@Suite("ATT server: the end of a write")
struct WriteEndTests {
  private func recording() -> ScriptedController<2> {
    let controller = connectedController()
    controller.host.server.application.notesEndings = true
    controller.events = []
    return controller
  }

  @Test("It follows the value of a Write Request or a Write Command")
  func single() {
    let controller = recording()
    controller.expect([0x12, 0x0D, 0x00, 0x01], gives: [0x13])
    #expect(controller.exchange([0x52, 0x0D, 0x00, 0x02]) == [])
    #expect(
      controller.events == [
        .wrote([0x01], .text, 0), .endedWrite(0, isCommand: false),
        .wrote([0x02], .text, 0), .endedWrite(0, isCommand: true),
      ])
  }

  @Test("It does not follow writes of the server's own attributes")
  func notApplications() {
    let controller = recording()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.expect([0x12, 0x09, 0x00, 0x01], gives: [0x13])
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.events == [.configured(.text, 0, .notification)])
  }

  @Test("It comes once, after all values of an Execute Write")
  func several() {
    let controller = recording()
    for part in [prepare(0x0D, 0, [1, 2]), prepare(0x0D, 2, [3]), prepare(0x14, 0, [4])] {
      controller.expect(part, gives: [0x17] + part.dropFirst())
    }
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(
      controller.events == [
        .wrote([1, 2, 3], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false),
      ])
  }

  @Test("A deferred Execute Write keeps its parts, and writes them again")
  func executeLater() {
    let controller = recording()
    for part in [prepare(0x0D, 0, [1, 2]), prepare(0x14, 0, [4])] {
      controller.expect(part, gives: [0x17] + part.dropFirst())
    }
    controller.host.server.application.ending = .later
    #expect(controller.exchange([0x18, 0x01]) == [])
    controller.events = []
    controller.host.server.application.ending = nil
    controller.resume()
    #expect(controller.pdus().last == [0x19])
    #expect(
      controller.events == [
        .wrote([1, 2], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false),
      ])
    controller.expect([0x18, 0x01], gives: [0x19])
    #expect(controller.events.count == 3)
  }

  @Test("A refusal at the end refuses the request, with its first attribute's handle")
  func refusal() {
    let controller = recording()
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
