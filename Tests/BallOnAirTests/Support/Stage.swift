import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// A bench with a ball, and the devices that ask it.
final class Stage<let capacity: Int> {
  let bench: AirBench
  private let ball: AirDevice<BallHost<capacity>>
  /// The ball's events, oldest first.
  var events: [ReportedEvent] = []
  /// Every packet from the ball's host to its controller.
  var sent: [[UInt8]] = []
  /// Whether a loop did not end; an issue has been recorded.
  private(set) var isStuck = false

  /// The ball's public address on every stage.
  let ballAddress = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])

  /// A ball that has just been started.
  init(
    name: String = "Ball", seed: UInt64 = 8,
    controller configuration: ControllerConfiguration = .init(),
    address: OwnAddress = .public, preferredParameters: ConnectionParameters? = .responsive,
    isStarted: Bool = true
  ) throws {
    bench = AirBench(seed: seed)
    let deviceName = DeviceName(Array(name.utf8).span)
    let host = BallHost<capacity>(
      configuration: HostConfiguration(
        name: try #require(deviceName), service: .ballService,
        address: address, preferredParameters: preferredParameters),
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<capacity>(seed: seed))
    ball = bench.add(
      host, on: bench.air.addController(address: ballAddress, configuration: configuration))
    ball.onPacket = { [unowned self] packet, direction in
      if direction == .sent { sent.append(packet.indices.map { packet[$0] }) }
      listenToBall()
    }
    if isStarted {
      ball.host.start(at: now)
      settle()
    }
  }

  var air: VirtualAir { bench.air }
  var now: Instant { bench.now }
  /// The ball's controller; another one after `ballReturns`.
  var radio: VirtualController { ball.controller }
  /// The ball and its host.
  var host: BallHost<capacity> {
    _read { yield ball.host }
    _modify { yield &ball.host }
  }

  /// Whether the ball's controller can be connected to, and the ball knows it.
  var isInviting: Bool { ball.isPluggedIn && radio.isAdvertising && host.radio == .advertising }

  /// Whether the ball's host has shut down.
  var isShutDown: Bool { host.isShutDown }

  // MARK: Who is there

  func add(_ central: some StageCentral) {
    _ = bench.add(central, on: central.radio)
    central.start(at: now)
  }

  /// Removes a central, whose radio is switched off.
  func dismiss(_ central: any StageCentral) { bench.remove(central.radio) }

  /// The ball's controller is unplugged.
  func ballVanishes() {
    ball.unplug()
    host.radioLost()
  }

  /// A controller of the same make and address is plugged in.
  func ballReturns() {
    ball.plugIn()
    host.start(at: now)
  }

  // MARK: Packets and time

  /// Carries one packet; `false` if there is none.
  func carryOne() -> Bool { bench.carryOne() }

  /// Carries packets until there are none.
  func settle() {
    attempt { () throws(AirBenchError) in try bench.settle() }
  }

  /// Fetches the ball's events.
  func listenToBall() {
    while let event = host.server.application.nextEvent() {
      var question: [UInt8] = []
      if case .asked(let connectionIndex) = event {
        host.server.application.withQuestion(at: connectionIndex) { span in
          question = span.indices.map { span[$0] }
        }
      }
      events.append(ReportedEvent(event, question: String(decoding: question, as: UTF8.self)))
    }
  }

  /// Moves the clock to the next deadline, but not past `limit`; `false` if there is none by then.
  func passTime(until limit: Instant) -> Bool {
    defer { listenToBall() }
    return bench.advance(upTo: limit)
  }

  /// Carries packets and lets time pass, until `isDone` or for `milliseconds`. Returns `isDone`.
  @discardableResult
  func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    var isEnded = false
    attempt { () throws(AirBenchError) in
      isEnded = try bench.run(for: milliseconds) {
        listenToBall()
        return isDone()
      }
    }
    listenToBall()
    return isEnded
  }

  /// Carries packets and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    run(within: milliseconds) { false }
  }

  private func attempt(_ body: () throws(AirBenchError) -> Void) {
    do {
      try body()
    } catch {
      isStuck = true
      Issue.record("\(error) The ball sent \(sent.suffix(4)) and reported \(events.suffix(6))")
    }
  }
}
