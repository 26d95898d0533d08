import BallRunner
import BluetoothHost
import EightBall

/// A machine whose controller is a script in memory: it is set up, a central connects, subscribes and
/// asks. Nothing is sent anywhere, so what an ask costs is what the ball costs.
///
/// An ask takes two turns: the question, and then two completions.
struct ScriptedPort: Port, ~Copyable {
  /// The asks before those that are measured.
  private static var warmUp: Int { 10 }

  private let asks: Int
  /// The turns of the script that have been played.
  private var turns = 0
  private var isAdvertising = false
  /// What the controller says next.
  private var input = ByteBuffer<64>()
  private var question = ByteBuffer<64>()
  private var completions = ByteBuffer<64>()
  private var milliseconds: UInt64 = 0
  private var start: UInt32 = 0
  private(set) var ticks: UInt32 = 0
  /// When the ball last wanted to wake up. It is kept so that the compiler does not drop that work.
  private(set) var wakeUp: Instant?
  /// The packets that were sent, and the lines that were printed, while the asks were measured.
  private(set) var packets = 0
  private(set) var lines = 0

  init(asks: Int) {
    self.asks = asks
    question.write { BenchPacket.writeQuestion(to: &$0) }
    completions.write {
      BenchPacket.writeCompletion(to: &$0)
      BenchPacket.writeCompletion(to: &$0)
    }
  }

  var now: Instant { Instant(rawValue: milliseconds) }
  var endRequests: Int { 0 }

  /// Plays the next turn of the script; `false` at its end.
  mutating func wait(until deadline: Instant?) -> Bool {
    wakeUp = deadline
    guard isAdvertising, input.isEmpty else { return true }
    let turn = turns &- 4 &- 2 &* Self.warmUp
    if turn == 0 {
      (packets, lines) = (0, 0)
      start = Clock.ticks
    } else if turn == 2 &* asks {
      ticks = Clock.ticks &- start
      return false
    }
    turns &+= 1
    switch turns {
    case 1: input.write { BenchPacket.writeConnection(to: &$0) }
    case 2: input.write { BenchPacket.writeMTU(to: &$0) }
    case 3: input.write { BenchPacket.writeSubscription(to: &$0) }
    case 4: _ = input.assign(completions.span)
    case let turn where turn & 1 == 1:
      // No ball prints more than 20 lines a second for long.
      milliseconds &+= 200
      _ = input.assign(question.span)
    default: _ = input.assign(completions.span)
    }
    return true
  }

  // MARK: The radio

  var isPacketwise: Bool { false }
  mutating func openRadio(at now: Instant) -> RadioOpening { .opened }
  mutating func closeRadio() {}

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    let count = input.count
    guard count > 0 else { return .nothing }
    space.copy(input.span, at: 0)
    input.removeAll()
    return .bytes(count)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    if bytes[0] == HCIPacketType.command.rawValue {
      input.write { BenchPacket.writeAnswer(to: bytes, to: &$0) }
      // LE Set Advertising Enable, with 1.
      if bytes[1] == 0x0A, bytes[2] == 0x20, bytes[4] == 1 { isAdvertising = true }
    }
    packets &+= 1
    return .taken(bytes.count)
  }

  // MARK: Words

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    lines &+= 1
    return .taken(bytes.count)
  }

  func writeRadioName(to writer: inout ByteWriter) {}
  func writeRadioError(to writer: inout ByteWriter) {}

  // MARK: A panel at rest

  var hasPanel: Bool { true }
  mutating func openLines() -> Bool { true }
  mutating func closeLines() {}
  func debounce(of button: ButtonName) -> UInt32 { 20 }
  mutating func contact(of button: ButtonName) -> ContactRead { .open }
  mutating func nextEdge() -> EdgeRead { .none }
  mutating func listen(toEdges isListening: Bool) {}
  mutating func set(_ light: LightName, isLit: Bool) -> Bool { true }
  mutating func checkLines() -> Bool { true }
  mutating func takeLinesChange() -> LinesChange { .none }
  func writeLinesError(to writer: inout ByteWriter) {}
}
