import BluetoothHost
import EightBall

/// The host and the ball alone: a question in, the response and the notification out.
struct HostBench: ~Copyable {
  private var host: BallHost<1>
  private var question = ByteBuffer<64>()
  private var output = ByteBuffer<600>()
  private let now = Instant(rawValue: 0)

  /// A ball whose central has subscribed.
  init() {
    host = BallHost<1>(
      configuration: benchConfiguration.host, database: EightBallProfile.makeDatabase(),
      application: BallApplication<1>(seed: benchConfiguration.seed))
    question.write { BenchPacket.writeQuestion(to: &$0) }
    host.start(at: now)
    while next() {
      var answer = ByteBuffer<64>()
      answer.write { BenchPacket.writeAnswer(to: output.span, to: &$0) }
      host.receive(answer.span, at: now)
    }
    receive { BenchPacket.writeConnection(to: &$0) }
    receive { BenchPacket.writeMTU(to: &$0) }
    receive { BenchPacket.writeSubscription(to: &$0) }
    clear()
  }

  /// The ticks of so many asks, without those of the completions between them.
  mutating func ticks(asks: Int) -> UInt32 {
    var ticks: UInt32 = 0
    for _ in 0..<asks {
      let start = Clock.ticks
      exchange()
      ticks &+= Clock.ticks &- start
      clear()
      // What it takes to measure.
      let end = Clock.ticks
      exchangeNothing()
      ticks &-= Clock.ticks &- end
    }
    return ticks
  }

  /// What is measured: one packet in, two out.
  @inline(never)
  private mutating func exchange() {
    host.receive(question.span, at: now)
    guard next() else { fail("The ball does not respond.") }
    guard next() else { fail("The ball does not notify.") }
  }

  @inline(never)
  private mutating func exchangeNothing() {}

  /// The controller completes two packets, and the program takes the events.
  private mutating func clear() {
    guard !next() else { fail("The ball has more to say than expected.") }
    receive { BenchPacket.writeCompletion(to: &$0) }
    receive { BenchPacket.writeCompletion(to: &$0) }
    while host.server.withApplication({ $0.nextEvent() }) != nil {}
  }

  private mutating func receive(_ write: (inout ByteWriter) -> Void) {
    var packet = ByteBuffer<64>()
    packet.write(write)
    host.receive(packet.span, at: now)
    while next() {}
  }

  private mutating func next() -> Bool {
    output.removeAll()
    var writer = output.makeAppendingWriter()
    guard host.nextPacket(into: &writer, at: now) else { return false }
    output.keepWritten(writer.count)
    return true
  }
}
