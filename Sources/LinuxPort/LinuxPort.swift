import BallRunner
import BluetoothHost
import Boards
import CLinuxPort
import EightBall

/// Linux as a port: one controller, libgpiod's lines, two streams, a service manager, signals, and one
/// epoll. Nothing is allocated but by libgpiod, when it opens lines.
public struct LinuxPort: Port, ~Copyable {
  /// Why a port cannot be made.
  public enum Failure: Error {
    /// The kernel makes no epoll.
    case noQueue
    /// The kernel makes no descriptor of signals.
    case noSignals
  }

  private let queue: PollQueue
  private let signals: PortDescriptor
  private var radio: PortRadio
  private var lines: PortLines
  private let chips: ChipWatch?
  private var output: PortOutput
  private var errors: PortOutput
  private var service: PortService?
  #if SECURITY || !hasFeature(Embedded)
    /// The file of the bonds.
    public var bonds = PortBonds()
  #endif

  // A look whether an optional struct is there costs a copy of it, and each turn looks: so these are
  // flags, and a board without lines has a `PortLines` as well.

  /// Whether the board has lines.
  public let hasPanel: Bool

  /// Whether a service manager wants reports.
  public let hasServiceManager: Bool

  /// How often the ball was asked to end.
  public private(set) var endRequests = 0

  /// Why the service manager that the environment names cannot be reached; `nil` if it can, or there is
  /// none.
  public let serviceError: ServiceError?

  /// A port with this radio, and the lines of `board` if it has any. Signals that end a program end the
  /// ball from now on.
  public init(
    _ choice: RadioChoice, board: BoardDescription?, chipsIn directory: StaticString = "/dev",
    service environment: ServiceEnvironment = .ofProcess
  ) throws(Failure) {
    guard let queue = PollQueue() else { throw .noQueue }
    let number = clinuxport_open_signals()
    guard number >= 0 else { throw .noSignals }
    signals = PortDescriptor(owning: number)
    queue.add(number, .signals, for: PollQueue.readable)
    radio = PortRadio(choice)
    output = PortOutput(1, .output)
    errors = PortOutput(2, .errors)
    let board = board ?? BoardDescription(named: "none")
    hasPanel = board.hasLines
    chips = board.hasLines ? ChipWatch(directory, queue) : nil
    lines = PortLines(board, directory: directory)
    self.queue = queue
    do throws(ServiceError) {
      let found = try PortService(environment)
      switch found {
      case nil:
        hasServiceManager = false
        watchdogPatience = nil
      case let service?:
        hasServiceManager = true
        watchdogPatience = service.patience
      }
      service = found
      serviceError = nil
    } catch {
      hasServiceManager = false
      watchdogPatience = nil
      service = nil
      serviceError = error
    }
  }

  // MARK: Time

  /// CLOCK_MONOTONIC.
  public var now: Instant { Instant(rawValue: clinuxport_now()) }

  /// Until when a connection is being made.
  public var deadline: Instant? { radio.deadline }

  /// Sleeps until a descriptor has news or `deadline` has come.
  public mutating func wait(until deadline: Instant?) -> Bool {
    var timeout: Int32 = -1
    if let deadline {
      let now = self.now
      let rest = deadline > now ? deadline.rawValue &- now.rawValue : 0
      timeout = Int32(truncatingIfNeeded: min(rest, 0x7FFF_FFFF))
    }
    var hasSignal = false
    var hasChips = false
    var radioEvents: UInt32 = 0
    var lineEvents: UInt32 = 0
    let isRight = queue.wait(timeout) { token, events in
      switch token {
      case .radio: radioEvents |= events
      case .signals: hasSignal = true
      case .lines: lineEvents |= events
      case .chips: hasChips = true
      case .listener, .output, .errors: break
      }
    }
    if radioEvents != 0 { radio.handle(radioEvents) }
    if lineEvents != 0 { lines.handle(lineEvents) }
    if hasSignal { takeSignals() }
    if hasChips, chips?.takeChange() ?? false { lines.chipsChanged() }
    return isRight
  }

  private mutating func takeSignals() {
    while true {
      switch UInt32(bitPattern: clinuxport_next_signal(signals.number)) {
      case CLINUXPORT_SIGNAL_END.rawValue: endRequests &+= 1
      case CLINUXPORT_SIGNAL_HANG_UP.rawValue:
        // A terminal that goes is reported by the kernel and by the shell: nobody is impatient.
        if endRequests == 0 { endRequests = 1 }
      default: return
      }
    }
  }

  // MARK: The radio

  /// Opens the radio, for the first time or again.
  public mutating func openRadio(at now: Instant) -> RadioOpening { radio.open(queue, at: now) }

  /// Closes the radio. An adapter is given back as it was.
  public mutating func closeRadio() { radio.close(queue) }

  /// Whether the radio is an adapter's user channel.
  public var isPacketwise: Bool { radio.isPacketwise }

  /// Reads what there is into the front of `space`.
  public mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    radio.read(into: &space)
  }

  /// Writes the first of `bytes`, as many as are taken now.
  public mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    radio.write(bytes, queue)
  }

  /// Writes the radio's name, as `--radio` takes it.
  public func writeRadioName(to writer: inout ByteWriter) { radio.choice.write(to: &writer) }

  /// Writes why the last call on the radio failed, and what helps.
  public func writeRadioTrouble(to writer: inout ByteWriter) { radio.writeTrouble(to: &writer) }

  // MARK: The lines

  /// Asks for the lines: all, or none.
  public mutating func openLines() -> Bool { lines.open(queue) }

  /// Gives the lines back.
  public mutating func closeLines() { lines.close(queue) }

  /// How long the contacts of `button` may bounce, in milliseconds.
  public func debounce(of button: ButtonName) -> UInt32 {
    lines.debounce(of: button)
  }

  /// Looks at the contact of `button`.
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

  /// Whether the open lines are still of use.
  public mutating func checkLines() -> Bool { lines.check() }

  /// Takes what has become of the lines since the last call.
  public mutating func takeLinesNews() -> LinesNews { lines.takeNews() }

  /// Writes why the lines cannot be used, and what helps.
  public func writeLinesTrouble(to writer: inout ByteWriter) {
    lines.writeTrouble(to: &writer)
  }

  // MARK: Words

  /// Prints the first of `bytes`, as many as are taken without waiting.
  public mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    switch stream {
    case .output: output.print(bytes, queue)
    case .errors: errors.print(bytes, queue)
    }
  }

  // MARK: The service manager

  /// How long the service manager waits for a sign of life, in milliseconds; `nil` if it does not.
  public let watchdogPatience: UInt32?

  /// Sends a datagram to the service manager; whether it was taken.
  public mutating func report(_ message: Span<UInt8>) -> Bool {
    service?.report(message) ?? false
  }
}
