import BallRunner
import BluetoothHost
import Boards
import EightBall
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// What a ball needs of a machine, as `eightball run` has it: any radio, the virtual air among them;
/// the lines of a chip or a virtual board; the terminal; a service manager; signals.
struct ToolPort: Port, ~Copyable {
  private let loop: EventLoop
  private let signals: TerminationSignals
  private let screen: Screen
  private let service: ServiceManager?
  private var radio: RadioSourcePort
  private var board: RunningBoard?
  private var bonds: BondKeeper?
  private var user: PairingUser?
  /// Why the kernel refuses to wait.
  private(set) var waitFailure: SystemError?

  /// A port whose radio is not open.
  ///
  /// - Parameters:
  ///   - sinks: See the packets.
  ///   - bonds: Keeps the bonds; `nil` for a ball that protects nothing.
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

  /// Opens the radio for the first time, and then the board.
  ///
  /// - Parameters:
  ///   - drawsBall: Whether to draw the ball on a virtual board, where there is a terminal.
  ///   - hasUser: Whether somebody at the terminal answers what a pairing asks.
  /// - Throws: `RadioError` if the radio cannot be opened; `SystemError`.
  mutating func open(
    _ description: BoardDescription?, drawsBall: Bool, hasUser: Bool = false
  ) throws {
    try radio.open(in: loop, endedBy: signals)
    let user = hasUser ? PairingUser() : nil
    self.user = user
    if let description {
      board = try RunningBoard(
        description, loop: loop, screen: screen, drawsBall: drawsBall, user: user)
    }
    if board?.hasKeyboard != true { try user?.listen(in: loop) }
  }

  /// Gives all back: the radio, the board, the terminal.
  mutating func close() {
    radio.close()
    board?.close()
    user?.close()
    screen.close()
  }

  // MARK: Port

  var now: Instant { MonotonicClock.now }

  var endRequests: Int { signals.count }

  var deadline: Instant? { .earlier(radio.deadline, board?.panel.deadline) }

  mutating func advance(to now: Instant) {
    radio.advance(to: now)
    board?.panel.advance(to: now)
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

  var watchdogPatience: UInt32? {
    switch service {
    case nil: nil
    case let service?: service.patience
    }
  }

  mutating func report(_ message: Span<UInt8>) -> Bool {
    switch service {
    case nil: false
    case let service?: service.tell(message)
    }
  }
}

// MARK: PanelPort

/// The buttons and lights are the board's. Nothing here is called without one.
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

  mutating func takeLinesNews() -> LinesNews { board?.panel.takeLinesNews() ?? .none }

  func writeLinesTrouble(to writer: inout ByteWriter) {
    board?.panel.writeLinesTrouble(to: &writer)
  }
}

// MARK: BondPort

/// The bonds are in a file of the user's, and the user at the terminal.
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
