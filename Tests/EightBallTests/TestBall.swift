import BallTestSupport
import BluetoothHost
import EightBall
import Expectations

/// A ball for three centrals, called as by its host.
final class TestBall {
  var ball: BallApplication<3>

  /// A ball to which these centrals are connected; some of them listen to answers.
  init(
    seed: UInt64 = 8, style: AnswerFormat = .text, connected: [Int] = [], listening: [Int] = []
  ) {
    ball = BallApplication(seed: seed, style: style)
    for index in connected { connect(index) }
    for index in listening { listen(index) }
  }

  /// The address of the central at `connectionIndex`.
  func address(_ connectionIndex: Int) -> DeviceAddress {
    DeviceAddress(kind: .random, bytes: [UInt8(connectionIndex), 0, 0, 0, 0, 0xC0])
  }

  func connect(_ connectionIndex: Int) {
    ball.centralConnected(at: connectionIndex, address: address(connectionIndex))
  }

  func disconnect(_ connectionIndex: Int) {
    ball.centralDisconnected(at: connectionIndex, reason: .remoteUserTerminatedConnection)
  }

  func listen(_ connectionIndex: Int, _ configuration: ClientConfiguration = .notification) {
    ball.configurationChanged(of: .answer, at: connectionIndex, to: configuration)
  }

  /// Writes a question; returns the error of the response, `nil` for none.
  func ask(
    _ text: some Sequence<UInt8>, at connectionIndex: Int,
    attribute: ApplicationAttribute = .question
  ) -> ATTErrorCode? {
    let bytes = Array(text)
    do throws(GATTRefusal) {
      try ball.write(bytes.span, to: attribute, at: connectionIndex)
      return nil
    } catch {
      return code(of: error)
    }
  }

  /// The ball never defers a response.
  private func code(of refusal: GATTRefusal) -> ATTErrorCode {
    guard case .error(let code) = refusal else {
      Issue.record("the ball defers its response")
      return .unlikelyError
    }
    return code
  }

  func ask(_ text: String, at connectionIndex: Int = 0) -> ATTErrorCode? {
    ask(text.utf8, at: connectionIndex)
  }

  /// The result of a read.
  func read(_ connectionIndex: Int = 0, attribute: ApplicationAttribute = .answer)
    -> Result<String, ATTErrorCode>
  {
    var storage = [UInt8](repeating: 0, count: 512)
    var writer = ByteWriter(storage.mutableSpan)
    do throws(GATTRefusal) {
      try ball.read(attribute, at: connectionIndex, from: 0, into: &writer)
    } catch {
      return .failure(code(of: error))
    }
    let count = writer.count
    return .success(String(decoding: storage[..<count], as: UTF8.self))
  }

  /// The present notification for the central at `connectionIndex`; `nil` for none.
  func notify(_ connectionIndex: Int = 0) -> String? {
    guard let attribute = ball.pendingUpdate(at: connectionIndex) else { return nil }
    var storage = [UInt8](repeating: 0, count: 512)
    var writer = ByteWriter(storage.mutableSpan)
    ball.writeUpdate(of: attribute, at: connectionIndex, into: &writer)
    let count = writer.count
    return String(decoding: storage[..<count], as: UTF8.self)
  }

  func question(_ connectionIndex: Int = 0) -> String? { ball.question(at: connectionIndex) }

  /// The events since the last call.
  func events() -> [ObservedEvent] { ball.takeEvents() }

  var lights: BallLights { ball.lights }
}

/// The text of one answer.
func text(_ answer: Answer, _ style: AnswerFormat = .text, capacity: Int = 64) -> String {
  var storage = [UInt8](repeating: 0, count: capacity)
  var writer = ByteWriter(storage.mutableSpan)
  answer.write(style, to: &writer)
  let count = writer.count
  return String(decoding: storage[..<count], as: UTF8.self)
}
