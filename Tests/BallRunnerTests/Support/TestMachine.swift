import BallRunner
import BluetoothHost
import EightBall
import Testing

/// A call of the runner on its port, in order.
enum Effect: Equatable {
  /// A packet, or a part of one, for the controller.
  case sent([UInt8])
  /// Text on an output.
  case printed(String)
}

/// A scripted machine: it has no clock, and records the calls of a ball.
final class TestMachine {
  var now = Instant(rawValue: 0)
  var endRequests = 0
  private(set) var effects: [Effect] = []

  // MARK: The radio

  /// The results of the next attempts to open the radio; the last one stays.
  var openings: [RadioOpening] = [.opened]
  private(set) var openingTimes: [UInt64] = []
  private(set) var isRadioOpen = false
  var isPacketwise = false
  /// Packets for the host, or pieces of them: one a read.
  var incoming: [[UInt8]] = []
  /// The result of a read without input.
  var emptyRead = RadioRead.nothing
  /// How many bytes the next writes take; all when it is empty.
  var writeLimits: [Int] = []
  var isWriteFailing = false
  /// Responds to a whole packet of the host; `nil` for a silent controller.
  var controller: (([UInt8]) -> [[UInt8]])? = ScriptedController.replies
  /// The packets that the host has sent, whole.
  private(set) var packets: [[UInt8]] = []
  private(set) var notes: [(packet: [UInt8], direction: PacketDirection)] = []

  func open() -> RadioOpening {
    openingTimes.append(now.rawValue)
    let opening = openings.count > 1 ? openings.removeFirst() : openings[0]
    isRadioOpen = opening == .opened
    return opening
  }

  func closeRadio() {
    isRadioOpen = false
    incoming = []
  }

  func read(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard !incoming.isEmpty else { return emptyRead }
    let bytes = incoming.removeFirst()
    for index in bytes.indices { space[index] = bytes[index] }
    return .bytes(bytes.count)
  }

  func write(_ bytes: [UInt8]) -> RadioWrite {
    if isWriteFailing { return .failed }
    let count = writeLimits.isEmpty ? bytes.count : min(bytes.count, writeLimits.removeFirst())
    if count > 0 { effects.append(.sent(Array(bytes.prefix(count)))) }
    return .taken(count)
  }

  func note(_ packet: [UInt8], _ direction: PacketDirection) {
    notes.append((packet, direction))
    guard direction == .sent else { return }
    packets.append(packet)
    incoming += controller?(packet) ?? []
  }

  // MARK: The lines

  var lines = TestLines()

  // MARK: The output

  /// How many bytes each stream takes in total; `nil` for no limit.
  var outputRoom: Int?
  var isOutputClosed = false
  private(set) var output = ""
  private(set) var errors = ""

  /// The whole lines of the output.
  var outputLines: [String] { output.split(separator: "\n").map(String.init) }
  /// The whole lines of the errors.
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

  func print(_ bytes: [UInt8], to stream: OutputStream) -> PrintResult {
    if isOutputClosed { return .closed }
    var count = bytes.count
    if stream == .output, let room = outputRoom {
      count = min(count, room)
      outputRoom = room - count
    }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    if count > 0 { effects.append(.printed(text)) }
    if stream == .output { output += text } else { errors += text }
    return .taken(count)
  }

  // MARK: The service manager

  var hasServiceManager = false
  var watchdogTimeout: UInt32?
  var takesReports = true
  private(set) var reports: [String] = []

  func report(_ message: [UInt8]) -> Bool {
    if takesReports { reports.append(String(decoding: message, as: UTF8.self)) }
    return takesReports
  }

  // MARK: Bonds and their user

  /// The bond files that the ball has stored.
  private(set) var bondFiles: [[UInt8]] = []
  /// Whether the disk is full.
  var isDiskFull = false
  /// The user's next answer.
  var confirmation: Bool?
  /// The question to the user; `nil` without one.
  var question: PairingPrompt?

  func keepBonds(_ file: [UInt8]) -> Bool {
    if !isDiskFull { bondFiles.append(file) }
    return !isDiskFull
  }

  func takeConfirmation() -> Bool? {
    defer { confirmation = nil }
    return confirmation
  }

  // MARK: Listeners

  /// The control socket, and the programs at it.
  let control = TestControl()

  var answers: [Answer?] = []
  /// The deadlines that the ball has slept until.
  var sleeps: [UInt64?] = []
  /// Called when the ball goes to sleep.
  var onSleep: ((Instant?) -> Bool)?
}

/// The port of a `TestMachine`.
struct TestPort: Port, ~Copyable {
  typealias Metrics = BallMetricStore<4>

  let machine: TestMachine

  var now: Instant { machine.now }
  var endRequests: Int { machine.endRequests }
  mutating func answerChanged(to answer: Answer?) { machine.answers.append(answer) }
  mutating func wait(until deadline: Instant?) -> Bool {
    machine.sleeps.append(deadline?.rawValue)
    return machine.onSleep?(deadline) ?? false
  }

  mutating func openRadio(at now: Instant) -> RadioOpening { machine.open() }
  mutating func closeRadio() { machine.closeRadio() }
  var isPacketwise: Bool { machine.isPacketwise }
  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    machine.read(into: &space)
  }
  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { machine.write(Array(bytes)) }
  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    machine.note(Array(packet), direction)
  }

  var hasPanel: Bool { machine.lines.isThere }
  mutating func openLines() -> Bool { machine.lines.open() }
  mutating func closeLines() { machine.lines.close() }
  func debounce(of button: ButtonName) -> UInt32 { 20 }
  mutating func contact(of button: ButtonName) -> ContactRead { machine.lines.contact(of: button) }
  mutating func nextEdge() -> EdgeRead { machine.lines.nextEdge() }
  mutating func listen(toEdges isListening: Bool) { machine.lines.isListening = isListening }
  mutating func set(_ light: LightName, isLit: Bool) -> Bool { machine.lines.set(light, isLit) }
  mutating func checkLines() -> Bool { !machine.lines.isGone }
  mutating func takeLinesChange() -> LinesChange { machine.lines.takeChange() }
  func writeLinesTrouble(to writer: inout ByteWriter) {
    let text = Array(machine.lines.trouble.utf8)
    writer.write(text.span)
  }

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    machine.print(Array(bytes), to: stream)
  }
  func writeRadioName(to writer: inout ByteWriter) { writer.write(text: "test0") }
  func writeRadioTrouble(to writer: inout ByteWriter) {
    writer.write(text: "there is no adapter test0. Plug it in")
  }

  var hasServiceManager: Bool { machine.hasServiceManager }
  var watchdogTimeout: UInt32? { machine.watchdogTimeout }
  mutating func report(_ message: Span<UInt8>) -> Bool { machine.report(Array(message)) }

  static var hasControl: Bool { true }
  var hasListeners: Bool { machine.control.hasListeners }
  var hasControlEvent: Bool { !machine.control.events.isEmpty }
  var allowsRemoteButtons: Bool { machine.control.allowsRemoteButtons }
  mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    machine.control.presses.append("\(button) \(isDown)")
    if machine.control.pressResult == .done {
      machine.lines.drive(button, isClosed: isDown, at: machine.now.rawValue)
    }
    return machine.control.pressResult
  }
  mutating func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    guard let (event, line) = machine.control.takeEvent() else { return nil }
    let bytes = Array(line.utf8)
    let isWhole = request.assign(bytes.span)
    #expect(isWhole)
    return event
  }
  mutating func send(_ lines: Span<UInt8>, to listener: Int?) {
    machine.control.send(Array(lines), to: listener)
  }
  mutating func sendPackets(_ isWanted: Bool, to listener: Int) {
    machine.control.packets[listener] = isWanted
  }
  func has(_ light: LightName) -> Bool { machine.control.lights.contains(light) }
  func writeBoardName(to writer: inout ByteWriter) { writer.write(text: "test-board") }
  func writeVersion(to writer: inout ByteWriter) { writer.write(text: "1.2.3") }

  mutating func keepBonds(_ file: Span<UInt8>) -> Bool { machine.keepBonds(Array(file)) }
  func writeBondsTrouble(to writer: inout ByteWriter) {
    writer.write(text: "cannot write /state/ball.bonds: No space left on device")
  }
  mutating func takeConfirmation() -> Bool? { machine.takeConfirmation() }
  mutating func questionChanged(to question: PairingPrompt?) { machine.question = question }
}

extension Array<UInt8> {
  /// The bytes of a span.
  init(_ span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}
