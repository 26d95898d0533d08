import BluetoothHost

/// What a central does with what a ball sends: it counts answers.
struct BenchAsker: ClientApplication, ~Copyable {
  static let handle = AttributeHandle(rawValue: 0x001D)

  private let text: InlineArray<40, UInt8>
  private(set) var written = 0
  private(set) var answers = 0

  init() {
    var text = InlineArray<40, UInt8>(repeating: UInt8(ascii: "a"))
    text[39] = UInt8(ascii: "?")
    self.text = text
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    value.writePrefix(of: text.span.extracting(offset..<40))
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    if error == nil { written += 1 }
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    if value.count > 0 { answers += 1 }
  }

  mutating func received(_ report: borrowing AdvertisingReport) {}
  mutating func scanFailed(_ reason: HCIErrorCode) {}
  mutating func connectionFailed(_ reason: HCIErrorCode) {}
  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {}
  mutating func disconnected(at index: Int, reason: HCIErrorCode) {}
  mutating func found(_ service: RemoteService, at index: Int) {}
  mutating func found(_ include: RemoteInclude, at index: Int) {}
  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {}
  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {}
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {}
  mutating func readRSSI(_ rssi: Int8?, at index: Int) {}
  mutating func radioChanged(to state: RadioState) {}
}

/// A central with a controller and a ball that consist of bytes only.
struct CentralBench: ~Copyable {
  private var host = Central<4, BenchAsker>(
    configuration: benchConfiguration, application: BenchAsker())
  private var output = InlineArray<600, UInt8>(repeating: 0)
  private let now = Instant(rawValue: 0)
  private var response = InlineArray<10, UInt8>(repeating: 0)
  private var notification = InlineArray<26, UInt8>(repeating: 0)

  init() {
    response.write { $0.write(ATTOpcode.writeResponse.rawValue) }
    notification.write { writer in
      writer.write(ATTOpcode.handleValueNotification.rawValue)
      writer.write(UInt16(0x001F))
      let answer: InlineArray<14, UInt8> = [
        0x49, 0x74, 0x20, 0x69, 0x73, 0x20, 0x63, 0x65, 0x72, 0x74, 0x61, 0x69, 0x6E, 0x2E,
      ]
      writer.write(answer.span)
    }
  }

  /// Sets the controller up, connects to a ball and agrees on 517 bytes.
  mutating func connect() {
    host.start(at: now)
    while drain() {}
    guard host.connect(to: .zero) else { fail("the central does not connect") }
    while drain() {}
    var event = InlineArray<22, UInt8>(repeating: 0)
    var writer = ByteWriter(event.mutableSpan)
    LEConnectionComplete(
      status: .success, handle: ConnectionHandle(rawValue: 0x40), role: .central,
      peer: .zero, interval: 24, latency: 0, supervisionTimeout: 400
    ).writePacket(to: &writer)
    host.receive(event.span, at: now)
    while drain() {}
    guard host.perform(.exchangeMTU, at: 0) else { fail("the central is not connected") }
    while drain() {}
    var exchange = InlineArray<12, UInt8>(repeating: 0)
    exchange.write { ExchangeMTUResponse(serverReceiveMTU: 517).write(to: &$0) }
    host.receive(exchange.span, at: now)
    guard host.mtu(at: 0) == .maximum else { fail("the central does not agree on the MTU") }
  }

  /// A question of 40 bytes, the write response, and the notification of the answer.
  mutating func ask() {
    exchangeQuestion()
    complete(1)
    guard next() == nil else { fail("the central has more to say than expected") }
  }

  /// Ends the program if what was measured is not what happened.
  func check(answers: Int) {
    let (written, heard) = (host.client.application.written, host.client.application.answers)
    guard written == answers + 1, heard == answers else {
      fail("\(answers) answers were due; \(heard) came, and \(written) writes ended")
    }
  }

  /// What is measured: an operation in and a packet out; two packets in.
  @inline(never)
  private mutating func exchangeQuestion() {
    guard host.perform(.write(BenchAsker.handle, byteCount: 40), at: 0), next() != nil else {
      fail("the central does not ask")
    }
    host.receive(response.span, at: now)
    host.receive(notification.span, at: now)
  }

  /// Number Of Completed Packets.
  private mutating func complete(_ count: UInt8) {
    let event: InlineArray<8, UInt8> = [0x04, 0x13, 5, 1, 0x40, 0x00, count, 0]
    host.receive(event.span, at: now)
  }

  /// Takes one packet from the host and answers for the controller; `false` if there is none.
  private mutating func drain() -> Bool {
    guard next() != nil else { return false }
    guard output[0] == HCIPacketType.command.rawValue else {
      complete(1)
      return true
    }
    host.receive(controllerAnswer(to: output).span, at: now)
    return true
  }

  private mutating func next() -> Int? {
    var writer = ByteWriter(output.mutableSpan)
    return host.nextPacket(into: &writer, at: now) ? writer.count : nil
  }
}
