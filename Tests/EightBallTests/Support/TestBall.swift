import BluetoothHost
import EightBall
import Testing

extension Array<UInt8> {
  /// The bytes of a span, in a form that a test can keep.
  init(_ span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}

/// An event in a form that a test can compare.
enum Happened: Equatable {
  case radio(RadioState)
  case connected(Int, DeviceAddress)
  case disconnected(Int, DeviceAddress, HCIErrorCode)
  case subscribed(Int, Bool)
  case asked(Int)
  case refused(Int, QuestionRule.Refusal)
  case answered(Int, Answer)
  case missed(Int)

  init(_ event: BallEvent) {
    self =
      switch event {
      case .radio(let state): .radio(state)
      case .connected(let place, let address): .connected(place, address)
      case .disconnected(let place, let address, let reason):
        .disconnected(place, address, reason)
      case .subscribed(let place, let isListening): .subscribed(place, isListening)
      case .asked(let place): .asked(place)
      case .refused(let place, let refusal): .refused(place, refusal)
      case .answered(let place, let answer): .answered(place, answer)
      case .missed(let count): .missed(count)
      }
  }
}

/// A ball of three places, handled as its host handles it.
final class TestBall {
  var ball: Ball<3>

  init(seed: UInt64 = 8, style: AnswerStyle = .text) {
    ball = Ball(seed: seed, style: style)
  }

  /// The address of the central at `place`.
  func address(_ place: Int) -> DeviceAddress {
    DeviceAddress(kind: .random, bytes: [UInt8(place), 0, 0, 0, 0, 0xC0])
  }

  func connect(_ place: Int) {
    ball.centralConnected(at: place, address: address(place))
  }

  func disconnect(_ place: Int) {
    ball.centralDisconnected(at: place, reason: .remoteUserTerminatedConnection)
  }

  func listen(_ place: Int, _ configuration: ClientConfiguration = .notification) {
    ball.configurationChanged(of: .answer, at: place, to: configuration)
  }

  /// Writes a question; gives the error that it is answered by, `nil` for none.
  func ask(
    _ text: some Sequence<UInt8>, at place: Int, attribute: ApplicationAttribute = .question
  ) -> ATTErrorCode? {
    let bytes = Array(text)
    do throws(GATTRefusal) {
      try ball.write(bytes.span, to: attribute, at: place)
      return nil
    } catch {
      return code(of: error)
    }
  }

  /// A ball has its answers at once.
  private func code(of refusal: GATTRefusal) -> ATTErrorCode {
    guard case .error(let code) = refusal else {
      Issue.record("the ball puts its answer off")
      return .unlikelyError
    }
    return code
  }

  func ask(_ text: String, at place: Int = 0) -> ATTErrorCode? {
    ask(text.utf8, at: place)
  }

  /// What a read gives.
  func read(_ place: Int = 0, attribute: ApplicationAttribute = .answer)
    -> Result<String, ATTErrorCode>
  {
    var storage = [UInt8](repeating: 0, count: 512)
    var writer = ByteWriter(storage.mutableSpan)
    do throws(GATTRefusal) {
      try ball.read(attribute, at: place, from: 0, into: &writer)
    } catch {
      return .failure(code(of: error))
    }
    let count = writer.count
    return .success(String(decoding: storage[..<count], as: UTF8.self))
  }

  /// What the central at `place` is notified of now; `nil` for nothing.
  func notify(_ place: Int = 0) -> String? {
    guard let attribute = ball.pendingUpdate(at: place) else { return nil }
    var storage = [UInt8](repeating: 0, count: 512)
    var writer = ByteWriter(storage.mutableSpan)
    ball.writeUpdate(of: attribute, at: place, into: &writer)
    let count = writer.count
    return String(decoding: storage[..<count], as: UTF8.self)
  }

  func question(_ place: Int = 0) -> String? {
    var question: String?
    ball.withQuestion(at: place) { question = String(decoding: Array($0), as: UTF8.self) }
    return question
  }

  /// The events since this was last asked.
  func events() -> [Happened] {
    var events: [Happened] = []
    while let event = ball.nextEvent() { events.append(Happened(event)) }
    return events
  }

  var lights: BallLights { ball.lights }
}

/// The text of one answer.
func text(_ answer: Answer, _ style: AnswerStyle = .text, capacity: Int = 64) -> String {
  var storage = [UInt8](repeating: 0, count: capacity)
  var writer = ByteWriter(storage.mutableSpan)
  answer.write(style, to: &writer)
  let count = writer.count
  return String(decoding: storage[..<count], as: UTF8.self)
}
