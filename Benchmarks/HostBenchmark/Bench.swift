import BluetoothHost
import EightBall

let benchConfiguration = HostConfiguration(
  name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .public)

/// A host with a controller and centrals that consist of bytes only. The last central asks.
struct Bench<let capacity: Int, let attributeCount: Int>: ~Copyable {
  private var host: Peripheral<capacity, GATTDatabase<attributeCount>, BallApplication<capacity>>
  /// The link of the central that asks.
  private var link: UInt16 = 0x40
  private var output = InlineArray<600, UInt8>(repeating: 0)
  private let now = Instant(rawValue: 0)
  private var question: InlineArray<52, UInt8>
  private var unsubscribe: InlineArray<14, UInt8>
  private var notifications = 0
  private var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)

  init(
    _ host:
      consuming Peripheral<capacity, GATTDatabase<attributeCount>, BallApplication<capacity>>
  ) {
    let questionHandle = host.server.handle(of: .question)
    let cccd = AttributeHandle(rawValue: host.server.handle(of: .answer).rawValue + 1)
    var question = InlineArray<52, UInt8>(repeating: 0)
    var text = InlineArray<40, UInt8>(repeating: UInt8(ascii: "a"))
    text[39] = UInt8(ascii: "?")
    question.write { WriteRequest(handle: questionHandle, value: text.span).write(to: &$0) }
    self.question = question
    let zero = InlineArray<2, UInt8>(repeating: 0)
    var unsubscribe = InlineArray<14, UInt8>(repeating: 0)
    unsubscribe.write { WriteRequest(handle: cccd, value: zero.span).write(to: &$0) }
    self.unsubscribe = unsubscribe
    self.host = host
  }

  /// Sets the controller up and connects `links` centrals. Each agrees on 517 bytes and subscribes.
  mutating func connect(_ links: Int) {
    host.start(at: now)
    while drain() {}
    for index in 0..<links { connect(link: 0x40 + UInt16(index)) }
    notifications = 0
  }

  private mutating func connect(link: UInt16) {
    self.link = link
    question.setLink(link)
    unsubscribe.setLink(link)
    var event = InlineArray<22, UInt8>(repeating: 0)
    var writer = ByteWriter(event.mutableSpan)
    LEConnectionComplete(
      status: .success, handle: ConnectionHandle(rawValue: link), role: .peripheral,
      peer: .zero, interval: 24, latency: 0, supervisionTimeout: 400
    ).writePacket(to: &writer)
    host.receive(event.span, at: now)
    while drain() {}
    var exchange = InlineArray<12, UInt8>(repeating: 0)
    exchange.write { ExchangeMTURequest(clientReceiveMTU: 517).write(to: &$0) }
    exchange.setLink(link)
    send(exchange.span, count: 1)
    let cccd = AttributeHandle(rawValue: host.server.handle(of: .answer).rawValue + 1)
    let one: InlineArray<2, UInt8> = [1, 0]
    var subscribe = InlineArray<14, UInt8>(repeating: 0)
    subscribe.write { WriteRequest(handle: cccd, value: one.span).write(to: &$0) }
    subscribe.setLink(link)
    send(subscribe.span, count: 1)
  }

  /// A question of 40 bytes; the write response and the notification of the answer.
  mutating func ask() {
    let packet = question
    send(packet.span, count: 2)
  }

  /// A write that causes only its response: the configuration, set to 0.
  mutating func write() {
    let packet = unsubscribe
    send(packet.span, count: 1)
  }

  /// The edge of the shake button; the notification of a new answer. A question must have been asked.
  mutating func shake() {
    exchangeEdge()
    notifications += 1
    panel.edge(.shake, isClosed: false, at: now)
    complete(1)
    guard next() == nil else { fail("the host has more to say than expected") }
    while host.server.application.nextEvent() != nil {}
  }

  /// A turn of the loop in which nothing happens.
  mutating func turn() {
    exchangeNothing()
  }

  /// Discovers every service, every characteristic in one range, and the descriptor at the last
  /// handle. A client that discovers service by service sends the same requests for the service
  /// database, and more for the full one, where it also finds Service Changed's descriptor.
  mutating func discover() {
    let last = UInt16(attributeCount)
    var services = UInt16(1)
    var request = InlineArray<16, UInt8>(repeating: 0)
    while services <= last {
      request.write {
        ReadByGroupTypeRequest(
          range: AttributeHandleRange(start: AttributeHandle(rawValue: services), end: .last),
          type: .primaryService
        ).write(to: &$0)
      }
      services = sendFinding(request.span, entryEndOffset: 2)
    }
    var characteristics = UInt16(1)
    while characteristics < last {
      request.write {
        ReadByTypeRequest(
          range: AttributeHandleRange(
            start: AttributeHandle(rawValue: characteristics), end: AttributeHandle(rawValue: last)),
          type: .characteristic
        ).write(to: &$0)
      }
      characteristics = sendFinding(request.span, entryEndOffset: 0)
    }
    var information = InlineArray<14, UInt8>(repeating: 0)
    information.write {
      FindInformationRequest(
        range: AttributeHandleRange(
          start: AttributeHandle(rawValue: last), end: AttributeHandle(rawValue: last))
      ).write(to: &$0)
    }
    send(information.span, count: 1)
  }

  /// Ends the program if what was measured is not what happened.
  func check(answers: Int) {
    guard notifications == answers else {
      fail("\(answers) answers were due, and \(notifications) came")
    }
  }

  /// Sends a request that lists entries, and gives the handle after the last one listed; the end
  /// of all handles after an error.
  private mutating func sendFinding(_ packet: Span<UInt8>, entryEndOffset: Int) -> UInt16 {
    send(packet, count: 1)
    // 5 (HCI) + 4 (L2CAP) bytes before the opcode, then the length of an entry.
    var next = UInt16.max
    if output[9] != ATTOpcode.errorResponse.rawValue {
      let at = 5 + Int(output[3]) + Int(output[4]) * 256 - Int(output[10]) + entryEndOffset
      let end = UInt16(output[at]) | UInt16(output[at + 1]) << 8
      next = end == .max ? .max : end + 1
    }
    return next
  }

  /// Sends a request and takes the `count` packets that answer it; then does, uncounted, what a
  /// controller and a program do besides: credits, the pull that finds nothing, the events.
  private mutating func send(_ packet: Span<UInt8>, count: Int) {
    exchange(packet, count: count)
    if output[9] == ATTOpcode.handleValueNotification.rawValue { notifications += 1 }
    complete(UInt8(count))
    guard next() == nil else { fail("the host has more to say than expected") }
    while host.server.application.nextEvent() != nil {}
  }

  /// What is measured: one packet from the controller in, `count` packets out.
  @inline(never)
  private mutating func exchange(_ packet: Span<UInt8>, count: Int) {
    host.receive(packet, at: now)
    guard next() != nil else { fail("the host does not answer") }
    if count == 2, next() == nil { fail("the host does not notify") }
  }

  /// What is measured of a shake: one edge of the button in, one packet out.
  @inline(never)
  private mutating func exchangeEdge() {
    panel.edge(.shake, isClosed: true, at: now)
    guard panel.nextAction() == .shake else { fail("the button does nothing") }
    host.server.application.shake()
    guard next() != nil else { fail("the host does not notify") }
  }

  /// What is measured of an idle turn: the time passes, nothing is sent, and the deadline is asked for.
  @inline(never)
  private mutating func exchangeNothing() {
    host.advance(to: now)
    guard next() == nil else { fail("the host has more to say than expected") }
    guard host.deadline != nil else { fail("the host has forgotten its links") }
  }

  /// Number Of Completed Packets.
  private mutating func complete(_ count: UInt8) {
    var event: InlineArray<8, UInt8> = [0x04, 0x13, 5, 1, 0x40, 0x00, count, 0]
    event[4] = UInt8(truncatingIfNeeded: link)
    host.receive(event.span, at: now)
  }

  /// Takes one packet from the host and answers for the controller; `false` if there is none.
  private mutating func drain() -> Bool {
    guard next() != nil else { return false }
    if output[0] == HCIPacketType.command.rawValue {
      host.receive(controllerAnswer(to: output).span, at: now)
    } else {
      complete(1)
    }
    return true
  }

  private mutating func next() -> Int? {
    var writer = ByteWriter(output.mutableSpan)
    return host.nextPacket(into: &writer, at: now) ? writer.count : nil
  }
}

/// The Command Complete of a controller with 128 buffers of 251 bytes.
func controllerAnswer(to command: InlineArray<600, UInt8>) -> InlineArray<20, UInt8> {
  var event = InlineArray<20, UInt8>(repeating: 0)
  event[0] = HCIPacketType.event.rawValue
  event[1] = HCIEventCode.commandComplete.rawValue
  event[2] = 17
  event[3] = 1
  event[4] = command[1]
  event[5] = command[2]
  // LE Read Buffer Size. For the other commands it means nothing.
  event[7] = 251
  event[9] = 128
  return event
}

extension InlineArray where Element == UInt8 {
  /// Changes the link of the ACL packet in the array.
  mutating func setLink(_ link: UInt16) {
    self[1] = UInt8(truncatingIfNeeded: link)
  }

  /// Fills the array with an ACL packet that carries one ATT PDU.
  mutating func write(_ body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(mutableSpan)
    writer.write(HCIPacketType.acl.rawValue)
    writer.write(UInt16(0x2040))
    writer.write(UInt16(0))
    writer.write(UInt16(0))
    writer.write(L2CAPChannel.att.rawValue)
    body(&writer)
    writer.patch(UInt16(writer.count - 5), at: 3)
    writer.patch(UInt16(writer.count - 9), at: 5)
  }
}
