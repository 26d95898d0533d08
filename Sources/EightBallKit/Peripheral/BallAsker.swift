import CoreBluetooth
import Foundation

/// A central that is connected to a ball.
public final class BallAsker: BallDevice, @unchecked Sendable {
  /// CoreBluetooth's identifier.
  public var id: UUID { central.identifier }
  /// Its identifier: a central has no name here.
  public var name: String { id.uuidString }
  /// The last error; `nil` if there was none since the last question.
  public var error: BallError? { contents.withLock(\.error) }
  /// Its last question; `nil` before the first.
  public var question: String? { contents.withLock(\.question) }
  /// The last answer to it; `nil` before the first.
  public var answer: String? { contents.withLock(\.answer) }

  /// Answers: at once if the central has subscribed, otherwise when it does.
  ///
  /// - Parameter answer: The answer.
  /// - Parameter question: The answered question; `nil` is the last one.
  public func send(_ answer: String, to question: String? = nil) {
    peripheral?.send(answer, to: self, question: question ?? self.question ?? "")
  }

  /// Refuses its further questions for this reason.
  public func reject(because reason: RejectionReason) {
    contents.withLock {
      $0.rejection = reason
      $0.error = .coreBluetooth(reason)
    }
  }

  struct Contents {
    var error: BallError?
    var question: String?
    var answer: String?
    var rejection: RejectionReason?
  }

  let central: CBCentral
  weak let peripheral: BallPeripheral?
  let contents = Locked(Contents())

  // Only the peripheral's queue uses these.
  var isSubscribed = false
  /// The answer that has not been notified.
  var pending: (answer: String, question: String)?

  init(_ central: CBCentral, peripheral: BallPeripheral) {
    self.central = central
    self.peripheral = peripheral
  }
}

extension BallAsker: CustomStringConvertible {
  /// Its identifier.
  public var description: String { name }
}
