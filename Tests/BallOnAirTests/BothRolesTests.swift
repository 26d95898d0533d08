import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

/// Two balls on one air, each a host in both roles: both scan, connect, ask and answer at the same
/// time.
@Suite("Two balls ask each other")
struct BothRolesTests {
  @Test(
    "Without faults each question arrives once and is answered",
    arguments: 1...3 as ClosedRange<UInt64>)
  func clean(seed: UInt64) {
    let pair = Pair(seed: seed)
    pair.run(for: 20_000)
    for (asker, other) in pair.directions {
      expect(asker.answerCount > 100)
      expect(asker.accepted.count, is: asker.answerCount + asker.waitingCount)
      expect(asker.lostAnswers, is: 0)
      expect(asker.errors.isEmpty)
      expect(Set(asker.accepted).isSubset(of: other.questions))
      expect(other.questions.count, is: Set(other.questions).count)
      // One question may be on its way.
      expect(other.questions.count <= asker.accepted.count + asker.links.count)
    }
    expect(!pair.isStuck)
  }

  @Test(
    "With faults only the end of a link loses anything, and both continue",
    arguments: 11...18 as ClosedRange<UInt64>)
  func faults(seed: UInt64) {
    let pair = Pair(seed: seed)
    for _ in 0..<100 {
      pair.breakSomething()
      pair.run(for: 200 + pair.number(below: 2_000))
      if pair.isStuck { break }
    }
    pair.mend()
    // The longest wait is 30 s for a response, and then for the link's end.
    pair.run(for: 60_000)
    let before = pair.directions.map(\.asker.answerCount)
    pair.run(for: 20_000)
    for (index, (asker, other)) in pair.directions.enumerated() {
      expect(asker.answerCount > before[index] + 50, "it asks again")
      expect(asker.accepted.count, is: asker.answerCount + asker.lostAnswers + asker.waitingCount)
      expect(Set(asker.accepted).isSubset(of: other.questions))
      expect(other.questions.count, is: Set(other.questions).count)
    }
    expect(!pair.isStuck)
  }
}

/// Two balls, their air, and the faults.
private final class Pair {
  private let bench: AirBench
  private let balls: [AskingBall]
  private(set) var isStuck = false
  private var random: RandomSource

  init(seed: UInt64) {
    let bench = AirBench(seed: seed)
    self.bench = bench
    balls = [("A", 1), ("B", 2)].map { name, number in
      AskingBall(name: name, number: number, seed: seed, on: bench)
    }
    random = RandomSource(seed: seed)
  }

  /// Each ball as an asker, with the one that it asks.
  var directions: [(asker: AskingBall, other: AskingBall)] {
    [(balls[0], balls[1]), (balls[1], balls[0])]
  }

  func number(below bound: UInt32) -> UInt32 { random.next(below: bound) }

  /// Carries packets and lets `milliseconds` pass. Each ball acts after each packet, and each 10 ms.
  func run(for milliseconds: UInt32) {
    let end = bench.now.advanced(by: milliseconds)
    do {
      while bench.now < end {
        try bench.run(for: 10) {
          for ball in balls { ball.act(at: bench.now) }
          return false
        }
      }
    } catch {
      isStuck = true
      Issue.record(error)
    }
  }

  /// Starts or ends a fault of one of the controllers.
  func breakSomething() {
    let device = balls[Int(number(below: 2))].device
    let radio = device.controller
    switch number(below: 14) {
    case 0: radio.faults.losePacket(type: .event)
    case 1: radio.faults.losePacket(type: .acl)
    case 2: radio.faults.loseCompletions(1)
    case 3: radio.faults.duplicatePacket(type: .event)
    case 4: radio.faults.cutPacket(to: Int(number(below: 12)))
    case 5: radio.faults.leaveUnanswered()
    case 6: radio.faults.refuse(.leCreateConnection, with: .commandDisallowed)
    case 7: radio.faults.refuse(.leSetScanEnable, with: .commandDisallowed)
    case 8: radio.fail(hardwareCode: 3)
    case 9: radio.fail(hardwareCode: nil)
    case 10:
      device.unplug()
      device.host.radioLost()
    case 11: setRange(nil)
    default: mend()
    }
  }

  /// Ends all faults.
  func mend() {
    for device in balls.map(\.device) {
      device.controller.faults.removeAll()
      if !device.isPluggedIn {
        device.plugIn()
        device.host.start(at: bench.now)
      }
    }
    setRange(-50)
  }

  private func setRange(_ strength: Int8?) {
    let (first, second) = (balls[0].device.controller, balls[1].device.controller)
    bench.air.setSignalStrength(strength, from: first, to: second)
    bench.air.setSignalStrength(strength, from: second, to: first)
  }
}

/// A ball that is asked and asks: a host in both roles. On each link, whichever side began it, it
/// agrees on an MTU, subscribes, and asks thirty questions, each after the answer to the one before.
private final class AskingBall {
  /// A link to another ball.
  struct Link {
    let role: LEConnectionComplete.Role
    /// The next operation; `nil` while one is under way.
    var next: ClientOperation? = .exchangeMTU
    /// The question under way.
    var question = ""
    /// Whether the question has been accepted, and its answer has not come.
    var awaitsAnswer = false
    /// How many answers have come.
    var answers = 0
    /// Whether every question has its answer.
    var isDone: Bool { answers >= 30 }
  }

  typealias Side = Host<
    4, GATTServer<4, EightBallProfile.Database, BallApplication<4>>, GATTClient<4, Collector>,
    NoSecurity, NoChannels
  >

  let device: AirDevice<Side>
  private let name: String
  private(set) var links: [Int: Link] = [:]
  /// The questions that it was asked, and those of its own that balls have accepted.
  private(set) var questions: [String] = []
  private(set) var accepted: [String] = []
  private(set) var answerCount = 0
  /// How many accepted questions had no answer when their link ended.
  private(set) var lostAnswers = 0
  /// Operations that ended with an error other than the end of their link.
  private(set) var errors: [OperationError] = []
  private var questionCount = 0
  /// Another ball that takes connections.
  private var found: DeviceAddress?
  /// When an attempt to connect is given up.
  private var attemptEnd: Instant?
  /// When the next attempt may begin.
  private var pauseEnd: Instant?
  /// When a link is ended on which this ball has asked all its questions. The other may need longer.
  private var linkEnd: Instant?
  private var random: RandomSource

  init(name: String, number: UInt8, seed: UInt64, on bench: AirBench) {
    self.name = name
    random = RandomSource(seed: seed &+ UInt64(number))
    device = bench.add(
      Side(
        configuration: HostConfiguration(
          name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
        server: GATTServer(
          database: EightBallProfile.makeDatabase(),
          application: BallApplication<4>(seed: UInt64(number))),
        client: GATTClient(application: Collector())),
      on: bench.air.addController(
        address: DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])))
    device.host.start(at: bench.now)
  }

  /// How many of its questions wait for an answer.
  var waitingCount: Int { links.values.filter(\.awaitsAnswer).count }

  // MARK: As a client

  private func ask(at index: Int) {
    questionCount += 1
    let question = "\(name) \(questionCount)?"
    links[index]?.question = question
    links[index]?.next = .write(Handles.question, byteCount: question.utf8.count)
    device.host.client.application.values[index] = Array(question.utf8)
  }

  private func handle(_ event: Collector.Event, at now: Instant) {
    switch event {
    case .discovered(let discovery) where discovery.isConnectable: found = discovery.address
    case .scanFailed: pauseEnd = now.advanced(by: 50)
    case .connected(let index, _, let role): links[index] = Link(role: role)
    case .disconnected(let index, _):
      if links[index]?.awaitsAnswer == true { lostAnswers += 1 }
      links[index] = nil
    case .ended(_, _, .failure(let error)): if error != .disconnected { errors.append(error) }
    case .ended(let index, .exchangeMTU, _):
      links[index]?.next = .subscribe(Handles.configuration, .notification)
    case .ended(let index, .subscribe, _): ask(at: index)
    case .ended(let index, .write, _):
      guard let question = links[index]?.question else { return }
      accepted.append(question)
      links[index]?.awaitsAnswer = true
    case .notified(let index, Handles.answer, _) where links[index]?.awaitsAnswer == true:
      links[index]?.awaitsAnswer = false
      links[index]?.answers += 1
      answerCount += 1
      if links[index]?.isDone == false { ask(at: index) }
    default: break
    }
  }

  /// Begins what it wants next.
  func act(at now: Instant) {
    for case .asked(_, let question) in device.host.server.application.takeEvents() {
      questions.append(question)
    }
    for event in device.host.client.application.takeEvents() { handle(event, at: now) }
    if let attemptEnd, attemptEnd <= now {
      self.attemptEnd = nil
      device.host.cancelConnection()
    }
    if let pauseEnd, pauseEnd <= now { self.pauseEnd = nil }
    for (index, link) in links.sorted(by: { $0.key < $1.key }) {
      if let operation = link.next, device.host.perform(operation, at: index) {
        links[index]?.next = nil
      }
    }
    endLinks(at: now)
    // Two devices have one link at most. The first device begins it.
    guard links.isEmpty, pauseEnd == nil, device.host.canConnect else { return }
    if let peer = found {
      found = nil
      device.host.scan(nil)
      guard device.host.connect(to: peer) else { return }
      attemptEnd = now.advanced(by: 3_000)
      pauseEnd = now.advanced(by: 200 + random.next(below: 1_000))
    } else if device.host.scanParameters == nil {
      device.host.client.application.advertisers = []
      device.host.scan(ScanParameters())
    }
  }

  /// The central ends its link after the last answer. The peripheral does if it does not hear of
  /// that end.
  private func endLinks(at now: Instant) {
    guard let (index, link) = links.first(where: { $0.value.isDone }) else {
      linkEnd = nil
      return
    }
    let end = linkEnd ?? now.advanced(by: link.role == .central ? 1_000 : 10_000)
    linkEnd = end
    if end <= now {
      linkEnd = nil
      device.host.disconnect(at: index)
    }
  }
}
