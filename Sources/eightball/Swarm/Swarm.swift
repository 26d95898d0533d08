import BallRunner
import BluetoothHost
import Linux
import LinuxAir
import LinuxRadio
import VirtualRadio

/// Many balls in one thread and one loop, each with its own radio, address and state.
///
/// A turn of the loop serves only the balls with packets and those that are due: an idle swarm
/// sleeps.
public final class Swarm {
  private let configuration: SwarmConfiguration
  private let loop: EventLoop
  private let context: SwarmContext
  private var balls: [any SwarmMember] = []
  private var deadlines = Schedule<SwarmTurn>()
  private let turns: [SwarmTurn]
  /// Which balls have advertised, and how many.
  private var hasBegun: [Bool]
  private var begunCount = 0
  /// Which balls have ended, and how many.
  private var hasEnded: [Bool]
  private var ended = 0
  /// When all balls disconnect all centrals, by the time of the first one, which wakes for it.
  private var nextStorm: Instant?
  /// Held while the swarm lives.
  private let claim: OwnedPath?
  /// Sends the figures of all balls together; `nil` without programs that may ask for them. The
  /// swarm closes it at its end.
  private var control: SwarmControl?

  /// A swarm, not yet started.
  ///
  /// - Parameter airPath: Where the virtual air is.
  /// - Throws: `SwarmError` if the system lets this program open too few files, or another swarm has
  ///   the seed.
  public init(
    _ configuration: SwarmConfiguration, loop: EventLoop, airPath: String = SharedAir.defaultPath
  ) throws {
    self.configuration = configuration
    self.loop = loop
    let count = configuration.count
    let room = FileLimit.makeRoom(for: count)
    guard room >= count else { throw SwarmError.tooFewFiles(room: room, count: count) }
    do throws(SystemCallError) {
      claim = try OwnedPath(InlineCString(configuration.claimPath(airPath: airPath)))
    } catch {
      guard error.code != .addressInUse else { throw SwarmError.seedInUse(configuration.seed) }
      // The air's folder may be another user's: the swarm goes without the check.
      claim = nil
    }
    context = try SwarmContext(configuration, loop: loop, airPath: airPath, now: MonotonicClock.now)
    turns = (0..<count).map(SwarmTurn.init)
    hasBegun = Array(repeating: false, count: count)
    hasEnded = hasBegun
    let make =
      switch configuration.connections {
      case _ where configuration.file != nil: SwarmPeripheral.make
      case 1: SwarmBall<1>.make
      case 2: SwarmBall<2>.make
      case 3: SwarmBall<3>.make
      default: SwarmBall<4>.make
      }
    balls.reserveCapacity(count)
    for index in 0..<count { balls.append(make(index, configuration, context)) }
  }

  /// Listens at the first of `paths` that is free, for programs that ask for the figures.
  ///
  /// - Returns: The path.
  /// - Throws: Why it cannot listen there.
  public func listen(at paths: [String]) throws(SystemError) -> String {
    var failure = SystemError(.addressInUse, "listen on", paths.joined(separator: " or "))
    for path in paths {
      do throws(SystemError) {
        control = try SwarmControl(path, loop: loop)
        return path
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Runs until a signal comes or nothing reads the output any more, then disconnects all centrals.
  ///
  /// - Throws: `RadioError` or `SwarmError` if a ball cannot advertise; `SystemError`.
  public func run(until signals: TerminationSignals) throws {
    defer { close() }
    while true {
      try turn(at: MonotonicClock.now, endRequests: signals.count)
      if ended == balls.count { return }
      let mustEnd = context.lines.isClosed && context.endRequests == 0
      try loop.wait(until: context.hasWork || mustEnd ? context.now : deadline, now: context.now)
    }
  }

  // MARK: Turns

  private var isWhole: Bool { begunCount == balls.count }

  private var deadline: Instant? {
    var earliest = Instant.earlier(deadlines.first?.instant, context.air.deadline)
    earliest = Instant.earlier(earliest, context.lines.deadline)
    return Instant.earlier(earliest, control?.deadline)
  }

  private func turn(at now: Instant, endRequests: Int) throws {
    context.now = now
    let requests = max(endRequests, context.lines.isClosed ? 1 : 0)
    if requests > context.endRequests {
      context.endRequests = requests
      nextStorm = nil
      // All balls disconnect their centrals.
      for index in balls.indices { try serve(index) }
    }
    if let nextStorm, nextStorm <= balls[0].now { try storm() }
    for index in context.takeLookups() { try serve(index) }
    while let index = context.nextToOpen() { try serve(index) }
    for index in context.takeReady() { try serve(index) }
    while let (turn, instant) = deadlines.first, instant <= now {
      deadlines.set(turn, nil)
      try serve(turn.number)
    }
    context.air.advance(to: now)
    context.lines.flush(at: now)
    control?.serve(at: now, with: figures)
  }

  private var figures: (sum: BallFigures, balls: Int) {
    var sum = context.lines.losses
    for (index, ball) in balls.enumerated() where !hasEnded[index] { sum.add(ball.figures) }
    return (sum, balls.count - ended)
  }

  private func serve(_ index: Int) throws {
    guard !hasEnded[index] else { return }
    let ball = balls[index]
    guard let isUnfinished = ball.turn() else {
      throw ball.openError ?? RadioError("\(configuration.radio) cannot be opened")
    }
    if !isWhole { try begin(index, ball) }
    let end = isUnfinished ? context.now : ball.sleep(until: index == 0 ? nextStorm : nil)
    let isDue = end.map { $0 <= context.now } ?? false
    if isDue { context.markReady(index) }
    deadlines.set(turns[index], isDue ? nil : end)
    if context.endRequests > 0, ball.isFinished {
      ball.close()
      deadlines.set(turns[index], nil)
      hasEnded[index] = true
      ended += 1
    }
  }

  /// Counts the balls that advertise, until all do.
  private func begin(_ index: Int, _ ball: any SwarmMember) throws {
    if let server = context.air.server, server.maximumClients < balls.count {
      let room = (server.maximumClients + balls.count) / 2
      throw SwarmError.tooFewFiles(room: room, count: balls.count)
    }
    if context.isAirFull {
      throw SwarmError.airIsFull(configuration.radio, count: balls.count)
    }
    if let firstLostBall = context.firstLostBall {
      throw SwarmError.radioLost(configuration.radio, ball: firstLostBall + 1)
    }
    guard ball.isAdvertising, !hasBegun[index] else { return }
    guard context.air.server != nil || configuration.faults == ConnectionFaults() else {
      throw SwarmError.airOfAnother
    }
    hasBegun[index] = true
    begunCount += 1
    guard isWhole else { return }
    say(SwarmNotice.begun(configuration))
    context.lines.takesErrors = true
    planStorm()
    context.markReady(0)
  }

  // MARK: Faults

  /// Ends all connections of all balls at once.
  private func storm() throws {
    var dropped = 0
    planStorm()
    // The first one is the last: on simulated time the others act with it, before it is idle again.
    for (index, ball) in balls.enumerated().reversed() where ball.connectionCount > 0 || index == 0
    {
      dropped += ball.connectionCount
      ball.disconnectAll()
      try serve(index)
    }
    if dropped > 0 { say(.storm(dropped: dropped)) }
  }

  private func planStorm() {
    nextStorm = configuration.stormPeriod.map { balls[0].now.advanced(by: $0) }
  }

  private func say(_ notice: SwarmNotice) {
    if let line = notice.line(configuration.lines) { context.lines.say(line) }
  }

  // MARK: The end

  private func close() {
    for (index, ball) in balls.enumerated() where !hasEnded[index] { ball.close() }
    context.lines.flush(at: context.now)
    context.lines.close()
    context.air.close()
    control?.close()
    control = nil
  }
}

/// A ball of a swarm, for any number of centrals.
protocol SwarmMember: AnyObject {
  /// Serves its radio. Returns whether it must be served again at once; `nil` if the radio cannot
  /// be opened at the start.
  func turn() -> Bool?
  /// The time for it: that of the loop, or of its air.
  var now: Instant { get }
  /// When it needs its next turn, by the loop's time; `nil` if it waits only for its radio.
  ///
  /// - Parameter end: When it needs one at the latest, by its own time.
  func sleep(until end: Instant?) -> Instant?
  /// Whether it advertises; false while every connection is in use.
  var isAdvertising: Bool { get }
  /// Its counts.
  var figures: BallFigures { get }
  /// How many centrals are connected.
  var connectionCount: Int { get }
  /// Ends all its connections. The next turn gives the commands to the radio.
  func disconnectAll()
  /// Why its radio could not be opened.
  var openError: RadioError? { get }
  /// Whether a ball that was asked to end has ended.
  var isFinished: Bool { get }
  /// Releases its radio.
  func close()
}

/// When a ball needs its next turn.
final class SwarmTurn: Scheduled {
  /// The ball's index.
  let number: Int
  var scheduleIndex: Int?

  init(_ number: Int) {
    self.number = number
  }
}

/// A ball on the heap. Its runner keeps its counts; `Swarm` adds them up.
final class SwarmBall<let links: Int>: SwarmMember {
  // Packets of a controller that does not cut them have 526 bytes: `RadioLink.longestSentPacket`.
  // The longest line is the JSON of a question: 512 bytes, at most 6 for each.
  private var runner: BallRunner<links, 526, 3_200, 0, SwarmPort>

  /// - Parameter index: The ball's number less one.
  init(_ index: Int, of configuration: SwarmConfiguration, context: SwarmContext) {
    runner = BallRunner(configuration.ball(index + 1), on: SwarmPort(index, context: context))
  }

  func turn() -> Bool? {
    runner.port.turnBegins()
    let now = runner.port.now
    return runner.turn(at: now)
  }

  var now: Instant { runner.port.now }
  func sleep(until end: Instant?) -> Instant? {
    runner.port.sleep(until: .earlier(runner.deadline, end))
  }
  var isAdvertising: Bool { runner.radio == .advertising }
  var figures: BallFigures { runner.figures }
  var connectionCount: Int { runner.connectionCount }
  func disconnectAll() { runner.disconnectAll() }
  var openError: RadioError? { runner.port.openError }
  var isFinished: Bool {
    let now = runner.port.now
    return runner.isFinished(at: now)
  }
  func close() { runner.close() }

  /// A ball of this configuration.
  static func make(
    _ index: Int, of configuration: SwarmConfiguration, context: SwarmContext
  ) -> any SwarmMember {
    SwarmBall(index, of: configuration, context: context)
  }
}
