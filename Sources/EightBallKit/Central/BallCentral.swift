import CoreBluetooth
import Foundation

/// Scans for balls, connects to each that is near, and asks.
///
///     let central = BallCentral()
///     for await event in central.events {
///       if case .discovered(let ball) = event {
///         print(try await ball.ask("Will it rain?"))
///       }
///     }
public final class BallCentral: BallManager, @unchecked Sendable {
  /// A central's options.
  public struct Options: Sendable {
    /// The RSSI of a wanted ball, in dBm: near, but not touching. `nil` takes every ball, even one
    /// with an unknown RSSI.
    public var rssiRange: ClosedRange<Int>? = -60 ... -20
    /// The name of the one ball to take; `nil` takes all.
    public var name: String?
    /// How long a ball may take to answer, in seconds, from the beginning of the question's turn. A
    /// question without an answer by then fails with `RejectionReason.timedOut`.
    public var answerTimeout: TimeInterval = 2
    /// Whether the subscription to a ball's answers stays after an answer, so that the answer to a
    /// shake arrives too, as an `answered` of its own.
    public var staysSubscribed = false

    /// Every near ball.
    public init() {}
  }

  /// An event, for a sequence instead of calls to an observer.
  public enum Event: Sendable {
    /// Whether Bluetooth can be used has changed.
    case stateUpdated(isPoweredOn: Bool)
    /// The central has found a wanted ball, and connects to it.
    case found(Ball)
    /// A ball is connected. The central discovers its service.
    case connected(Ball)
    /// A ball can be asked.
    case discovered(Ball)
    /// A ball has accepted a question.
    case asked(Ball, question: String)
    /// A ball has answered.
    case answered(Ball, answer: String)
    /// A ball is offline, and no longer one of `balls`.
    case lost(Ball)
    /// An error; with the ball, if it concerns one.
    case failed(BallError, Ball?)
  }

  /// The options that it was made with.
  public let options: Options

  /// The balls that can be asked, in the order in which they were discovered.
  public var balls: [Ball] { discovered.withLock(\.self) }

  /// The events. If Bluetooth can be used, the sequence begins with `stateUpdated` and a
  /// `discovered` for each ball. Each reader has a separate sequence.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, isPoweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)] + balls.map { .discovered($0) }
    }
  }

  /// A central that scans for balls as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - options: The settings that differ from the defaults.
  ///   - queue: The serial queue for all calls; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager, which must have this delegate and this
  ///     queue.
  public convenience init(
    options: Options = Options(), queue: DispatchQueue? = nil,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager = {
      CBCentralManager(delegate: $0, queue: $1)
    }
  ) {
    self.init(options: options, queue: queue, timers: dispatchTimer, makeManager: makeManager)
  }

  init(
    options: Options, queue: DispatchQueue?, timers: @escaping BallTimers,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager
  ) {
    self.options = options
    self.timers = timers
    super.init(queue: queue)
    begin(with: makeManager(self, self.queue))
  }

  deinit {
    // A peripheral with a link must not be released before its manager. A released manager ends its
    // links; one that is still in use does not, so they are cancelled here.
    if let cbManager, cbManager.state == .poweredOn {
      for ball in known.values { cbManager.cancelPeripheralConnection(ball.peripheral) }
    }
    let last = manager.withLock { manager in
      defer { manager = nil }
      return manager
    }
    withExtendedLifetime(last) {}
  }

  /// Ends every connection and scans again, also for rejected balls.
  public func restart() {
    queue.async { [self] in
      isStopped = false
      rejected = []
      hasRoom = true
      for ball in Array(known.values) { drop(ball) }
      if isPoweredOn { scan() }
    }
  }

  /// Ends every connection, and stops scanning until `restart()`. If a ball has just answered, its
  /// subscription ends first.
  public func stop() {
    queue.async { [self] in
      isStopped = true
      if isPoweredOn { cbManager?.stopScan() }
      for ball in Array(known.values) where !ball.conversation.isUnsubscribing { drop(ball) }
    }
  }

  // Only the queue uses these.
  var isStopped = false
  var known: [UUID: Ball] = [:]
  /// Lost balls' peripherals whose disconnect callback is still due. Without a reference there
  /// would be no callback.
  var leaving: [CBPeripheral] = []
  /// The balls that are not taken again until `restart`.
  var rejected: Set<UUID> = []
  /// Whether there seems to be room for another link.
  var hasRoom = true
  /// How long to wait for room if other managers have all links, in seconds.
  static let retryDelay: TimeInterval = 5
  var retryTimer: BallTimer?
  let discovered = Locked<[Ball]>([])
  let streams = EventStreams<Event>()
  let timers: BallTimers
  private let manager = Locked<CBCentralManager?>(nil)

  var cbManager: CBCentralManager? { manager.withLock(\.self) }

  /// Stores the CoreBluetooth manager. It may call its delegate before the initialiser has returned
  /// it.
  func begin(with made: CBCentralManager) { manager.withLock { $0 = made } }

  func scan() {
    cbManager?.scanForPeripherals(
      withServices: [BallProfile.service],
      // A ball that is too far away now may come nearer.
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  /// The ball with this peripheral.
  func ball(_ peripheral: CBPeripheral) -> Ball? { known[peripheral.identifier] }

  /// Disconnects and removes an unwanted ball.
  func drop(_ ball: Ball) {
    if isPoweredOn { cbManager?.cancelPeripheralConnection(ball.peripheral) }
    lose(ball)
  }

  /// Reports an error.
  func fail(_ error: BallError, _ ball: Ball?) {
    ball?.contents.withLock { $0.error = error }
    report(error, for: ball)
    streams.send(.failed(error, ball))
  }

  func callObservers(_ body: (any BallCentralObserver) -> Void) {
    for case let observer as any BallCentralObserver in observers { body(observer) }
  }
}
