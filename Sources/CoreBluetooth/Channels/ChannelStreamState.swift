import BluetoothHost
import Foundation

/// The state and the events of one stream of a channel, input or output. An event is delivered
/// where the stream is scheduled. A timer there keeps the run loop alive, as a stream does. It
/// never fires unless an event makes it due.
final class ChannelStreamState: @unchecked Sendable {
  private struct Schedule {
    let runLoop: RunLoop
    let mode: RunLoop.Mode
    let timer: Timer
  }

  // Unchecked: `lock` guards the variables.
  let pipe: ChannelPipe
  private let isInput: Bool
  private let lock = NSLock()
  private weak var stream: Stream?
  private var schedules: [Schedule] = []
  private var isOpen = false
  private var isClosed = false
  private var mustReportOpening = false
  private var mustReportEnd = true
  /// Whether the delegate knows that the stream can be used, and has not used it since.
  private var isReadinessKnown = false
  /// Whether the timers are due already.
  private var isSignalled = false
  private var hasFailed = false

  init(_ pipe: ChannelPipe, isInput: Bool) {
    self.pipe = pipe
    self.isInput = isInput
  }

  deinit { for schedule in schedules { schedule.timer.invalidate() } }

  /// Sets the stream that this belongs to. To be called once, when the stream has been made.
  func represent(_ stream: Stream) { lock.withLock { self.stream = stream } }

  // MARK: The stream's calls

  func open() {
    lock.withLock {
      guard !isOpen, !isClosed else { return }
      isOpen = true
      mustReportOpening = true
    }
    signal()
  }

  /// Closes the stream. Returns whether it was open.
  func close() -> Bool {
    let ended: [Schedule]? = lock.withLock {
      guard !isClosed else { return nil }
      isClosed = true
      isSignalled = false
      defer { schedules = [] }
      return schedules
    }
    for schedule in ended ?? [] { schedule.timer.invalidate() }
    return ended != nil
  }

  /// Whether the stream is open, apart from the state of the channel.
  var isUsable: Bool { lock.withLock { isOpen && !isClosed } }

  /// The stream has been used: its next readiness is reported to the delegate.
  func noteUse() {
    lock.withLock { isReadinessKnown = false }
    signal()
  }

  /// A write came after the end.
  func noteFailure() { lock.withLock { hasFailed = true } }

  var status: Stream.Status {
    let (isOpen, isClosed) = lock.withLock { (self.isOpen, self.isClosed) }
    if isClosed { return .closed }
    guard isOpen else { return .notOpen }
    if error != nil { return .error }
    return isAtEnd ? .atEnd : .open
  }

  var error: (any Error)? {
    if lock.withLock({ hasFailed }), pipe.end != nil {
      return NSError(domain: NSPOSIXErrorDomain, code: Int(EPIPE))
    }
    guard isAtEnd, let end = pipe.end, !end.isOrderly else { return nil }
    return end.publicError
  }

  /// Whether the channel has ended, and all received bytes have been read.
  private var isAtEnd: Bool { pipe.end != nil && !(isInput && pipe.hasBytes) }

  private var isReady: Bool { isInput ? pipe.hasBytes : pipe.hasRoom }

  // MARK: Events

  func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    let timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in
      self?.deliver()
    }
    let isAdded = lock.withLock {
      guard !isClosed else { return false }
      schedules.append(Schedule(runLoop: runLoop, mode: mode, timer: timer))
      isSignalled = false
      return true
    }
    guard isAdded else { return }
    runLoop.add(timer, forMode: mode)
    signal()
  }

  func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    let ended = lock.withLock {
      let ended = schedules.filter { $0.runLoop === runLoop && $0.mode == mode }
      schedules.removeAll { $0.runLoop === runLoop && $0.mode == mode }
      isSignalled = false
      return ended
    }
    for schedule in ended { schedule.timer.invalidate() }
    signal()
  }

  /// Whether an event is about to be delivered.
  var isDue: Bool { lock.withLock { isSignalled } }

  /// Makes the timers due if there is an event to deliver.
  func signal() {
    let (isReady, isAtEnd) = (self.isReady, self.isAtEnd)
    lock.withLock {
      guard !isSignalled, !schedules.isEmpty, nextEvent(isReady: isReady, isAtEnd: isAtEnd) != nil
      else { return }
      isSignalled = true
      let now = Date()
      for schedule in schedules { schedule.timer.fireDate = now }
    }
  }

  /// Delivers one event, where the stream is scheduled.
  private func deliver() {
    let (isReady, isAtEnd) = (self.isReady, self.isAtEnd)
    let (stream, event) = lock.withLock {
      isSignalled = false
      let event = nextEvent(isReady: isReady, isAtEnd: isAtEnd)
      switch event {
      case .openCompleted: mustReportOpening = false
      case .endEncountered, .errorOccurred: mustReportEnd = false
      default: isReadinessKnown = event != nil
      }
      return (self.stream, event)
    }
    guard let stream, let event else { return }
    stream.delegate?.stream(stream, handle: event)
    signal()
  }

  private func nextEvent(isReady: Bool, isAtEnd: Bool) -> Stream.Event? {
    guard isOpen, !isClosed else { return nil }
    if mustReportOpening { return .openCompleted }
    if isReady {
      guard !isReadinessKnown else { return nil }
      return isInput ? .hasBytesAvailable : .hasSpaceAvailable
    }
    guard isAtEnd, mustReportEnd, let end = pipe.end else { return nil }
    return end.isOrderly ? .endEncountered : .errorOccurred
  }
}
