import CoreBluetooth
import Foundation

/// Looks for balls, connects to each that is near, and asks.
///
///     let central = BallCentral()
///     for await event in central.events {
///       if case .discovered(let ball) = event {
///         print(try await ball.ask("Will it rain?"))
///       }
///     }
public final class BallCentral: BallManager, @unchecked Sendable {
  /// What a central is made with.
  public struct Options: Sendable {
    /// How strongly a ball must be heard, in dBm: near, but not touching. `nil` takes every ball,
    /// even one of unknown strength.
    public var rssiRange: ClosedRange<Int>? = -60 ... -20
    /// The name of the one ball to take; `nil` takes all.
    public var name: String?
    /// How long a ball may take to answer, in seconds, from the beginning of the question's turn. A
    /// question without an answer by then fails with `RejectionReason.timedOut`.
    public var answerTimeout: TimeInterval = 2

    /// Any ball that is near.
    public init() {}
  }

  /// What happens, as a sequence instead of calls to an observer.
  public enum Event: Sendable {
    /// Bluetooth can be used from now on, or cannot.
    case stateUpdated(isPoweredOn: Bool)
    /// The central has heard a ball that it takes, and connects to it.
    case found(Ball)
    /// A ball is connected. The central discovers its service.
    case connected(Ball)
    /// A ball can be asked.
    case discovered(Ball)
    /// A ball has taken a question.
    case asked(Ball, question: String)
    /// A ball has answered.
    case answered(Ball, answer: String)
    /// A ball is offline, and no longer one of `balls`.
    case lost(Ball)
    /// Something went wrong: with the ball, if there is one.
    case failed(BallError, Ball?)
  }

  /// What it was told at its beginning.
  public let options: Options

  /// The balls that can be asked, in the order in which they were discovered.
  public var balls: [Ball] { discovered.current }

  /// What there is now, then what happens. Each reader has a sequence of its own.
  public var events: AsyncStream<Event> {
    streams.makeStream(on: queue) { [weak self] in
      guard let self, isPoweredOn else { return [] }
      return [.stateUpdated(isPoweredOn: true)] + balls.map { .discovered($0) }
    }
  }

  /// A central that begins to look for balls as soon as Bluetooth can be used.
  ///
  /// - Parameters:
  ///   - queue: On which everything happens: a serial one; `nil` is the main queue.
  ///   - makeManager: Makes the CoreBluetooth manager below, for those who want it otherwise than
  ///     usual: it has to have this delegate and this queue.
  public convenience init(
    options: Options = Options(), queue: DispatchQueue? = nil,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager = {
      CBCentralManager(delegate: $0, queue: $1)
    }
  ) {
    self.init(options: options, queue: queue, timers: DispatchTimers(), makeManager: makeManager)
  }

  init(
    options: Options, queue: DispatchQueue?, timers: any BallTimers,
    makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager
  ) {
    self.options = options
    self.timers = timers
    super.init(queue: queue)
    begin(with: makeManager(self, self.queue))
  }

  deinit {
    // A peripheral whose link is wanted is not to go before its manager: where the manager goes at
    // once, its links go with it; where it is in use, they are ended.
    if let cbManager, cbManager.state == .poweredOn {
      for ball in known.values { cbManager.cancelPeripheralConnection(ball.peripheral) }
    }
    let last = manager { manager in
      defer { manager = nil }
      return manager
    }
    withExtendedLifetime(last) {}
  }

  /// Ends every connection and begins to look again, also for balls that were rejected.
  public func restart() {
    queue.async { [self] in
      isStopped = false
      rejected = []
      hasPlace = true
      for ball in Array(known.values) { drop(ball) }
      if isPoweredOn { scan() }
    }
  }

  /// Ends every connection, and looks no longer, until `restart()`.
  public func stop() {
    queue.async { [self] in
      isStopped = true
      if isPoweredOn { cbManager?.stopScan() }
      for ball in Array(known.values) { drop(ball) }
    }
  }

  // Touched on the queue alone.
  var isStopped = false
  var known: [UUID: Ball] = [:]
  /// Those that are lost, and of whose links the end has not been told: it is told of nothing that
  /// nobody holds on to.
  var leaving: [CBPeripheral] = []
  /// Those that are not taken again until `restart`.
  var rejected: Set<UUID> = []
  /// Whether there can be another link, as far as is known.
  var hasPlace = true
  /// How long to wait for a place where all links are others', in seconds.
  static let pause: TimeInterval = 5
  var placeTimer: (any BallTimer)?
  let discovered = Guarded<[Ball]>([])
  let streams = EventStreams<Event>()
  let timers: any BallTimers
  private let manager = Guarded<CBCentralManager?>(nil)

  var cbManager: CBCentralManager? { manager.current }

  /// Takes its manager, which may tell of its state before the initialiser has got hold of it.
  func begin(with made: CBCentralManager) {
    manager { $0 = made }
  }

  func scan() {
    cbManager?.scanForPeripherals(
      withServices: [BallProfile.service],
      // A ball that is too far away now may come nearer.
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  /// The ball that `peripheral` is.
  func ball(_ peripheral: CBPeripheral) -> Ball? {
    known[peripheral.identifier]
  }

  /// Ends what there is with a ball that is no longer wanted.
  private func drop(_ ball: Ball) {
    if isPoweredOn { cbManager?.cancelPeripheralConnection(ball.peripheral) }
    lose(ball)
  }

  /// Tells that something went wrong.
  func fail(_ error: BallError, _ ball: Ball?) {
    ball?.contents { $0.error = error }
    report(error, for: ball)
    streams.send(.failed(error, ball))
  }

  func tell(_ body: (any BallCentralObserver) -> Void) {
    for case let observer as any BallCentralObserver in observers { body(observer) }
  }
}
