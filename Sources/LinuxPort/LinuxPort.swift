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
  private var lines: PortLines?
  private let chips: ChipWatch?
  private var output: PortOutput
  private var errors: PortOutput
  private var service: PortService?

  // A look whether an optional struct is there costs a copy of it, and each turn looks.

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
    if let board, board.hasLines {
      hasPanel = true
      lines = PortLines(board, directory: directory)
      chips = ChipWatch(directory, queue)
    } else {
      hasPanel = false
      lines = nil
      chips = nil
    }
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
    if lineEvents != 0 { lines?.handle(lineEvents) }
    if hasSignal { takeSignals() }
    if hasChips, chips?.takeChange() ?? false { lines?.chipsChanged() }
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

  public mutating func openRadio(at now: Instant) -> RadioOpening { radio.open(queue, at: now) }

  public mutating func closeRadio() { radio.close(queue) }

  public var isPacketwise: Bool { radio.isPacketwise }

  public mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    radio.read(into: &space)
  }

  public mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    radio.write(bytes, queue)
  }

  public func writeRadioName(to writer: inout ByteWriter) { radio.choice.write(to: &writer) }

  public func writeRadioTrouble(to writer: inout ByteWriter) { radio.writeTrouble(to: &writer) }

  // MARK: The lines

  public mutating func openLines() -> Bool { lines?.open(queue) ?? false }

  public mutating func closeLines() { lines?.close(queue) }

  public func debounce(of button: ButtonName) -> UInt32 {
    switch lines {
    case nil: 0
    case let lines?: lines.debounce(of: button)
    }
  }

  public mutating func contact(of button: ButtonName) -> ContactRead {
    lines?.contact(of: button) ?? .none
  }

  public mutating func nextEdge() -> EdgeRead { lines?.nextEdge() ?? .none }

  public mutating func listen(toEdges isListening: Bool) { lines?.listen(isListening, queue) }

  public mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    lines?.set(light, isLit: isLit) ?? true
  }

  public mutating func checkLines() -> Bool { lines?.check() ?? true }

  public mutating func takeLinesNews() -> LinesNews { lines?.takeNews() ?? .none }

  public func writeLinesTrouble(to writer: inout ByteWriter) {
    switch lines {
    case nil: return
    case let lines?: lines.writeTrouble(to: &writer)
    }
  }

  // MARK: Words

  public mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    switch stream {
    case .output: output.print(bytes, queue)
    case .errors: errors.print(bytes, queue)
    }
  }

  // MARK: The service manager

  public let watchdogPatience: UInt32?

  public mutating func report(_ message: Span<UInt8>) -> Bool {
    service?.report(message) ?? false
  }
}
