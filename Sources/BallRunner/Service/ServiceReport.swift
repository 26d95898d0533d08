import BluetoothHost

/// Reports to the service manager how a running ball is, by sd_notify(3): that it is ready, once it
/// has advertised; its state, whenever that changes; that it is alive, if a watchdog waits for that;
/// and that it is stopping.
///
/// Changes of the state are within an `OutputAllowance`: one that is put off is reported, as the
/// state is then, in the next second. The loop that serves the radio makes the reports, so a loop
/// that hangs falls silent.
struct ServiceReport {
  /// When to try again what the service manager did not take, in milliseconds.
  static var retryPatience: UInt32 { 1_000 }

  /// Between two signs of life, in milliseconds: half of what the watchdog waits for.
  private let rhythm: UInt32?

  private var radio = RadioState.starting
  private var connectionCount = 0
  private var isReady = false
  private var isStopping = false

  /// Whether the manager knows of readiness, of the end, and of the state as it is.
  private var hasReportedReady = false
  private var hasReportedStopping = false
  private var hasReportedState = false

  /// Centrals that come and go change the state as often as they like.
  private var allowance = OutputAllowance()
  private var nextSign: Instant?
  private var retry: Instant?

  /// A report to a manager to which nothing has been said yet.
  ///
  /// - Parameter patience: How long its watchdog waits for a sign of life, in milliseconds; `nil` if it
  ///   has none.
  init(patience: UInt32?) {
    rhythm = patience.map { max($0 / 2, 1) }
    // The first sign of life starts the rhythm.
    nextSign = rhythm.map { _ in Instant(rawValue: 0) }
  }

  /// When `send` must be called; `nil` if only a change can bring anything.
  var deadline: Instant? {
    if let retry { return retry }
    return .earlier(nextSign, !hasReportedState && allowance.isSpent ? allowance.nextSecond : nil)
  }

  /// The ball's radio is in `state`, and so many centrals are connected.
  mutating func note(_ state: RadioState, connectionCount: Int) {
    if state == .advertising || connectionCount > 0 { isReady = true }
    let isSame = state == radio && connectionCount == self.connectionCount
    // What stops says that, and no more.
    if isSame || isStopping { return }
    radio = state
    self.connectionCount = connectionCount
    hasReportedState = false
  }

  /// The ball ends.
  mutating func stop() {
    guard !isStopping else { return }
    isStopping = true
    hasReportedState = false
  }

  /// Sends what there is to report.
  mutating func send<Port: ServicePort & ~Copyable>(to port: inout Port, at now: Instant) {
    if let retry, retry > now { return }
    allowance.advance(to: now)
    let isSignDue = nextSign.map { $0 <= now } ?? false
    let isStateDue = !hasReportedState && !allowance.isSpent
    guard
      isSignDue || isStateDue || isReady != hasReportedReady || isStopping != hasReportedStopping
    else { return }
    guard sendAll(to: &port) else {
      retry = now.advanced(by: Self.retryPatience)
      return
    }
    if !hasReportedState { allowance.spend(at: now) }
    retry = nil
    hasReportedReady = isReady
    hasReportedStopping = isStopping
    hasReportedState = true
    nextSign = rhythm.map { now.advanced(by: $0) }
  }

  /// Sends what is new in one datagram; whether it was taken. If a watchdog waits for signs of life,
  /// each datagram is one.
  private func sendAll<Port: ServicePort & ~Copyable>(to port: inout Port) -> Bool {
    var message = ByteBuffer<128>()
    message.write { writer in
      if isReady, !hasReportedReady { writer.write(text: "READY=1\n") }
      if isStopping, !hasReportedStopping { writer.write(text: "STOPPING=1\n") }
      if rhythm != nil { writer.write(text: "WATCHDOG=1\n") }
      if !hasReportedState { writeState(to: &writer) }
    }
    return port.report(message.span)
  }

  private func writeState(to writer: inout ByteWriter) {
    writer.write(text: "STATUS=")
    writer.write(text: state)
    if !isStopping, connectionCount > 0 {
      writer.write(text: " Connected: ")
      writer.write(decimal: connectionCount)
      writer.write(text: ".")
    }
    writer.write(text: "\n")
  }

  private var state: StaticString {
    if isStopping { return "Stopping." }
    return switch radio {
    case .starting: "Starting the radio."
    case .advertising: "Advertising."
    case .silent: "Not advertising."
    case .fault: "The radio is lost; trying again."
    }
  }
}
