import BallRunner
import BluetoothHost
import LinuxRadio
import VirtualRadio

/// A ball of a swarm, for any number of centrals.
protocol SwarmMember: AnyObject {
  /// Serves its radio. Returns whether it must be served again at once; `nil` if the radio cannot
  /// be opened at the start.
  func turn(at now: Instant) -> Bool?
  /// When it needs its next turn; `nil` if it waits only for its radio.
  var deadline: Instant? { get }
  /// Whether it advertises; false while every connection is in use.
  var isAdvertising: Bool { get }
  /// Its counts.
  var figures: BallFigures { get }
  /// How many centrals are connected.
  var connectionCount: Int { get }
  /// Ends all its connections. The next turn gives the commands to the radio.
  func disconnectAll()
  /// Why its radio could not be opened.
  var refusal: RadioError? { get }
  /// Whether a ball that was asked to end has ended.
  func isFinished(at now: Instant) -> Bool
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
final class SwarmBall<let capacity: Int>: SwarmMember {
  // Packets of a controller that does not cut them have 526 bytes: `RadioLink.longestSentPacket`.
  // The longest line is the JSON of a question: 512 bytes, at most 6 for each.
  private var runner: BallRunner<capacity, 526, 3_200, 0, SwarmPort>

  /// - Parameter index: The ball's number less one.
  init(_ index: Int, of configuration: SwarmConfiguration, context: SwarmContext) {
    let plan = FaultPlan(
      configuration.faults, seed: configuration.seed.faults(of: index + 1))
    runner = BallRunner(
      configuration.ball(index + 1), on: SwarmPort(index, context: context, plan: plan))
  }

  func turn(at now: Instant) -> Bool? {
    runner.port.watcher.turnBegins()
    guard let isUnfinished = runner.turn(at: now) else { return nil }
    runner.port.clearAbsence()
    guard runner.port.takeDrop() else { return isUnfinished }
    runner.disconnectAll()
    // A turn sends the command to the radio.
    return runner.turn(at: now)
  }

  var deadline: Instant? { runner.deadline }
  var isAdvertising: Bool { runner.radio == .advertising }
  var figures: BallFigures { runner.figures }
  var connectionCount: Int { runner.connectionCount }
  func disconnectAll() { runner.disconnectAll() }
  var refusal: RadioError? { runner.port.refusal }
  func isFinished(at now: Instant) -> Bool { runner.isFinished(at: now) }
  func close() { runner.close() }

  /// A ball of this configuration.
  static func make(
    _ index: Int, of configuration: SwarmConfiguration, context: SwarmContext
  ) -> any SwarmMember {
    SwarmBall(index, of: configuration, context: context)
  }
}
