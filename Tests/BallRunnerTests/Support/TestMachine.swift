import BallRunner
import BluetoothHost
import EightBall
import Expectations

/// A call of the runner on its port, in order.
enum Effect: Equatable {
  /// A packet, or a part of one, for the controller.
  case sent([UInt8])
  /// Text on an output.
  case printed(String)
}

/// A scripted machine: it has no clock, and records the calls of a ball.
final class TestMachine: Port {
  typealias Metrics = BallMetricStore<4>

  var now = Instant(rawValue: 0)
  var endRequests = 0
  private(set) var effects: [Effect] = []
  private(set) var answers: [Answer?] = []
  /// Called when the ball goes to sleep.
  var onSleep: ((Instant?) -> Bool)?

  func answerChanged(to answer: Answer?) { answers.append(answer) }
  func wait(until deadline: Instant?) -> Bool { onSleep?(deadline) ?? false }

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

  func openRadio(at now: Instant) -> RadioOpening {
    openingTimes.append(now.rawValue)
    let opening = openings.count > 1 ? openings.removeFirst() : openings[0]
    isRadioOpen = opening == .opened
    return opening
  }

  func closeRadio() {
    isRadioOpen = false
    incoming = []
  }

  func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard !incoming.isEmpty else { return emptyRead }
    let bytes = incoming.removeFirst()
    for index in bytes.indices { space[index] = bytes[index] }
    return .bytes(bytes.count)
  }

  func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    if isWriteFailing { return .failed }
    let count = writeLimits.isEmpty ? bytes.count : min(bytes.count, writeLimits.removeFirst())
    if count > 0 { effects.append(.sent(Array(Array(bytes).prefix(count)))) }
    return .taken(count)
  }

  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    let packet = Array(packet)
    notes.append((packet, direction))
    guard direction == .sent else { return }
    packets.append(packet)
    incoming += controller?(packet) ?? []
  }

  func writeRadioName(to writer: inout ByteWriter) { writer.write(text: "test0") }
  func writeRadioError(to writer: inout ByteWriter) {
    writer.write(text: "there is no adapter test0. Plug it in")
  }

  // MARK: The lines

  let lines = TestLines()

  var hasPanel: Bool { lines.isThere }
  func openLines() -> Bool { lines.open() }
  func closeLines() { lines.close() }
  func debounce(of button: ButtonName) -> UInt32 { 20 }
  func contact(of button: ButtonName) -> ContactRead { lines.contact(of: button) }
  func nextEdge() -> EdgeRead { lines.nextEdge() }
  func listen(toEdges isListening: Bool) { lines.isListening = isListening }
  func set(_ light: LightName, isLit: Bool) -> Bool { lines.set(light, isLit) }
  func checkLines() -> Bool { !lines.isGone }
  func takeLinesChange() -> LinesChange { lines.takeChange() }
  func writeLinesError(to writer: inout ByteWriter) {
    let text = Array(lines.trouble.utf8)
    writer.write(text.span)
  }

  // MARK: The parts

  static var hasParts: Bool { true }
  /// Whether the ball has been shaken in the hand.
  var isShaken = false
  /// The states that the ball has shown, each that differs from the one before.
  private(set) var shown: [BallState] = []
  /// What happens to the parts next.
  var partChanges: [PartChange] = []

  func takeShake(at now: Instant) -> Bool {
    defer { isShaken = false }
    return isShaken
  }

  func show(_ state: BallState, at now: Instant) {
    if state != shown.last { shown.append(state) }
  }

  func takePartChange() -> PartChange? { partChanges.isEmpty ? nil : partChanges.removeFirst() }

  func write(_ error: PartError, of part: BoardPart, to writer: inout ByteWriter) {
    writer.write(text: "it does not answer. Check its wires")
  }

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

  func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    if isOutputClosed { return .closed }
    var count = bytes.count
    if stream == .output, let room = outputRoom {
      count = min(count, room)
      outputRoom = room - count
    }
    let text = String(decoding: Array(bytes).prefix(count), as: UTF8.self)
    if count > 0 { effects.append(.printed(text)) }
    if stream == .output { output += text } else { errors += text }
    return .taken(count)
  }

  // MARK: The service manager

  var hasServiceManager = false
  var watchdogTimeout: UInt32?
  var takesReports = true
  private(set) var reports: [String] = []

  func report(_ message: Span<UInt8>) -> Bool {
    if takesReports { reports.append(String(decoding: Array(message), as: UTF8.self)) }
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
  private(set) var question: PairingPrompt?

  func keepBonds(_ file: Span<UInt8>) -> Bool {
    if !isDiskFull { bondFiles.append(Array(file)) }
    return !isDiskFull
  }

  func writeBondsError(to writer: inout ByteWriter) {
    writer.write(text: "cannot write /state/ball.bonds: No space left on device")
  }

  func takeConfirmation() -> Bool? {
    defer { confirmation = nil }
    return confirmation
  }

  func questionChanged(to question: PairingPrompt?) { self.question = question }

  // MARK: The control socket

  /// The programs at it.
  let control = TestControl()

  static var hasControl: Bool { true }
  var hasListeners: Bool { control.hasListeners }
  var hasControlEvent: Bool { !control.events.isEmpty }
  var allowsRemoteButtons: Bool { control.allowsRemoteButtons }

  func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    control.presses.append("\(button) \(isDown)")
    if control.pressResult == .done { lines.drive(button, isClosed: isDown, at: now.rawValue) }
    return control.pressResult
  }

  func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    guard let (event, line) = control.takeEvent() else { return nil }
    let bytes = Array(line.utf8)
    expect(request.assign(bytes.span))
    return event
  }

  func send(_ lines: Span<UInt8>, to listener: Int?) { control.send(Array(lines), to: listener) }
  func sendPackets(_ isWanted: Bool, to listener: Int) { control.packets[listener] = isWanted }
  func has(_ light: LightName) -> Bool { control.lights.contains(light) }
  func writeBoardName(to writer: inout ByteWriter) { writer.write(text: "test-board") }
  func writeVersion(to writer: inout ByteWriter) { writer.write(text: "1.2.3") }
}

extension Array<UInt8> {
  /// The bytes of a span.
  init(_ span: Span<UInt8>) { self = span.indices.map { span[$0] } }
}
