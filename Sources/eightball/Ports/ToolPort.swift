import BallControl
import BallMetrics
import BallRunner
import BluetoothHost
import Boards
import EightBall
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// The port of `eightball run`: any radio, including the virtual air; the lines of a chip or a
/// virtual board; the terminal; a control socket; a service manager; signals.
struct ToolPort: Port, ~Copyable {
  private let loop: EventLoop
  private let signals: TerminationSignals
  private let screen: Screen
  private let service: ServiceManager?
  private var radio: RadioSourcePort
  private var board: RunningBoard?
  private var control: ControlSocket?
  private var bonds: BondKeeper?
  private var user: PairingUser?
  /// Serves the figures; `nil` without `--metrics`.
  private var metrics: MetricsServer?
  /// Why the kernel refuses to wait.
  private(set) var waitFailure: SystemError?
  /// Whether programs may press the buttons.
  private(set) var allowsPresses = false
  private var boardName = "none"

  /// A port whose radio is not open.
  ///
  /// - Parameters:
  ///   - sinks: Get the packets.
  ///   - bonds: Keeps the bonds; `nil` for an open ball.
  init(
    _ name: RadioName, watchedBy sinks: [any PacketSink], screen: Screen,
    service: consuming ServiceManager?, bonds: consuming BondKeeper? = nil, loop: EventLoop
  ) throws(SystemError) {
    self.bonds = bonds
    self.loop = loop
    self.screen = screen
    self.service = service
    signals = try TerminationSignals(loop: loop)
    radio = RadioSourcePort(name, loop: loop)
    radio.sinks = sinks
  }

  /// Opens the radio for the first time, then the board, and then the control socket.
  ///
  /// - Parameters:
  ///   - control: Where programs connect, and what they may do.
  ///   - drawsBall: Whether to draw the ball on a virtual board, if there is a terminal.
  ///   - hasUser: Whether a user at the terminal answers pairing questions.
  /// - Throws: `RadioError` if the radio cannot be opened; `SystemError`.
  mutating func open(
    _ description: BoardDescription?, control: ControlSettings, drawsBall: Bool,
    hasUser: Bool = false
  ) throws {
    try radio.open(in: loop, endedBy: signals)
    let user = hasUser ? PairingUser() : nil
    self.user = user
    if let description {
      board = try RunningBoard(
        description, loop: loop, screen: screen, drawsBall: drawsBall, user: user)
    }
    if board?.hasKeyboard != true { try user?.listen(in: loop) }
    boardName = description?.name.description ?? "none"
    allowsPresses = description?.isVirtual == true || control.allowsPresses
    self.control = try control.open(
      in: loop, isPressed: description?.isVirtual == true, note: screen.note)
    if let socket = self.control { radio.sinks.append(ControlPackets(socket)) }
  }

  /// Serves the figures of the ball at `address`.
  ///
  /// - Returns: The port; `nil` if a signal came while the host was looked up.
  /// - Throws: `MetricsError`, `SystemError`.
  mutating func serveMetrics(at address: MetricsAddress) throws -> UInt16? {
    metrics = try address.serve(in: loop, endedBy: signals)
    return metrics?.port
  }

  /// Warns of packets that are missing in a capture, closes the radio, the board and the sockets, and
  /// restores the terminal.
  mutating func close() {
    warn(ofFailuresOf: radio.sinks, note: screen.note)
    radio.close()
    control?.close()
    metrics?.close()
    board?.close()
    user?.close()
    screen.close()
  }

  // MARK: Port

  var now: Instant { MonotonicClock.now }

  var endRequests: Int { signals.count }

  var deadline: Instant? {
    // A listener did something during this turn: another turn follows at once.
    if hasControlEvent { return Instant(rawValue: 0) }
    let ofBall = Instant.earlier(radio.deadline, board?.panel.deadline)
    return .earlier(ofBall, .earlier(metrics?.deadline, control?.deadline))
  }

  mutating func advance(to now: Instant) {
    radio.advance(to: now)
    board?.panel.advance(to: now)
    metrics?.advance(to: now)
    control?.advance(to: now)
    screen.advance()
  }

  mutating func answerChanged(to answer: Answer?) { board?.show(answer) }

  mutating func wait(until deadline: Instant?) -> Bool {
    do throws(SystemError) {
      try loop.wait(until: deadline)
      return true
    } catch {
      waitFailure = error
      return false
    }
  }

  // MARK: RadioPort

  mutating func openRadio(at now: Instant) -> RadioOpening { radio.openRadio(at: now) }

  mutating func closeRadio() { radio.closeRadio() }

  var isPacketwise: Bool { radio.isPacketwise }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    radio.readRadio(into: &space)
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite { radio.writeRadio(bytes) }

  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    radio.note(packet, direction)
  }

  // MARK: OutputPort

  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    screen.print(bytes, to: stream)
  }

  func writeRadioName(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array(radio.name.description.utf8).span)
  }

  func writeRadioTrouble(to writer: inout ByteWriter) {
    guard let failure = radio.failure else { return }
    writer.writePrefix(of: Array(failure.description.utf8).span)
  }

  // MARK: ServicePort

  var hasServiceManager: Bool { service != nil }

  var watchdogTimeout: UInt32? {
    switch service {
    case nil: nil
    case let service?: service.watchdogTimeout
    }
  }

  mutating func report(_ message: Span<UInt8>) -> Bool {
    switch service {
    case nil: false
    case let service?: service.send(message)
    }
  }
}

// MARK: FiguresPort

extension ToolPort {
  typealias Figures = BallCounter<4>

  var wantsFigures: Bool { metrics?.isAsked ?? false }

  mutating func take(_ figures: BallFigures) { metrics?.answer(MetricsText(figures)) }
}

// MARK: PanelPort

/// The buttons and lights of the board. Nothing here is called without a board.
extension ToolPort {
  var hasPanel: Bool { board?.panel.hasPanel ?? false }

  mutating func openLines() -> Bool { board?.panel.openLines() ?? false }

  mutating func closeLines() { board?.panel.closeLines() }

  func debounce(of button: ButtonName) -> UInt32 { board?.panel.debounce(of: button) ?? 0 }

  mutating func contact(of button: ButtonName) -> ContactRead {
    board?.panel.contact(of: button) ?? .none
  }

  mutating func nextEdge() -> EdgeRead { board?.panel.nextEdge() ?? .none }

  mutating func listen(toEdges isListening: Bool) { board?.panel.listen(toEdges: isListening) }

  mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    board?.panel.set(light, isLit: isLit) ?? false
  }

  mutating func checkLines() -> Bool { board?.panel.checkLines() ?? false }

  mutating func takeLinesChange() -> LinesChange { board?.panel.takeLinesChange() ?? .none }

  func writeLinesTrouble(to writer: inout ByteWriter) {
    board?.panel.writeLinesTrouble(to: &writer)
  }
}

// MARK: ControlPort

/// Programs connect to a socket of the user.
extension ToolPort {
  static var hasControl: Bool { true }

  var hasListeners: Bool { control?.hasListeners ?? false }

  var hasControlEvent: Bool { control?.hasEvents ?? false }

  mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    board?.press(button, isDown: isDown) ?? .noButton
  }

  mutating func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    control?.nextEvent(into: &request)
  }

  mutating func send(_ lines: Span<UInt8>, to listener: Int?) { control?.send(lines, to: listener) }

  mutating func sendPackets(_ isWanted: Bool, to listener: Int) {
    control?.sendPackets(isWanted, to: listener)
  }

  func has(_ light: LightName) -> Bool { board?.has(light) ?? false }

  func writeBoardName(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array(boardName.utf8).span)
  }

  func writeVersion(to writer: inout ByteWriter) {
    writer.writePrefix(of: Array("\(EightBallProfile.version)".utf8).span)
  }
}

// MARK: BondPort

/// The bonds are in a file of the user, and the user answers at the terminal.
extension ToolPort {
  mutating func keepBonds(_ file: Span<UInt8>) -> Bool { bonds?.keep(file) ?? false }

  func writeBondsTrouble(to writer: inout ByteWriter) {
    let trouble =
      switch bonds {
      case nil: ""
      case let bonds?: bonds.trouble ?? ""
      }
    writer.writePrefix(of: Array(trouble.utf8).span)
  }

  mutating func takeConfirmation() -> Bool? { user?.takeAnswer() }

  mutating func questionChanged(to question: PairingPrompt?) {
    guard let user, user.question != question else { return }
    user.question = question
    screen.draw()
  }
}
