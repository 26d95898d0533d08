import CoreBluetooth
import Foundation

/// A discovered ball.
public final class Ball: BallDevice, @unchecked Sendable {
  /// CoreBluetooth's identifier.
  public var id: UUID { peripheral.identifier }
  /// The advertised name.
  public let name: String
  /// The RSSI when it was found, in dBm; `nil` if unknown.
  public let rssi: Int?
  /// Whether there is a link to it.
  public var isConnected: Bool { peripheral.state == .connected }
  /// The last error; `nil` if there was none since the last question.
  public var error: BallError? { contents.withLock(\.error) }

  /// The last accepted question; `nil` while one is being sent, and before the first.
  public var question: String? { contents.withLock(\.question) }
  /// Its answer to `question`; `nil` until it arrives.
  public var answer: String? { contents.withLock(\.answer) }

  /// Asks, and reports the result to the observers.
  ///
  /// The question waits until earlier calls of `ask` have ended. It replaces an unanswered question
  /// of an earlier `send`, about which the central reports nothing more.
  public func send(_ question: String) { central?.send(question, to: self, answerer: nil) }

  /// Asks, and waits for the answer.
  ///
  /// A ball takes one question at a time, so the question waits for those before it.
  /// `BallCentral.Options.answerTimeout` counts from the beginning of its turn.
  ///
  /// - Returns: The ball's answer.
  /// - Throws: `BallError`; or `CancellationError` if the task is cancelled, which also ends the
  ///   wait for a turn.
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
  public func reject(because reason: RejectionReason) { central?.reject(self, because: reason) }

  struct Contents {
    var error: BallError?
    var question: String?
    var answer: String?
  }

  let peripheral: CBPeripheral
  weak let central: BallCentral?
  let contents = Locked(Contents())
  /// Only the central's queue uses it.
  var conversation = Conversation()

  init(_ peripheral: CBPeripheral, name: String, rssi: Int?, central: BallCentral) {
    self.peripheral = peripheral
    self.name = name
    self.rssi = rssi
    self.central = central
  }
}

extension Ball: CustomStringConvertible {
  /// The advertised name.
  public var description: String { name }
}

/// A question to a ball.
struct PendingQuestion {
  var text: String
  /// The call of `ask` that waits for the answer; `nil` for a question of `send(_:)`.
  var inquiry: Inquiry?
}

/// The state of a central's exchange with a ball.
struct Conversation {
  /// Whether the ball has been reported to the observers.
  var isDiscovered = false
  var questionCharacteristic: CBCharacteristic?
  var answerCharacteristic: CBCharacteristic?
  /// Whether both characteristics are known.
  var isServerKnown: Bool { questionCharacteristic != nil && answerCharacteristic != nil }

  /// The unconfirmed changes of the subscription, oldest first: true to subscribe, false to
  /// unsubscribe.
  var subscriptionChanges: [Bool] = []
  /// Whether the end of the subscription is not confirmed yet.
  var isUnsubscribing: Bool { subscriptionChanges.last == false }
  /// The question that the ball has not accepted yet.
  var unacceptedQuestion: String?
  /// Whether it has been written.
  var isWritten = false
  /// How many writes have not been confirmed.
  var unconfirmedWrites = 0
  /// An answer that arrived before the confirmation of the write.
  var earlyAnswer: String?
  /// Runs while the central waits for an answer.
  var timer: BallTimer?
  /// The call of `ask` that waits for that answer; `nil` for a question of `send(_:)`.
  var inquiry: Inquiry?
  /// The questions after that one, in order.
  var waiting: [PendingQuestion] = []

  /// The ball's attributes have changed: earlier requests are no longer confirmed, and a question
  /// that was not accepted has to be written again.
  mutating func forgetServer() {
    questionCharacteristic = nil
    answerCharacteristic = nil
    subscriptionChanges = []
    isWritten = false
    unconfirmedWrites = 0
    earlyAnswer = nil
  }
}

/// One call of `ask`. It ends once.
final class Inquiry: Sendable {
  private struct State {
    var continuation: CheckedContinuation<String, any Error>?
    var result: Result<String, any Error>?
  }

  private let state = Locked(State())

  var isEnded: Bool { state.withLock(\.result) != nil }

  func begin(_ continuation: CheckedContinuation<String, any Error>) {
    let result: Result<String, any Error>? = state.withLock {
      if $0.result == nil { $0.continuation = continuation }
      return $0.result
    }
    if let result { continuation.resume(with: result) }
  }

  func end(_ result: Result<String, any Error>) {
    let continuation: CheckedContinuation<String, any Error>? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(with: result)
  }
}
