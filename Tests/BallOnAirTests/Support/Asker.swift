import BallTestSupport
import BluetoothHost
import EightBall
import VirtualRadio

/// A host that a device on a stage runs.
protocol StageHost: AnyObject {
  func start(at now: Instant)
  func receive(_ packet: Span<UInt8>, at now: Instant)
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool
  var deadline: Instant? { get }
  func advance(to now: Instant)
}

extension BallClient: StageHost {}
extension TestCentral: StageHost {}

/// A device other than the ball, with its controller. It takes its host's events after each call.
protocol StageCentral: AnyObject, HostSide {
  associatedtype Program: StageHost
  var radio: VirtualController { get }
  var host: Program { get }
  func takeEvents()
}

extension StageCentral {
  func start(at now: Instant) {
    host.start(at: now)
    takeEvents()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    takeEvents()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    defer { takeEvents() }
    return host.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { host.deadline }

  func advance(to now: Instant) {
    host.advance(to: now)
    takeEvents()
  }
}

/// A central that finds a ball, asks it one question, and leaves.
final class Asker: StageCentral {
  let radio: VirtualController
  let host: BallClient
  private(set) var events: [BallClientEvent] = []

  init(radio: VirtualController, inquiry: BallInquiry) {
    self.radio = radio
    host = BallClient(inquiry)
  }

  /// The outcome; `nil` until it is decided.
  var outcome: BallOutcome? {
    for case .decided(let outcome) in events { return outcome }
    return nil
  }

  /// Whether it has left.
  var isFinished: Bool {
    for case .finished in events { return true }
    return false
  }

  /// Whether the ball answered.
  var isAnswered: Bool {
    if case .answered = outcome { true } else { false }
  }

  func takeEvents() {
    while let event = host.nextEvent() { events.append(event) }
  }
}

extension Stage {
  /// A central comes to ask.
  func ask(
    _ question: String, controller: ControllerConfiguration = .init()
  ) -> Asker {
    let asker = Asker(
      radio: air.addController(configuration: controller), inquiry: BallInquiry(question: question))
    add(asker)
    return asker
  }
}

/// An event of a ball, in a form that can be compared.
enum ReportedEvent: Equatable {
  case radio(RadioState)
  case connected(Int, DeviceAddress)
  case disconnected(Int, HCIErrorCode)
  case subscribed(Int, Bool)
  case asked(Int, String)
  case refused(Int, QuestionRule.Refusal)
  case answered(Int, Answer)
  case missed(Int)

  init(_ event: BallEvent, question: String) {
    self =
      switch event {
      case .radio(let state): .radio(state)
      case .connected(let connectionIndex, let address): .connected(connectionIndex, address)
      case .disconnected(let connectionIndex, _, let reason): .disconnected(connectionIndex, reason)
      case .subscribed(let connectionIndex, let isOn): .subscribed(connectionIndex, isOn)
      case .asked(let connectionIndex): .asked(connectionIndex, question)
      case .refused(let connectionIndex, let refusal): .refused(connectionIndex, refusal)
      case .answered(let connectionIndex, let answer): .answered(connectionIndex, answer)
      case .missed(let count): .missed(count)
      }
  }
}
