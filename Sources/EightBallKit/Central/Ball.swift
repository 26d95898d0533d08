import CoreBluetooth
import Foundation

/// A ball that was found, and can be asked.
public final class Ball: BallDevice, @unchecked Sendable {
  /// The identifier that CoreBluetooth gives it.
  public var id: UUID { peripheral.identifier }
  /// The name that it advertises.
  public let name: String
  /// How strongly it was heard when it was found, in dBm; `nil` if that is not known.
  public let rssi: Int?
  /// Whether there is a link to it.
  public var isConnected: Bool { peripheral.state == .connected }
  /// What went wrong with it last; `nil` if nothing has since it was last asked.
  public var error: BallError? { contents.current.error }

  /// The question that it has taken last; `nil` while one is on its way, and before the first.
  public var question: String? { contents.current.question }
  /// Its answer to `question`; `nil` until it comes.
  public var answer: String? { contents.current.answer }

  /// Asks, and reports the outcome to the observers.
  ///
  /// The question waits its turn behind those of `ask`. It replaces a question that was sent before
  /// and has no answer yet; the central reports nothing more of that one.
  public func send(_ question: String) {
    central?.send(question, to: self, answerer: nil)
  }

  /// Asks, and waits for the answer.
  ///
  /// A ball takes one question at a time: the question waits its turn behind those that were asked
  /// before. `BallCentral.Options.answerTimeout` counts from the beginning of its turn.
  ///
  /// - Returns: The answer, in the words of the ball.
  /// - Throws: `BallError`; or `CancellationError` if the task is cancelled, which also ends the wait
  ///   for a turn.
  public func ask(_ question: String) async throws -> String {
    guard let central else { throw BallError.sendFailed(RejectionReason.deviceOffline) }
    let inquiry = Inquiry()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        inquiry.begin(continuation)
        central.send(question, to: self, answerer: inquiry)
      }
    } onCancel: {
      inquiry.end(.failure(CancellationError()))
      central.giveUp(inquiry, of: self)
    }
  }

  /// Ends the connection. The ball is not connected again until `BallCentral.restart()`.
  public func reject(because reason: RejectionReason) {
    central?.reject(self, because: reason)
  }

  struct Contents {
    var error: BallError?
    var question: String?
    var answer: String?
  }

  let peripheral: CBPeripheral
  weak let central: BallCentral?
  let contents = Guarded(Contents())
  /// Touched on the central's queue alone.
  var conversation = Conversation()

  init(_ peripheral: CBPeripheral, name: String, rssi: Int?, central: BallCentral) {
    self.peripheral = peripheral
    self.name = name
    self.rssi = rssi
    self.central = central
  }
}

extension Ball: CustomStringConvertible {
  /// The name that it advertises.
  public var description: String { name }
}

/// A question to a ball.
struct PendingQuestion {
  var text: String
  /// The call of `ask` that waits for the answer; `nil` for a question that was sent.
  var inquiry: Inquiry?
}

/// How far a central has come with a ball.
struct Conversation {
  /// Whether observers have been told of the ball.
  var isDiscovered = false
  var questionCharacteristic: CBCharacteristic?
  var answerCharacteristic: CBCharacteristic?
  /// Whether there is something to ask, and something that answers.
  var isServerKnown: Bool { questionCharacteristic != nil && answerCharacteristic != nil }

  /// What has been wished of the subscription, to have it or to end it, and not answered yet; the
  /// oldest first.
  var wishes: [Bool] = []
  /// The question that the ball has not yet taken.
  var interimQuestion: String?
  /// Whether it has been written.
  var isWritten = false
  /// How many writes have not been confirmed.
  var unconfirmed = 0
  /// An answer that came before the write was confirmed.
  var earlyAnswer: String?
  /// Runs while an answer is waited for.
  var timer: (any BallTimer)?
  /// The call of `ask` that waits for that answer; `nil` if the question was sent.
  var inquiry: Inquiry?
  /// The questions behind that one, in the order of their turns.
  var waiting: [PendingQuestion] = []

  /// The ball has other attributes than before: what was asked of the old ones is not confirmed any
  /// more, and a question that was not taken is still to be written.
  mutating func forgetServer() {
    questionCharacteristic = nil
    answerCharacteristic = nil
    wishes = []
    isWritten = false
    unconfirmed = 0
    earlyAnswer = nil
  }
}

/// One call of `ask`, which ends once.
final class Inquiry: Sendable {
  private struct State {
    var continuation: CheckedContinuation<String, any Error>?
    var result: Result<String, any Error>?
  }

  private let state = Guarded(State())

  var isEnded: Bool { state.current.result != nil }

  func begin(_ continuation: CheckedContinuation<String, any Error>) {
    let result: Result<String, any Error>? = state {
      if $0.result == nil { $0.continuation = continuation }
      return $0.result
    }
    if let result { continuation.resume(with: result) }
  }

  func end(_ result: Result<String, any Error>) {
    let continuation: CheckedContinuation<String, any Error>? = state { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(with: result)
  }
}
