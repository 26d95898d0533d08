import BluetoothHost
import LinuxSystem

/// Reports to the service manager how a running ball is, by sd_notify(3): that it is ready, once it
/// has advertised; its state, whenever that changes; that it is alive, if a watchdog waits for that;
/// and that it is stopping.
///
/// Changes of the state are within an `OutputAllowance`: one that is put off is reported, as the
/// state is then, in the next second. The loop that serves the radio makes the reports, so a loop
/// that hangs falls silent. Takes no memory after it is made.
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

  /// Centrals that come and go change the state as often as they like.
  private var allowance = OutputAllowance()
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
  public var deadline: Instant? {
    if let retry { return retry }
    return .earlier(nextSign, !hasToldState && allowance.isSpent ? allowance.nextSecond : nil)
  }

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
    allowance.advance(to: now)
    let isSignDue = nextSign.map { $0 <= now } ?? false
    let isStateDue = !hasToldState && !allowance.isSpent
    guard isSignDue || isStateDue || isReady != hasToldReady || isStopping != hasToldStopping
    else { return }
    guard tellAll() else {
      retry = now.advanced(by: Self.retryPatience)
      return
    }
    if !hasToldState { allowance.spend(at: now) }
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
