import BluetoothHost

/// Reports the state of a running ball to the service manager, as in sd_notify(3): that it is
/// ready, once it has advertised or waits for its radio; each change of its state; that it is
/// alive, if there is a watchdog; and that it is stopping. An `OutputAllowance` limits the changes:
/// a delayed one is reported in the next second, with the state at that time. The loop that serves
/// the radio makes the reports, so a loop that hangs sends none.
struct ServiceReport {
  /// When to retry a report that the service manager did not take, in milliseconds.
  static var retryDelay: UInt32 { 1_000 }

  /// The time between two keep-alive reports, in milliseconds: half of the watchdog timeout.
  private let keepAliveInterval: UInt32?

  private var radio = RadioState.starting
  private var connectionCount = 0
  private var isReady = false
  private var isStopping = false

  /// Whether readiness, the end and the present state were reported.
  private var hasReportedReady = false
  private var hasReportedStopping = false
  private var hasReportedState = false

  /// Centrals that come and go change the state without limit.
  private var allowance = OutputAllowance()
  private var nextKeepAlive: Instant?
  private var retry: Instant?

  /// A reporter that has reported nothing yet.
  ///
  /// - Parameter watchdogTimeout: How long the watchdog waits for a keep-alive report, in
  ///   milliseconds; `nil` without a watchdog.
  init(watchdogTimeout: UInt32?) {
    keepAliveInterval = watchdogTimeout.map { max($0 / 2, 1) }
    // The first report starts the interval.
    nextKeepAlive = keepAliveInterval.map { _ in Instant(rawValue: 0) }
  }

  /// When `send` must be called; `nil` if no report is due.
  var deadline: Instant? {
    if let retry { return retry }
    return .earlier(
      nextKeepAlive, !hasReportedState && allowance.isSpent ? allowance.nextSecond : nil)
  }

  /// Notes the radio's state, the number of connected centrals, and whether the port waits for its radio.
  mutating func note(_ state: RadioState, connectionCount: Int, isWaiting: Bool = false) {
    if state == .advertising || connectionCount > 0 || isWaiting { isReady = true }
    let isSame = state == radio && connectionCount == self.connectionCount
    // A ball that stops reports only that.
    if isSame || isStopping { return }
    radio = state
    self.connectionCount = connectionCount
    hasReportedState = false
  }

  /// Notes that the ball ends.
  mutating func stop() {
    guard !isStopping else { return }
    isStopping = true
    hasReportedState = false
  }

  /// Sends the reports that are due.
  mutating func send<Port: ServicePort & OutputPort & ~Copyable>(
    to port: inout Port, at now: Instant
  ) {
    if let retry, retry > now { return }
    allowance.advance(to: now)
    let isKeepAliveDue = nextKeepAlive.map { $0 <= now } ?? false
    let isStateDue = !hasReportedState && !allowance.isSpent
    guard
      isKeepAliveDue || isStateDue || isReady != hasReportedReady
        || isStopping != hasReportedStopping
    else { return }
    guard sendAll(to: &port) else {
      retry = now.advanced(by: Self.retryDelay)
      return
    }
    if !hasReportedState { allowance.spend(at: now) }
    retry = nil
    hasReportedReady = isReady
    hasReportedStopping = isStopping
    hasReportedState = true
    nextKeepAlive = keepAliveInterval.map { now.advanced(by: $0) }
  }

  /// Sends everything new in one datagram; `false` if it was not taken. Each datagram is a
  /// keep-alive report too, if there is a watchdog.
  private func sendAll<Port: ServicePort & OutputPort & ~Copyable>(to port: inout Port) -> Bool {
    var message = ByteBuffer<128>()
    message.write { writer in
      if isReady, !hasReportedReady { writer.write(text: "READY=1\n") }
      if isStopping, !hasReportedStopping { writer.write(text: "STOPPING=1\n") }
      if keepAliveInterval != nil { writer.write(text: "WATCHDOG=1\n") }
      if !hasReportedState { writeState(of: port, to: &writer) }
    }
    return port.report(message.span)
  }

  private func writeState<Port: OutputPort & ~Copyable>(
    of port: borrowing Port, to writer: inout ByteWriter
  ) {
    writer.write(text: "STATUS=")
    writer.write(text: state)
    if isWaiting {
      port.writeRadioName(to: &writer)
      writer.write(text: ".")
    } else if !isStopping, connectionCount > 0 {
      writer.write(text: " Connected: ")
      writer.write(decimal: connectionCount)
      writer.write(text: ".")
    }
    writer.write(text: "\n")
  }

  /// Whether it is ready although its radio has not started.
  private var isWaiting: Bool { radio == .starting && isReady && !isStopping }

  private var state: StaticString {
    if isStopping { return "Stopping." }
    return switch radio {
    case .starting: isWaiting ? "Waiting for " : "Starting the radio."
    case .advertising: "Advertising."
    case .silent: "Not advertising."
    case .fault: "The radio is lost; trying again."
    }
  }
}
