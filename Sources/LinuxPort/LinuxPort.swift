import BallRunner
import BlueZ
import BluetoothHost
import EightBall
// Who uses the port names what it is made of.
@_exported import Linux

/// Linux as a port: one controller, libgpiod's lines, two streams, a service manager, signals, and one
/// epoll. Nothing is allocated but by libgpiod, when it opens lines.
public struct LinuxPort: Port, ~Copyable {
  /// Why a port cannot be made.
  public enum SetupError: Error {
    /// The kernel refuses to create an epoll instance.
    case noQueue
    /// The kernel refuses to create a signalfd.
    case noSignals
  }

  private let queue: PollQueue
  private var signals: EndSignals
  private var radio: PortRadio
  private var lines: PortLines
  private var parts: BoardParts<I2CDevice>
  private let chips: DirectoryChanges?
  private var output: PortOutput
  private var errors: PortOutput
  private var service: PortService?
  private var control = ControlSocket()
  private var hasNestedEvent = false
  /// When the present turn began.
  private var turnTime = MonotonicClock.now
  // With a public setter Swift 6.3.1 fails to optimise across modules.
  /// The file of the bonds.
  public internal(set) var bonds = PortBonds()

  // To check an optional struct for `nil` copies it, and each turn checks. So these are flags, and
  // a board without lines also has a `PortLines`.

  /// Whether the board has lines or parts.
  public let hasPanel: Bool

  /// Whether a service manager wants reports.
  public let hasServiceManager: Bool

  /// Whether programs may press the buttons.
  public private(set) var allowsRemoteButtons = false

  /// Whether the control socket is the first of the paths where programs look for a ball.
  package private(set) var isFirstControl = false

  /// How often the ball was asked to end.
  public var endRequests: Int { signals.count }

  /// Why the service manager that the environment names cannot be reached; `nil` if it can, or there is
  /// none.
  public let serviceError: ServiceError?

  /// A port with this radio, and the lines and parts of `board` if it has any. Signals that end a program end the
  /// ball from now on. A display shows `name`.
  public init(
    _ choice: RadioAddress, board: BoardDescription?, name: DeviceName,
    chipsIn directory: StaticString = "/dev",
    service environment: ServiceEnvironment = .ofProcess
  ) throws(SetupError) {
    guard let queue = PollQueue() else { throw .noQueue }
    guard let signals = EndSignals() else { throw .noSignals }
    queue.add(signals.number, .signals, for: .readable)
    self.signals = signals
    radio = PortRadio(choice, sharing: .bluez)
    output = PortOutput(1, .output)
    errors = PortOutput(2, .errors)
    let board = board ?? BoardDescription(named: "none")
    hasPanel = board.hasLines || board.display != nil
    chips = board.hasLines ? Self.watch(directory, queue) : nil
    lines = PortLines(board, directory: directory)
    parts = BoardParts(board, name: name, at: MonotonicClock.now) { I2CDevice($0) }
    self.queue = queue
    do throws(ServiceError) {
      let found = try PortService(environment)
      switch found {
      case nil:
        hasServiceManager = false
        watchdogTimeout = nil
      case let service?:
        hasServiceManager = true
        watchdogTimeout = service.watchdogTimeout
      }
      service = found
      serviceError = nil
    } catch {
      hasServiceManager = false
      watchdogTimeout = nil
      service = nil
      serviceError = error
    }
  }

  /// Watches the folder of the chips; `nil` if the kernel refuses.
  private static func watch(
    _ directory: StaticString, _ queue: borrowing PollQueue
  ) -> DirectoryChanges? {
    guard let changes = unsafe try? DirectoryChanges(directory.cText) else { return nil }
    queue.add(changes.descriptor.number, .chips, for: .readable)
    return changes
  }

  // MARK: Time

  /// The monotonic clock.
  public var now: Instant { MonotonicClock.now }

  /// When the connection attempt ends, or programs may connect again.
  public var deadline: Instant? { Instant.earlier(radio.deadline, control.deadline) }

  /// Begins a turn: accepts programs again.
  public mutating func advance(to now: Instant) {
    turnTime = now
    control.advance(to: now, queue)
  }

  /// Sleeps until a descriptor is ready or `deadline` has come. The time that the turn has taken is not
  /// known: a second look at the clock would cost a system call in each turn.
  public mutating func wait(until deadline: Instant?) -> Bool {
    var timeout: Int32 = -1
    if let deadline {
      let rest = deadline > turnTime ? deadline.rawValue &- turnTime.rawValue : 0
      timeout = Int32(truncatingIfNeeded: min(rest, 0x7FFF_FFFF))
    }
    if control.isInUse {
      control.sendPackets()
      if control.hasEvents { timeout = 0 }
    }
    var hasControl = false
    var hasSignal = false
    var hasChips = false
    var hasNested = false
    var radioEvents = Readiness.none
    var lineEvents = Readiness.none
    let isRight = queue.wait(timeout) { token, events in
      switch token {
      case .radio: radioEvents.add(events)
      case .signals: hasSignal = true
      case .lines: lineEvents.add(events)
      case .chips: hasChips = true
      case .control: hasControl = true
      case .nested: hasNested = true
      default: break
      }
    }
    if radioEvents != .none { radio.handle(radioEvents) }
    if lineEvents != .none { lines.handle(lineEvents) }
    if hasSignal { signals.take() }
    if hasControl { control.handle(queue) }
    if hasNested { hasNestedEvent = true }
    let chipPrefix = ProgramText("gpiochip")
    if hasChips, chips?.take(namesFrom: chipPrefix.span) ?? false { lines.chipsChanged() }
    return isRight
  }

  // MARK: A queue of the program's own

  /// Wakes for the descriptor of another queue, such as an epoll instance; `false` if the kernel
  /// refuses. The queue must stay open as long as this port.
  package mutating func nest(_ descriptor: Int32) -> Bool {
    queue.add(descriptor, .nested, for: .readable)
  }

  /// Whether the nested queue has events since the last call.
  package mutating func takeNestedEvent() -> Bool {
    defer { hasNestedEvent = false }
    return hasNestedEvent
  }

  // MARK: The radio

  /// Opens the radio, for the first time or again. A service waits for its adapter; a person at a terminal
  /// learns at once that there is none.
  public mutating func openRadio(at now: Instant) -> RadioOpening {
    radio.open(queue, at: now, waitsForAdapter: hasServiceManager)
  }

  /// Why the last call on the radio failed; `nil` if it succeeded.
  package var radioError: SystemCallError? { radio.failure }

  /// Closes the radio, and uses the one at `address` from now on.
  package mutating func useRadio(_ address: RadioAddress) {
    radio.close(queue)
    radio = PortRadio(address, sharing: .bluez)
  }

  /// The address of the radio that is used.
  package var radioAddress: RadioAddress { radio.choice }

  /// Closes the radio. An adapter goes back to its previous state.
  public mutating func closeRadio() { radio.close(queue) }

  /// True: bluetoothd needs them.
  public static var takesAttributes: Bool { true }

  /// Describes the services of the ball, for a radio beside bluetoothd.
  public mutating func export(_ attributes: Span<Attribute>) { radio.export(attributes) }

  /// Has bluetoothd protect the values of the ball, on a radio beside it.
  public mutating func protectValues(by protection: BallProtection) {
    radio.protection = protection.ofQuestion | protection.ofAnswer
  }

  /// Whether the radio is an adapter's user channel.
  public var isPacketwise: Bool { radio.isPacketwise }

  /// Reads the available bytes into the front of `space`.
  public mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    radio.read(into: &space)
  }

  /// Writes as many of the first `bytes` as are taken now.
  public mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    radio.write(bytes, queue)
  }

  /// Writes the radio's name in the form of `--radio`.
  public func writeRadioName(to writer: inout ByteWriter) { radio.choice.write(to: &writer) }

  /// Writes why the last call on the radio failed, and what to do.
  public func writeRadioError(to writer: inout ByteWriter) {
    radio.writeError(to: &writer)
  }

  /// As `writeRadioError`, for a program that also takes `--radio virtual`.
  package func writeRadioErrorBesideAir(to writer: inout ByteWriter) {
    radio.writeError(to: &writer, hasVirtualAir: true)
  }

  // MARK: The lines

  /// Requests the lines: all, or none.
  public mutating func openLines() -> Bool { lines.open(queue) }

  /// Releases the lines.
  public mutating func closeLines() { lines.close(queue) }

  /// How long the contacts of `button` may bounce, in milliseconds.
  public func debounce(of button: ButtonName) -> UInt32 {
    lines.debounce(of: button)
  }

  /// Reads the contact of `button`.
  public mutating func contact(of button: ButtonName) -> ContactRead {
    lines.contact(of: button)
  }

  /// Takes the oldest edge.
  public mutating func nextEdge() -> EdgeRead { lines.nextEdge() }

  /// Whether edges wake the loop.
  public mutating func listen(toEdges isListening: Bool) { lines.listen(isListening, queue) }

  /// Turns `light` on or off; `false` if the lines have gone.
  public mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    lines.set(light, isLit: isLit)
  }

  /// Whether the open lines still work.
  public mutating func checkLines() -> Bool { lines.check() }

  /// Takes the change of the lines since the last call.
  public mutating func takeLinesChange() -> LinesChange { lines.takeChange() }

  /// Writes why the lines cannot be used, and what to do.
  public func writeLinesError(to writer: inout ByteWriter) {
    lines.writeError(to: &writer)
  }

  // MARK: The parts

  /// `true`.
  public static var hasParts: Bool { true }

  /// When a part has something to do.
  public var partsDeadline: Instant? { parts.deadline }

  /// Reads the motion sensor if that is due; `true` once for each shake of the ball.
  public mutating func takeShake(at now: Instant) -> Bool { parts.takeShake(at: now) }

  /// Shows the state of the ball on the display, and begins to read a motion sensor that has reported motion.
  public mutating func show(_ state: BallState, at now: Instant) {
    if lines.takeMotionEdge() { parts.moved(at: now) }
    parts.show(state, at: now)
  }

  /// Takes a change in whether a part works; `nil` without one.
  public mutating func takePartChange() -> PartChange? { parts.takeChange() }

  /// Writes why a part cannot be used, and what to do.
  public func write(_ error: PartError, of part: BoardPart, to writer: inout ByteWriter) {
    guard let part = lines.board[onBus: part] else { return }
    PartMessage(part, error).write(to: &writer)
  }

  // MARK: Output

  /// Prints as many of the first `bytes` as are taken without waiting.
  public mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    let result =
      switch stream {
      case .output: output.print(bytes, queue)
      case .errors: errors.print(bytes, queue)
      }
    switch result {
    case .taken(let count): return .taken(count)
    case .closed: return .closed
    }
  }

  // MARK: The service manager

  /// How long the service manager waits for a keep-alive report, in milliseconds; `nil` if it does
  /// not.
  public let watchdogTimeout: UInt32?

  /// Whether the adapter is not there yet, or the kernel still sets it up.
  public var waitsForRadio: Bool { radio.isPacketwise && radio.deadline != nil }

  /// Sends a datagram to the service manager; `false` if it was not taken.
  public mutating func report(_ message: Span<UInt8>) -> Bool {
    service?.report(message) ?? false
  }
}

/// The file of the bonds.
extension LinuxPort {
  /// Whether the ball keeps bonds: it does if it protects its links.
  public var keepsBonds: Bool { bonds.isInUse }

  /// Opens the file of the bonds: see `PortBonds.open`.
  public mutating func openBonds(into table: inout BondTable<16>) -> LocalIdentity? {
    bonds.open(into: &table)
  }

  /// Replaces the bond file.
  public mutating func keepBonds(_ file: Span<UInt8>) -> Bool { bonds.keep(file) }

  /// Writes why the bonds cannot be kept.
  public func writeBondsError(to writer: inout ByteWriter) { bonds.writeError(to: &writer) }
}

/// The control socket, through which programs of this user watch the ball and press its
/// buttons.
extension LinuxPort {
  /// Opens the control socket.
  ///
  /// - Parameters:
  ///   - path: Where; `nil` for the usual path.
  ///   - allowsRemoteButtons: Whether programs may press the buttons.
  /// - Returns: Whether programs can listen.
  public mutating func openControl(at path: ProgramText?, allowsRemoteButtons: Bool) -> Bool {
    self.allowsRemoteButtons = allowsRemoteButtons
    let path = path ?? ProgramText(environment: "EIGHTBALL_CONTROL")
    let folders = ProgramText(environment: "RUNTIME_DIRECTORY")
    let user = ProgramText(environment: "XDG_RUNTIME_DIR")
    // A second ball of the same user takes the second socket.
    for number in 1...UInt32(9) {
      var location = ByteBuffer<256>()
      location.write {
        ControlSocket.writePath(path, service: folders, user: user, number, to: &$0)
      }
      if control.open(location.span, queue) {
        isFirstControl = number == 1
        return true
      }
      guard path == nil, folders == nil, control.isTaken else { break }
    }
    return false
  }

  /// The path of the control socket, or the last one that was tried.
  package var controlPath: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { control.location }
  }

  /// Why programs cannot listen; `nil` if they can.
  package var controlError: SystemCallError? { control.failure }

  /// Writes why programs cannot listen, without a full stop.
  public func writeControlError(to writer: inout ByteWriter) {
    control.writeError(to: &writer)
  }

  /// The port waits for a listener that has no room, at most 2 s, or it drops the listener at once.
  package mutating func waitForListeners(_ waits: Bool) { control.roomLimit = waits ? 2_000 : 0 }

  /// Keeps the packet for the programs that want it.
  @inline(__always)
  public mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    if control.hasPacketListeners { control.note(packet, direction) }
  }

  /// What the figures are kept in.
  public typealias Metrics = BallMetricStore<4>

  /// `true`.
  public static var hasControl: Bool { true }

  /// Whether a program listens.
  public var hasListeners: Bool { control.isInUse }

  /// Whether something has happened at the control socket.
  public var hasControlEvent: Bool { control.hasEvents }

  /// Lets a program press a button, or let it go.
  public mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    lines.press(button, isDown: isDown)
  }

  /// Takes what has happened at the control socket.
  public mutating func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    control.nextEvent(into: &request)
  }

  /// Sends lines to one listener, or to all.
  public mutating func send(_ lines: Span<UInt8>, to listener: Int?) {
    control.send(lines, to: listener)
  }

  /// Whether a listener gets each packet.
  public mutating func sendPackets(_ isWanted: Bool, to listener: Int) {
    control.sendPackets(isWanted, to: listener)
  }

  /// Whether the board has this light.
  public func has(_ light: LightName) -> Bool {
    lines.board.hasLine(of: BoardPart(light))
  }

  /// Writes the board's name.
  public func writeBoardName(to writer: inout ByteWriter) {
    writer.write(start: lines.board.name.span)
  }

  /// Writes the version of the program.
  public func writeVersion(to writer: inout ByteWriter) {
    writer.write(text: EightBallProfile.version)
  }
}
