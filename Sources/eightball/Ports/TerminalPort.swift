import BallRunner
import BluetoothHost
import EightBall
import Glibc
import LinuxPort
import LinuxRadio

/// The port of `eightball run`: that of Linux with a terminal on top. It adds the virtual air, the
/// lines of a virtual board, keys, the line that draws the ball, captures and packet traces.
struct TerminalPort: Port, ~Copyable {
  private var port: LinuxPort
  private var radio: TerminalRadio
  private let board: TerminalBoard
  private var handControl = HandControl()
  private var clockControl = ClockControl()
  private let screen: Screen
  /// The keyboard, the virtual air and lookups of hosts. The port wakes for it.
  private let loop: EventLoop
  /// Get the packets.
  private let sinks: [any PacketSink]
  /// The time on the radio.
  let time: AirTime
  /// Whether the radio has not taken all of the last packets.
  private var hasOutput = false
  private var start: StartPages
  /// Where programs connect; `nil` without a control socket.
  private(set) var controlPath: String?
  /// Why the kernel refuses to wait.
  private(set) var waitError: SystemError?

  /// A port whose radio, control socket and bonds are not open.
  ///
  /// - Parameters:
  ///   - name: The radio.
  ///   - board: The board; `nil` for none.
  ///   - ballName: What a display shows while no central is connected.
  ///   - options: What becomes of the packets.
  ///   - screen: Prints.
  ///   - hasUser: Whether a user at the terminal answers pairing questions.
  /// - Throws: `RadioError` if the radio's name is too long; `SystemError`, such as of a capture that cannot be written.
  init(
    _ name: RadioAddress, _ board: BoardDescription?, ballName: DeviceName,
    _ options: RadioOptions, screen: Screen, hasUser: Bool
  ) throws {
    let time = AirTime()
    let sinks = try options.sinks(at: time, note: screen.note)
    let loop = try EventLoop()
    let radio = TerminalRadio(name, loop: loop)
    // The lines of a virtual board are not the port's.
    let wired = board.map { $0.isVirtual ? BoardDescription(name: $0.name) : $0 }
    port = try Self.makePort(radio.address, board: wired, name: ballName)
    self.radio = radio
    self.screen = screen
    self.loop = loop
    self.time = time
    self.sinks = sinks
    start = StartPages(at: time.now)
    self.board = TerminalBoard(
      board, name: ballName, screen: screen, hasUser: hasUser, time: time)
  }

  private static func makePort(
    _ radio: RadioAddress, board: BoardDescription?, name: DeviceName
  ) throws(SystemError) -> LinuxPort {
    do throws(LinuxPort.SetupError) {
      return try LinuxPort(radio, board: board, name: name)
    } catch {
      throw SystemError(
        .current, "create", error == .noQueue ? "an event queue" : "a signal queue")
    }
  }

  /// Starts to read keys, and opens the control socket.
  ///
  /// - Parameters:
  ///   - path: The path of the socket that the command line names; `nil` for the default ones.
  ///   - allowsRemoteButtons: Whether programs may press the buttons of a real board. They always may on
  ///     a virtual one.
  ///   - drawsBall: Whether to draw the ball on a virtual board, if there is a terminal.
  /// - Throws: Why the socket that the command line names cannot be opened, or keys cannot be read.
  mutating func open(
    at path: String?, allowsRemoteButtons: Bool, drawsBall: Bool
  ) throws(SystemError) {
    guard port.nest(loop.descriptor) else {
      throw SystemError(.current, "watch", "the event queue")
    }
    if let error = port.serviceError {
      let text = sentence(String(writing: { error.write(to: &$0) }))
      screen.note("Warning: no reports to the service manager: \(text)")
    }
    try board.open(in: loop, drawsBall: drawsBall)
    try openControl(at: path, allowsRemoteButtons: allowsRemoteButtons)
  }

  /// Opens the control socket. Warns if that fails and the command line names no path.
  private mutating func openControl(
    at path: String?, allowsRemoteButtons: Bool
  ) throws(SystemError) {
    let isVirtual = board.lines != nil
    let isOpen = port.openControl(
      at: path.map { ProgramText(lasting: $0) },
      allowsRemoteButtons: allowsRemoteButtons || isVirtual)
    if isOpen {
      controlPath = String(writing: { $0.writePrefix(of: port.controlPath) })
      guard isVirtual, path == nil, !port.isFirstControl else { return }
      screen.note(
        "Warning: another ball of yours runs, and eightball press uses that one. For this one, add "
          + "--control \(String(writing: { $0.writePrefix(of: port.controlPath) })).")
      return
    }
    if let path {
      guard let failure = port.controlError else { return }
      var error = SystemError(failure, of: path)
      if error.code == .addressInUse { error.explanation = "another ball does; name another path" }
      throw error
    }
    let error = String(writing: { port.writeControlError(to: &$0) })
    screen.note(
      "Warning: no program can listen to this ball: \(printable(error)). Give it a socket of its "
        + "own: --control PATH.")
  }

  /// Opens the file of the bonds, and warns if it cannot be used: the bonds then last until the ball
  /// ends.
  ///
  /// - Returns: The identity that the file had.
  mutating func openBonds(into bonds: inout BondTable<16>) -> LocalIdentity? {
    let identity = port.openBonds(into: &bonds)
    if port.bonds.hasNotice {
      let notice = String(writing: { port.bonds.writeNotice(to: &$0) })
      screen.note("Warning: \(sentence(printable(notice)))")
    }
    return identity
  }

  /// Warns of packets that are missing in a capture, closes the radio and the board, and restores
  /// the terminal.
  mutating func close() {
    warn(ofErrorsOf: sinks, note: screen.note)
    port.closeRadio()
    radio.close()
    screen.close(on: &port)
    board.close()
  }

  // MARK: Port

  var now: Instant { time.now }

  var endRequests: Int { port.endRequests }

  var deadline: Instant? {
    .earlier(port.deadline, .earlier(radio.deadline, board.lines?.deadline))
  }

  mutating func advance(to now: Instant) {
    if port.endRequests > 0 { time.leave() }
    time.beginTurn(at: now)
    port.advance(to: now)
    radio.advance(to: now)
    board.lines?.advance(to: now)
    board.parts?.advance(to: now)
  }

  mutating func answerChanged(to answer: Answer?) { board.show(answer) }

  mutating func wait(until deadline: Instant?) -> Bool {
    screen.flush(to: &port)
    port.waitForListeners(time.isSimulated)
    clockControl.sendState(isSimulated: time.isSimulated, on: &port)
    start.giveBack(at: now, before: deadline)
    let limit = time.wait(until: deadline, hasOutput: hasOutput) { port.writeRadio($0) }
    guard port.wait(until: limit) else {
      waitError = SystemError(.current, "wait for", "the event queue")
      return false
    }
    guard port.takeNestedEvent() else { return true }
    do throws(SystemError) {
      let start = Instant(rawValue: 0)
      try loop.wait(until: start, now: start)
    } catch {
      waitError = error
      return false
    }
    if board.isStopWanted {
      screen.erase(on: &port)
      board.stop()
    }
    return true
  }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening {
    let opening = radio.open(on: &port, at: now)
    if opening == .opened { time.radioIsOpen(at: now) }
    return opening
  }

  mutating func closeRadio() {
    port.closeRadio()
    time.radioIsClosed()
    hasOutput = false
    radio.radioIsClosed()
  }

  static var takesAttributes: Bool { true }

  mutating func export(_ attributes: Span<Attribute>) { port.export(attributes) }

  /// Has bluetoothd protect the values of the ball, on a radio beside it.
  mutating func protectValues(by protection: BallProtection) {
    port.protectValues(by: protection)
  }

  var isPacketwise: Bool { port.isPacketwise }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    port.readRadio(into: &space)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    let result = port.writeRadio(bytes)
    if case .taken(let count) = result { hasOutput = count < bytes.count }
    return result
  }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    port.note(packet, direction)
    if direction == .received { time.note(packet) }
    guard !sinks.isEmpty else { return }
    for sink in sinks { sink.note(packet, direction) }
    // The lines of many packets in one turn would not fit the queue.
    if screen.hasNotes { _ = screen.flushNotes(to: &port) }
  }

  // MARK: OutputPort

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    screen.print(bytes, to: stream, on: &port)
  }

  func writeRadioName(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array(radio.name.description.utf8).span)
  }

  func writeRadioError(to writer: inout ByteWriter) {
    guard let failure = radio.failure else {
      return port.writeRadioErrorBesideAir(to: &writer)
    }
    writer.writePrefix(of: Array(failure.description.utf8).span)
  }

  // MARK: ServicePort

  var hasServiceManager: Bool { port.hasServiceManager }

  var watchdogTimeout: UInt32? { port.watchdogTimeout }

  var waitsForRadio: Bool { port.waitsForRadio }

  mutating func report(_ message: Span<UInt8>) -> Bool { port.report(message) }
}

// MARK: MetricsPort

extension TerminalPort {
  typealias Metrics = LinuxPort.Metrics
  /// One set, with the data of a connectable advertisement.
  typealias Sets = AdvertisingSets<1, 245>
}

// MARK: FrontPanelPort

/// The buttons and lights of a virtual board, or else the port's.
extension TerminalPort {
  var hasPanel: Bool { board.lines?.hasPanel ?? port.hasPanel }

  mutating func openLines() -> Bool { board.lines?.openLines() ?? port.openLines() }

  mutating func closeLines() {
    if let lines = board.lines { lines.closeLines() } else { port.closeLines() }
  }

  func debounce(of button: ButtonName) -> UInt32 {
    board.lines?.debounce(of: button) ?? port.debounce(of: button)
  }

  mutating func contact(of button: ButtonName) -> ContactRead {
    board.lines?.contact(of: button) ?? port.contact(of: button)
  }

  mutating func nextEdge() -> EdgeRead { board.lines?.nextEdge() ?? port.nextEdge() }

  mutating func listen(toEdges isListening: Bool) {
    if let lines = board.lines {
      lines.listen(toEdges: isListening)
    } else {
      port.listen(toEdges: isListening)
    }
  }

  mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    board.lines?.set(light, isLit: isLit) ?? port.set(light, isLit: isLit)
  }

  mutating func checkLines() -> Bool { board.lines?.checkLines() ?? port.checkLines() }

  mutating func takeLinesChange() -> LinesChange {
    board.lines?.takeLinesChange() ?? port.takeLinesChange()
  }

  func writeLinesError(to writer: inout ByteWriter) {
    if let lines = board.lines {
      lines.writeLinesError(to: &writer)
    } else {
      port.writeLinesError(to: &writer)
    }
  }
}

// MARK: PartsPort

/// The parts of a virtual board, or else the port's.
extension TerminalPort {
  static var hasParts: Bool { true }

  var partsDeadline: Instant? { board.parts.map(\.deadline) ?? port.partsDeadline }

  mutating func takeShake(at now: Instant) -> Bool {
    board.parts?.takeShake(at: now) ?? port.takeShake(at: now)
  }

  mutating func show(_ state: BallState, at now: Instant) {
    guard let parts = board.parts else { return port.show(state, at: now) }
    parts.show(state, at: now)
    let isNew = parts.takePictureChange()
    if isNew, let picture = parts.picture { board.show(picture) }
    handControl.sendState(of: parts, isNew: isNew, on: &port)
  }

  mutating func takePartChange() -> PartChange? {
    if let parts = board.parts { parts.takeChange() } else { port.takePartChange() }
  }

  func write(_ error: PartError, of part: BoardPart, to writer: inout ByteWriter) {
    port.write(error, of: part, to: &writer)
  }
}

// MARK: ControlPort

extension TerminalPort {
  static var hasControl: Bool { true }

  var hasListeners: Bool { port.hasListeners }

  var hasControlEvent: Bool { port.hasControlEvent }

  var allowsRemoteButtons: Bool { port.allowsRemoteButtons }

  mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    board.lines?.press(button, isDown: isDown, at: now) ?? port.press(button, isDown: isDown)
  }

  mutating func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    while let event = port.nextControlEvent(into: &request) {
      switch event {
      case .joined(let listener):
        clockControl.join(listener)
        if board.parts != nil { handControl.join(listener) }
      case .request(let listener) where request.span.equals(HandControl.request):
        HandControl.reply(to: listener, shakes: board.parts?.shake(at: now) ?? false, on: &port)
        continue
      default: break
      }
      return event
    }
    return nil
  }

  mutating func send(_ lines: Span<UInt8>, to listener: Int?) { port.send(lines, to: listener) }

  mutating func sendPackets(_ isWanted: Bool, to listener: Int) {
    port.sendPackets(isWanted, to: listener)
  }

  func has(_ light: LightName) -> Bool { board.lines?.has(light) ?? port.has(light) }

  func writeBoardName(to writer: inout ByteWriter) { port.writeBoardName(to: &writer) }

  func writeVersion(to writer: inout ByteWriter) { port.writeVersion(to: &writer) }
}

// MARK: BondPort

/// The bonds are the port's, and the user answers at the terminal.
extension TerminalPort {
  var keepsBonds: Bool { port.keepsBonds }

  mutating func keepBonds(_ file: Span<UInt8>) -> Bool { port.keepBonds(file) }

  func writeBondsError(to writer: inout ByteWriter) { port.writeBondsError(to: &writer) }

  mutating func takeConfirmation() -> Bool? { board.user?.takeAnswer() }

  mutating func questionChanged(to question: PairingPrompt?) { board.ask(question) }
}

extension LinuxPort {
  /// Sends a line that only `eightball run` has to a listener of the control socket; `nil` for all.
  mutating func send(line: String, to listener: Int?) {
    guard hasListeners else { return }
    send(Array("\(line)\n".utf8).span, to: listener)
  }
}
