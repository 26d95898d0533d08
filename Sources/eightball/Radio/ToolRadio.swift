import BlueZ
import BluetoothHost
import Glibc
import LinuxAir
import LinuxRadio

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
  /// What the last word of an unfinished line may be.
  func completions(of line: String) -> [String]
  /// All packets of this turn were exchanged.
  mutating func turnEnded(at now: Instant)
  /// When `advance(to:)` must be called next; `nil` to wait for a packet.
  var deadline: Instant? { mutating get }
  /// Whether it uses the radio. Without it, its controller is gone for the others.
  var wantsRadio: Bool { get }
  /// Whether the task has ended.
  var isFinished: Bool { get }
}

extension RadioTask where Self: ~Copyable {
  var wantsRadio: Bool { true }
  var wantsInput: Bool { false }
  mutating func take(_ line: [UInt8]?, at now: Instant) {}
  func completions(of line: String) -> [String] { [] }
  mutating func turnEnded(at now: Instant) {}
}

/// The radio of `ask`, `scan` and `peripheral`, with the signals and the standard input of the program: one
/// thread, one loop.
struct ToolRadio: RadioPort, ~Copyable {
  /// The loop of the program.
  let loop: EventLoop
  private let signals: TerminationSignals
  private let input: InputLines
  /// Edits the lines of a terminal; `nil` to read them as they are.
  private var editor: LineEditor?
  private var source: RadioSourcePort
  /// How many signals the task knows of.
  private var interruptions = 0

  /// A radio that is not open.
  ///
  /// - Parameters:
  ///   - options: What becomes of the packets.
  ///   - pairs: Whether bluetoothd pairs with a peripheral, on a radio beside it.
  /// - Throws: Why it cannot be used, such as a capture that cannot be written.
  init(_ name: RadioAddress, _ options: RadioOptions, pairs: Bool = false) throws {
    let time = AirTime()
    let sinks = try options.sinks(at: time)
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    self.loop = loop
    self.signals = signals
    input = InputLines(loop: loop)
    source = RadioSourcePort(
      name, loop: loop, air: SharedAir(loop: loop), sharing: .bluez, time: time)
    source.sinks = sinks
    source.pairs = pairs
  }

  /// The time of the program on the radio.
  var time: AirTime { source.time }

  /// Lets the user edit the lines of standard input, if that is a terminal.
  mutating func edit(with editor: LineEditor) throws(SystemError) {
    if try editor.open(in: loop) { self.editor = editor }
  }

  /// Runs `task` until it has ended, closes the radio, and warns of packets that are missing in a capture.
  mutating func run<Task: RadioTask & ~Copyable>(_ task: inout Task) throws(SystemError) {
    var link = RadioLink<2_053>()
    var error: RadioError?
    while true {
      let now = source.time.now
      source.time.beginTurn(at: now)
      takeInput(for: &task, at: now)
      guard task.wantsRadio else {
        link.close(&self)
        source.advance(to: now)
        task.turnEnded(at: now)
        if task.isFinished { break }
        try loop.wait(until: .earlier(task.deadline, source.deadline), now: now)
        continue
      }
      _ = link.open(&self, at: now)
      if source.openError != error {
        error = source.openError
        if let error { task.radioFailed(error, at: now) }
      }
      let turn = link.serve(&self, for: &task, at: now)
      source.advance(to: now)
      if case .lost(let loss) = turn {
        task.radioFailed(RadioError(loss, of: source.name, failure: source.failure), at: now)
      }
      task.turnEnded(at: now)
      if task.isFinished { break }
      if let editor {
        editor.isWanted = task.wantsInput
      } else {
        input.isWatched = task.wantsInput
      }
      var deadline = Instant.earlier(task.deadline, .earlier(link.deadline, source.deadline))
      if turn == .unfinished || hasLines || !task.wantsRadio { deadline = now }
      try loop.wait(until: source.wait(until: deadline, hasOutput: link.hasOutput), now: now)
    }
    editor?.close()
    link.close(&self)
    source.close()
    warn(ofErrorsOf: source.sinks)
  }

  /// Whether a line may be there without waiting.
  private var hasLines: Bool {
    editor.map { $0.isWanted && $0.hasKeys } ?? input.hasLines
  }

  private mutating func takeInput<Task: RadioTask & ~Copyable>(
    for task: inout Task, at now: Instant
  ) {
    while interruptions < signals.count {
      interruptions += 1
      source.time.leave()
      task.interrupt(at: now)
    }
    if let editor {
      while task.wantsInput, let line = editor.next({ task.completions(of: $0) }) {
        task.take(line.bytes, at: now)
      }
      return
    }
    input.read()
    while task.wantsInput, let line = input.next() { task.take(line.bytes, at: now) }
  }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening { source.openRadio(at: now) }

  mutating func closeRadio() { source.closeRadio() }

  static var takesAttributes: Bool { true }

  mutating func export(_ attributes: Span<Attribute>) { source.export(attributes) }

  var isPacketwise: Bool { source.isPacketwise }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    source.readRadio(into: &space)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { source.writeRadio(bytes) }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    source.note(packet, direction)
  }
}

/// Lines of standard input, while a radio is served.
final class InputLines: EventHandler {
  /// A line, or the end of the input.
  struct Line {
    /// The bytes, without the line feed; `nil` at the end.
    var bytes: [UInt8]?
  }

  private let loop: EventLoop
  private let descriptor = FileDescriptor(owning: dup(STDIN_FILENO), name: "standard input")
  private var registration: EventLoop.Registration?
  /// Whether a read would find bytes or the end.
  private var isReadable = false
  /// Whether the kernel cannot watch it: a file is always readable.
  private var isFile = false
  private var pending: [UInt8] = []
  private var hasEnded = false
  private var hasReportedEnd = false

  /// Whether the loop wakes when there is something to read.
  var isWatched = false {
    didSet {
      guard isWatched != oldValue else { return }
      if isWatched { watch() } else { unwatch() }
    }
  }

  /// Reads nothing yet.
  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Whether `next` has a line, or `read` would find one.
  var hasLines: Bool {
    isWatched && !hasReportedEnd
      && (isFile || hasEnded || pending.contains(UInt8(ascii: "\n")))
  }

  /// Reads what is there.
  func read() {
    guard isWatched, isReadable || isFile, !hasEnded else { return }
    isReadable = false
    var storage = InlineArray<1_024, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    // It does not block: the kernel has reported bytes, or the end.
    guard case .bytes(let count) = (try? descriptor.read(into: &space)) ?? .end else {
      hasEnded = true
      return unwatch()
    }
    for index in 0..<count { pending.append(storage[index]) }
  }

  /// The longest line, in bytes: a write of 512 bytes, in digits with blanks.
  static let longest = 2_048

  /// The next line, or once the end; `nil` if more must be read. Of a longer line than `longest`, only
  /// the beginning is returned.
  func next() -> Line? {
    if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(pending[..<end].prefix(Self.longest))
      pending.removeFirst(end + 1)
      return Line(bytes: line)
    }
    guard hasEnded, !hasReportedEnd else {
      let surplus = pending.count - Self.longest
      if surplus > 0 { pending.removeLast(surplus) }
      return nil
    }
    guard pending.isEmpty else {
      defer { pending = [] }
      return Line(bytes: pending)
    }
    hasReportedEnd = true
    return Line(bytes: nil)
  }

  func handle(_ readiness: Readiness, token: Int) { isReadable = true }

  private func watch() {
    guard !hasEnded else { return }
    registration = try? loop.add(descriptor, for: .readable, handler: self)
    isFile = registration == nil
  }

  private func unwatch() {
    if let registration { loop.remove(registration) }
    registration = nil
  }
}

/// Lines of standard input. Only one thread reads them.
enum StandardInput {
  /// The next line in bytes, without its line feed; `nil` at the end.
  ///
  /// The bytes come one at a time, so that the next line stays for another reader. Of a line that is
  /// longer than any question, only the beginning is returned.
  static func line() -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { return line }
      if line.count <= maximumAttributeValueLength { line.append(byte) }
    }
  }
}
