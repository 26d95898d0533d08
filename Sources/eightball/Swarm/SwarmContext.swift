import BluetoothHost
import EightBall
import LinuxAir
import LinuxRadio

/// What the balls of a swarm share: the time, the air, the lines, and the order of their turns.
final class SwarmContext {
  /// How many balls open their radios at the same time: a full air keeps at most 16 clients to
  /// refuse.
  private static let maximumOpenings = 16

  let loop: EventLoop
  let radio: RadioAddress
  let air: SharedAir
  let lines: SwarmLines
  /// The time of this turn.
  var now: Instant
  /// How often the swarm was asked to end.
  var endRequests = 0

  /// Balls, by index, with packets from their radios.
  private(set) var ready: [Int] = []
  /// Balls that wait to open their radios.
  private var waiting: [Int]
  private var nextWaiting = 0
  /// How many balls are opening their radios and have received no packet yet.
  private(set) var openings = 0
  /// Balls whose radio's host name is being looked up.
  private(set) var lookups: [Int] = []
  /// The first ball that lost its radio, for a swarm that starts.
  private(set) var firstLostBall: Int?
  /// Whether the air refused a radio for lack of room.
  private(set) var isAirFull = false

  init(_ configuration: SwarmConfiguration, loop: EventLoop, airPath: String, now: Instant)
    throws(SystemError)
  {
    self.loop = loop
    self.now = now
    radio = configuration.radio
    air = SharedAir(
      path: airPath, loop: loop,
      maximumClients: configuration.count + AirServer.defaultMaximumClients,
      ownClients: configuration.count, seed: configuration.seed.rawValue,
      faults: configuration.faults)
    lines = SwarmLines(
      format: configuration.lines, isOfBalls: configuration.file == nil, loop: loop)
    waiting = Array(0..<configuration.count)
  }

  // MARK: Turns

  /// Whether a ball is to be served at once.
  var hasWork: Bool { !ready.isEmpty || mayOpen && nextWaiting < waiting.count }

  /// `ball` has packets from its radio.
  func markReady(_ ball: Int) { ready.append(ball) }

  /// Takes the balls with packets from their radios.
  func takeReady() -> [Int] {
    defer { ready.removeAll(keepingCapacity: true) }
    return ready
  }

  // MARK: Opening radios

  private var mayOpen: Bool { openings < Self.maximumOpenings }

  /// Takes the next ball that may open its radio; `nil` without one.
  func nextToOpen() -> Int? {
    guard mayOpen, nextWaiting < waiting.count else { return nil }
    defer {
      nextWaiting += 1
      if nextWaiting == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        nextWaiting = 0
      }
    }
    return waiting[nextWaiting]
  }

  /// Whether `ball` may open its radio now. If not, it gets a turn when it may.
  func admits(_ ball: Int) -> Bool {
    guard mayOpen else {
      waiting.append(ball)
      return false
    }
    return true
  }

  /// A ball opens its radio.
  func openingBegins() { openings += 1 }

  /// A ball has received a packet from its radio, or has lost it before.
  func openingEnds() { openings -= 1 }

  /// The lookup of the host name for `ball` begins; it must check again in each turn of the loop.
  func lookupBegins(_ ball: Int) { lookups.append(ball) }

  /// Takes the balls whose lookup must be checked.
  func takeLookups() -> [Int] {
    defer { lookups.removeAll(keepingCapacity: true) }
    return lookups
  }

  // MARK: Losses

  /// Notes that `ball` has lost its radio.
  func noteLoss(_ ball: Int) { if firstLostBall == nil { firstLostBall = ball } }

  /// Notes that the air has refused a ball.
  func airIsFull() { isAirFull = true }
}

/// Reports packets from the radio of one ball, once for each of its turns.
final class ReadinessWatcher: RadioWatcher {
  private let ball: Int
  private unowned let context: SwarmContext
  private var isMarked = false

  init(_ ball: Int, context: SwarmContext) {
    self.ball = ball
    self.context = context
  }

  func radioIsReady() {
    guard !isMarked else { return }
    isMarked = true
    context.markReady(ball)
  }

  /// The ball has its turn.
  func turnBegins() { isMarked = false }
}
