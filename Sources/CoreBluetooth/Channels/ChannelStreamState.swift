import BluetoothHost
import Foundation

/// What the two streams of a channel have in common: whether one is open, and its events.
///
/// An event is delivered where the stream is scheduled. There a timer that is never due by itself keeps
/// the run loop alive, as a stream does, and is made due for each event.
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
  private var owesOpening = false
  private var owesEnd = true
  /// Whether the delegate knows that the stream can be used, and has not used it since.
  private var isReadinessKnown = false
  /// Whether the timers are due already.
  private var isSignalled = false
  private var hasFailed = false

  init(_ pipe: ChannelPipe, isInput: Bool) {
    self.pipe = pipe
    self.isInput = isInput
  }

  deinit {
    for schedule in schedules { schedule.timer.invalidate() }
  }

  /// The stream that this is of; to be called once, when it has been made.
  func represent(_ stream: Stream) { lock.withLock { self.stream = stream } }

  // MARK: What a stream does

  func open() {
    lock.withLock {
      guard !isOpen, !isClosed else { return }
      isOpen = true
      owesOpening = true
    }
    signal()
  }

  /// Closes the stream. Returns whether it was not closed before.
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

  /// Whether bytes can be read or written, as far as the stream itself is concerned.
  var isUsable: Bool { lock.withLock { isOpen && !isClosed } }

  /// The stream has been used: its delegate hears again when it can be used.
  func noteUse() {
    lock.withLock { isReadinessKnown = false }
    signal()
  }

  /// Bytes were to be written after the end.
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

  /// Whether the channel has ended, and everything that came has been read.
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

  /// Something may have changed: has the next event delivered, if there is one.
  func signal() {
    let (isReady, isAtEnd) = (self.isReady, self.isAtEnd)
    lock.withLock {
      guard !isSignalled, !schedules.isEmpty,
        nextEvent(isReady: isReady, isAtEnd: isAtEnd) != nil
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
      case .openCompleted: owesOpening = false
      case .endEncountered, .errorOccurred: owesEnd = false
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
    if owesOpening { return .openCompleted }
    if isReady {
      guard !isReadinessKnown else { return nil }
      return isInput ? .hasBytesAvailable : .hasSpaceAvailable
    }
    guard isAtEnd, owesEnd, let end = pipe.end else { return nil }
    return end.isOrderly ? .endEncountered : .errorOccurred
  }
}
