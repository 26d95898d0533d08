import BallRunner
import BluetoothHost
import LinuxRadio

/// The output of all balls of a swarm: each line gets the number of its ball. Nothing here waits.
///
/// For people it prints questions, answers and errors: 500 lines at once, and then 20 a second for
/// the whole swarm. Programs get every line. A slow reader loses lines, and their number is
/// reported.
final class SwarmLines {
  /// Whether balls report lost radios. While the swarm starts they do not: it ends with the first
  /// loss, and prints the reason itself.
  var takesErrors = false
  /// Whether nothing reads the output any more.
  private(set) var isClosed = false

  private let format: LineFormat
  /// Whether the lines are of balls, and not of peripherals of a file.
  private let isOfBalls: Bool
  private let output: NonblockingOutput?
  private let errors: NonblockingOutput?
  private var results = LineQueue<262_144>()
  private var errorLines = LineQueue<16_384>()
  private var allowance = OutputAllowance()
  /// How many lines for people were left out and not yet reported.
  private var omitted = 0
  /// The lost lines: unread, or over the limit of the swarm.
  private(set) var losses = BallFigures()
  /// The lines in `losses` that were not reported to the reader.
  private var unreported = 0

  /// The standard streams of this program, in `loop`.
  init(format: LineFormat, isOfBalls: Bool = true, loop: EventLoop) {
    self.format = format
    self.isOfBalls = isOfBalls
    output = try? NonblockingOutput(1, name: "standard output", loop: loop)
    errors = try? NonblockingOutput(2, name: "standard error", loop: loop)
  }

  /// When `flush(at:)` must be called next; `nil` if nothing was left out.
  var deadline: Instant? { omitted > 0 ? allowance.nextSecond : nil }

  /// Adds whole lines of a ball.
  ///
  /// - Parameter ball: Its number.
  func add(_ lines: Span<UInt8>, of ball: Int, to stream: OutputStream, at now: Instant) {
    var start = 0
    for index in lines.indices where lines[index] == UInt8(ascii: "\n") {
      add(line: lines.extracting(start..<index), of: ball, to: stream, at: now)
      start = index + 1
    }
  }

  /// Adds a line of the swarm.
  func say(_ text: String) {
    results.append { $0.writePrefix(of: Array(text.utf8).span) }
  }

  /// Prints as much as the streams take now.
  func flush(at now: Instant) {
    countUnread()
    defer { countUnread() }
    allowance.advance(to: now)
    if omitted > 0, !allowance.isSpent {
      say("(\(omitted) \(omitted == 1 ? "line was" : "lines were") left out.)")
      omitted = 0
    }
    while !results.isEmpty {
      guard let count = write(results.pending, to: output) else {
        isClosed = true
        break
      }
      let isAll = count == results.pending.count
      results.remove(count)
      guard isAll else { break }
      results.appendLoss { writer, count in
        guard format == .json else { return writer.writeLoss(count) }
        writer.write(text: "{\"event\":\"unread\",\"count\":")
        writer.write(decimal: count)
        writer.write(text: "}")
      }
    }
    while !errorLines.isEmpty {
      let count = write(errorLines.pending, to: errors) ?? .max
      let isAll = count >= errorLines.pending.count
      errorLines.remove(min(count, errorLines.pending.count))
      guard isAll else { break }
      errorLines.appendLoss { $0.writeLoss($1) }
    }
  }

  /// Stops waking the loop.
  func close() {
    output?.close()
    errors?.close()
  }

  /// Counts the lines that were lost since the last call. The queues reset their numbers when the
  /// loss has been reported to the reader.
  private func countUnread() {
    let lost = results.lostLines + errorLines.lostLines
    if lost > unreported { losses.count(.linesUnread, lost - unreported) }
    unreported = lost
  }

  /// How many bytes were taken; `nil` if nothing reads them.
  private func write(_ bytes: Span<UInt8>, to stream: NonblockingOutput?) -> Int? {
    guard let stream else { return bytes.count }
    guard case .taken(let count) = stream.write(bytes) else { return nil }
    return count
  }

  private func add(line: Span<UInt8>, of ball: Int, to stream: OutputStream, at now: Instant) {
    if format == .json, stream == .output {
      return results.append(mayBeCut: false) {
        Self.write(line, of: ball, named: isOfBalls ? "ball" : "peripheral", to: &$0)
      }
    }
    guard stream == .errors ? takesErrors : Self.isForPeople(line) else { return }
    allowance.advance(to: now)
    guard omitted == 0, !allowance.isSpent else {
      losses.count(.linesLimited)
      return omitted += 1
    }
    allowance.spend(at: now)
    if stream == .output {
      results.append { writeWords(line, of: ball, to: &$0) }
    } else {
      errorLines.append { writeWords(line, of: ball, to: &$0) }
    }
  }

  /// Whether the line is for people. Connections are not: test centrals make too many.
  private static func isForPeople(_ line: Span<UInt8>) -> Bool {
    let others: [StaticString] = [
      "Advertising as ", "Connected: ", "Disconnected: ", "All connections are in use",
    ]
    return !others.contains { line.starts(with: $0) }
  }

  private func writeWords(
    _ line: Span<UInt8>, of ball: Int, to writer: inout ByteWriter
  ) {
    writer.write(text: isOfBalls ? "Ball " : "Peripheral ")
    writer.write(decimal: ball)
    writer.write(text: ": ")
    writer.write(line)
  }

  /// Writes an event's JSON object with the number of its ball after the event's name:
  /// `{"event":"answer","ball":7,"text":"Yes."}`.
  ///
  /// - Parameter name: The name of the number: `balls` for how many the event is of.
  static func write(
    _ object: Span<UInt8>, of number: Int, named name: StaticString = "ball",
    to writer: inout ByteWriter
  ) {
    var quotes = 0
    var end = 0
    while end < object.count, quotes < 4 {
      if object[end] == UInt8(ascii: "\"") { quotes += 1 }
      end += 1
    }
    writer.write(object.extracting(first: end))
    writer.write(text: ",\"")
    writer.write(text: name)
    writer.write(text: "\":")
    writer.write(decimal: number)
    writer.write(object.extracting(droppingFirst: end))
  }
}

extension Span<UInt8> {
  fileprivate func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard self.count >= count else { return false }
    let prefix = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
    for index in 0..<count where unsafe prefix[index] != self[index] { return false }
    return true
  }
}

/// An event of the whole swarm.
enum SwarmNotice: Equatable {
  /// All balls advertise.
  case begun(count: Int, first: String, last: String, connections: Int, seed: UInt64, noun: String)
  /// So many connections were ended at once.
  case storm(dropped: Int)

  /// The notice that all balls of this configuration advertise.
  static func begun(_ configuration: SwarmConfiguration) -> SwarmNotice {
    .begun(
      count: configuration.count, first: configuration.names.name(of: 1),
      last: configuration.names.name(of: configuration.count),
      connections: configuration.connections,
      seed: configuration.seed.rawValue, noun: configuration.file == nil ? "ball" : "peripheral")
  }

  /// The line without its end; `nil` if nothing is printed.
  func line(_ format: LineFormat) -> String? {
    switch format {
    case .words: words
    case .json: json
    case .none: nil
    }
  }

  private var words: String {
    switch self {
    case .begun(let count, let first, let last, _, let seed, let noun):
      (count == 1 ? "1 \(noun) advertises" : "\(count) \(noun)s advertise")
        + (first == last
          ? " as “\(String(printable: first))”"
          : ": “\(String(printable: first))” to “\(String(printable: last))”")
        + " (--seed \(seed))."
    case .storm(let dropped):
      dropped == 1 ? "1 connection was ended." : "\(dropped) connections were ended at once."
    }
  }

  private var json: String {
    switch self {
    case .begun(let count, let first, let last, let connections, let seed, _):
      #"{"event":"swarm","count":\#(count),"first":"\#(String(escaped: first))","#
        + #""last":"\#(String(escaped: last))","connections":\#(connections),"seed":\#(seed)}"#
    case .storm(let dropped): #"{"event":"storm","dropped":\#(dropped)}"#
    }
  }
}
