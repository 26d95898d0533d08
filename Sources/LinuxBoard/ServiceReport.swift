import BluetoothHost
import LinuxSystem

/// What the service manager is told of a running ball, by sd_notify(3): that it is ready, once it
/// has advertised; a line about its state, whenever that changes; that it is alive, if a watchdog
/// wants to know; and that it is stopping.
///
/// It is told by the loop that serves the radio, so a loop that hangs falls silent. Takes no memory
/// after it is made.
public final class ServiceReport {
  /// When to try again what the service manager did not take, in milliseconds.
  static let retryPatience: UInt32 = 1_000

  private let manager: ServiceManager
  /// Between two signs of life, in milliseconds: half of what the watchdog waits for.
  private let rhythm: UInt32?

  private var radio = RadioState.starting
  private var connectionCount = 0
  private var isReady = false
  private var isStopping = false

  /// Whether the manager has been told of readiness, of the end, and of the state as it is.
  private var hasToldReady = false
  private var hasToldStopping = false
  private var hasToldState = false

  private var nextSign: Instant?
  private var retry: Instant?

  /// A report to `manager`, to whom nothing has been said yet.
  public init(to manager: consuming ServiceManager) {
    rhythm = manager.patience.map { max($0 / 2, 1) }
    self.manager = manager
    // The first sign of life starts the rhythm.
    nextSign = rhythm.map { _ in Instant(rawValue: 0) }
  }

  /// When `send` must be called; `nil` if only a change can bring anything.
  public var deadline: Instant? { retry ?? nextSign }

  /// The ball's radio is in `state`, and so many centrals are connected.
  public func note(_ state: RadioState, connectionCount: Int) {
    if state == .advertising || connectionCount > 0 { isReady = true }
    let isSame = state == radio && connectionCount == self.connectionCount
    // What stops says that, and no more.
    if isSame || isStopping { return }
    radio = state
    self.connectionCount = connectionCount
    hasToldState = false
  }

  /// The ball has been told to end.
  public func stop() {
    guard !isStopping else { return }
    isStopping = true
    hasToldState = false
  }

  /// Tells what there is to tell.
  public func send(at now: Instant) {
    if let retry, retry > now { return }
    let isSignDue = nextSign.map { $0 <= now } ?? false
    guard isSignDue || !hasToldState || isReady != hasToldReady || isStopping != hasToldStopping
    else { return }
    guard tellAll() else {
      retry = now.advanced(by: Self.retryPatience)
      return
    }
    retry = nil
    hasToldReady = isReady
    hasToldStopping = isStopping
    hasToldState = true
    nextSign = rhythm.map { now.advanced(by: $0) }
  }

  /// Tells what is new in one datagram; whether it was taken. If a watchdog waits for signs of
  /// life, each datagram is one.
  private func tellAll() -> Bool {
    var storage = InlineArray<256, UInt8>(repeating: 0)
    var writer = ByteWriter(storage.mutableSpan)
    if isReady, !hasToldReady { StaticText("READY=1\n").writePrefix(to: &writer) }
    if isStopping, !hasToldStopping { StaticText("STOPPING=1\n").writePrefix(to: &writer) }
    if rhythm != nil { StaticText("WATCHDOG=1\n").writePrefix(to: &writer) }
    if !hasToldState { writeState(to: &writer) }
    let length = writer.count
    return manager.tell(storage.span.extracting(first: length))
  }

  private func writeState(to writer: inout ByteWriter) {
    StaticText("STATUS=").writePrefix(to: &writer)
    state.writePrefix(to: &writer)
    if !isStopping, connectionCount > 0 {
      StaticText(" Connected: ").writePrefix(to: &writer)
      // A ball has fewer places than ten.
      writer.write(UInt8(ascii: "0") + UInt8(clamping: connectionCount % 10))
      StaticText(".").writePrefix(to: &writer)
    }
    StaticText("\n").writePrefix(to: &writer)
  }

  private var state: StaticText {
    if isStopping { return StaticText("Stopping.") }
    switch radio {
    case .starting: return StaticText("Starting the radio.")
    case .advertising: return StaticText("Advertising.")
    case .silent: return StaticText("Not advertising.")
    case .fault: return StaticText("The radio is lost; trying again.")
    }
  }
}
