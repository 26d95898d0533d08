import BallTestSupport
import BluetoothHost
import EightBall
import VirtualRadio

/// Somebody with a radio, other than the ball.
protocol Guest: AnyObject {
  var radio: VirtualController { get }
  func start(at now: Instant)
  func receive(_ packet: Span<UInt8>, at now: Instant)
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool
  var deadline: Instant? { get }
  func advance(to now: Instant)
}

/// Somebody who finds a ball, asks it one question, and leaves.
final class Asker: Guest {
  let radio: VirtualController
  let client: BallClient
  private(set) var events: [BallClientEvent] = []

  init(radio: VirtualController, inquiry: BallInquiry) {
    self.radio = radio
    client = BallClient(inquiry)
  }

  /// How it went; `nil` while that is open.
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

  func start(at now: Instant) {
    client.start(at: now)
    listen()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    client.receive(packet, at: now)
    listen()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    defer { listen() }
    return client.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { client.deadline }

  func advance(to now: Instant) {
    client.advance(to: now)
    listen()
  }

  private func listen() {
    while let event = client.nextEvent() { events.append(event) }
  }
}

extension Stage {
  /// Somebody comes to ask.
  func ask(
    _ question: String, controller: ControllerConfiguration = .init()
  ) -> Asker {
    let asker = Asker(
      radio: air.addController(configuration: controller), inquiry: BallInquiry(question: question))
    add(asker)
    return asker
  }
}

/// What a ball has told, in a form that can be compared.
enum Told: Equatable {
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
      case .connected(let place, let address): .connected(place, address)
      case .disconnected(let place, _, let reason): .disconnected(place, reason)
      case .subscribed(let place, let isOn): .subscribed(place, isOn)
      case .asked(let place): .asked(place, question)
      case .refused(let place, let refusal): .refused(place, refusal)
      case .answered(let place, let answer): .answered(place, answer)
      case .missed(let count): .missed(count)
      }
  }
}
