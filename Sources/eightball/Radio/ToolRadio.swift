import BluetoothHost
import LinuxRadio
import LinuxSystem

/// What runs on the radio of a command: a host and its program.
protocol RadioTask: RadioDriver, ~Copyable {
  /// The radio cannot be used: it could not be opened, or it was lost.
  mutating func radioFailed(_ error: RadioError, at now: Instant)
  /// SIGINT, SIGTERM or SIGHUP came.
  mutating func interrupt(at now: Instant)
  /// Whether it waits for lines of standard input.
  var wantsInput: Bool { get }
  /// Takes a line of standard input, without its line feed; `nil` at the end.
  mutating func take(_ line: [UInt8]?, at now: Instant)
  /// All packets of this turn were exchanged.
  mutating func turnEnded(at now: Instant)
  /// When `advance(to:)` must be called next; `nil` to wait for a packet.
  var deadline: Instant? { mutating get }
  /// Whether the task has ended.
  var isFinished: Bool { get }
}

extension RadioTask where Self: ~Copyable {
  var wantsInput: Bool { false }
  mutating func take(_ line: [UInt8]?, at now: Instant) {}
  mutating func turnEnded(at now: Instant) {}
}

/// The radio of `ask` and `scan`, with the signals and the standard input of the program: one
/// thread, one loop.
struct ToolRadio: RadioPort, ~Copyable {
  private let loop: EventLoop
  private let signals: TerminationSignals
  private let input: InputLines
  private var source: RadioSourcePort
  /// How many signals the task knows of.
  private var interruptions = 0

  /// A radio that is not open.
  ///
  /// - Parameter sinks: Get the packets.
  init(_ name: RadioAddress, watchedBy sinks: [any PacketSink]) throws(SystemError) {
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    self.loop = loop
    self.signals = signals
    input = InputLines(loop: loop)
    source = RadioSourcePort(name, loop: loop)
    source.sinks = sinks
  }

  /// Runs `task` until it has ended, and closes the radio.
  mutating func run<Task: RadioTask & ~Copyable>(_ task: inout Task) throws(SystemError) {
    var link = RadioLink<2_053>()
    var refusal: RadioError?
    while true {
      let now = MonotonicClock.now
      takeInput(for: &task, at: now)
      _ = link.open(&self, at: now)
      if source.refusal != refusal {
        refusal = source.refusal
        if let refusal { task.radioFailed(refusal, at: now) }
      }
      let turn = link.serve(&self, for: &task, at: now)
      source.advance(to: now)
      if case .lost(let loss) = turn {
        task.radioFailed(RadioError(loss, of: source.name, failure: source.failure), at: now)
      }
      task.turnEnded(at: now)
      if task.isFinished { break }
      input.isWatched = task.wantsInput
      let deadline = Instant.earlier(task.deadline, .earlier(link.deadline, source.deadline))
      try loop.wait(until: turn == .unfinished || input.hasLines ? now : deadline, now: now)
    }
    link.close(&self)
    source.close()
  }

  private mutating func takeInput<Task: RadioTask & ~Copyable>(
    for task: inout Task, at now: Instant
  ) {
    while interruptions < signals.count {
      interruptions += 1
      task.interrupt(at: now)
    }
    input.read()
    while task.wantsInput, let line = input.next() { task.take(line.bytes, at: now) }
  }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening { source.openRadio(at: now) }

  mutating func closeRadio() { source.closeRadio() }

  var isPacketwise: Bool { source.isPacketwise }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    source.readRadio(into: &space)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { source.writeRadio(bytes) }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    source.note(packet, direction)
  }
}
