import CoreBluetooth
import Expectations
import Foundation
import LinuxTestSupport

@testable import EightBallKit

/// A central of the SDK on a separate device, which wants one ball, and its events.
final class Client: Sendable {
  let radio: CBRadio
  let timers = ManualTimers()
  let central: BallCentral
  private let events: AsyncStream<BallCentral.Event>
  private let air: TestAir
  /// The wanted ball, retained as long as this client.
  private let ball: ScriptedBall?

  init(
    wanting name: String, on air: TestAir, observer: (any BallObserver)? = nil,
    ball: ScriptedBall? = nil
  ) throws {
    self.air = air
    self.ball = ball
    let radio = try CBRadio(air.radio)
    self.radio = radio
    var options = BallCentral.Options()
    options.name = name
    options.rssiRange = nil
    var events: AsyncStream<BallCentral.Event>?
    central = BallCentral(
      options: options, queue: DispatchQueue(label: "client"), timers: timers.add
    ) { delegate, queue in
      // The observers are added before the radio can report anything.
      let central = delegate as? BallCentral
      if let observer { central?.addObserver(observer) }
      events = central?.events
      return CBCentralManager(delegate: delegate, queue: queue, options: nil, radio: radio)
    }
    self.events = try #require(events)
  }

  deinit { radio.close() }

  /// A ball with this manner, a client, and the ball as the client has discovered it. Keep the
  /// client: its release ends the link.
  static func discovering(
    _ manner: ScriptedBall.Manner
  ) async throws -> (ball: ScriptedBall, client: Client, found: Ball) {
    let ball = try ScriptedBall(manner)
    let client = try Client(wanting: ball.name, on: ball.air, ball: ball)
    return (ball, client, try #require(await client.discovered()))
  }

  /// The ball, once it can be asked.
  func discovered() async -> Ball? {
    for await event in central.events {
      if case .discovered(let ball) = event { return ball }
    }
    return nil
  }

  func waiting(for ball: Ball) -> Int { central.queue.sync { ball.conversation.waiting.count } }

  /// The events up to and including one whose text begins with `last`, as text.
  func reported(until last: String) async -> [String] {
    var words: [String] = []
    for await event in events {
      words.append(event.words)
      if event.words.hasPrefix(last) { break }
    }
    return words
  }
}

extension BallCentral.Event {
  /// The event without the parts that differ in each run.
  var words: String {
    switch self {
    case .stateUpdated(let isOn): "powered \(isOn ? "on" : "off")"
    case .found: "found"
    case .connected: "connected"
    case .discovered: "discovered"
    case .asked(_, let question): "asked \(question)"
    case .answered(_, let answer): "answered \(answer)"
    case .lost: "lost"
    case .failed(let error, _): "failed \(error.words)"
    }
  }
}

extension BallError {
  /// The error and its underlying errors.
  var words: String {
    let name =
      switch self {
      case .coreBluetooth: "coreBluetooth"
      case .sendFailed: "sendFailed"
      case .unknown: "unknown"
      }
    let within =
      switch underlyingError {
      case nil: "nil"
      case let error as BallError: error.words
      case let reason as RejectionReason: ".\(reason.words)"
      case let error?: "\((error as NSError).domain) \((error as NSError).code)"
      }
    return "\(name)(\(within))"
  }
}

extension RejectionReason {
  var words: String {
    switch self {
    case .deviceOffline: "deviceOffline"
    case .deviceBusy: "deviceBusy"
    case .timedOut: "timedOut"
    case .questionPlease: "questionPlease"
    case .peripheralError(let error): "peripheralError(\((error as NSError?)?.code ?? 0))"
    case .unknown: "unknown"
    }
  }
}
