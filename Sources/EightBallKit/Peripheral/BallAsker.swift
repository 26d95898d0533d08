import CoreBluetooth
import Foundation

/// Somebody who is connected to a ball, and asks.
public final class BallAsker: BallDevice, @unchecked Sendable {
  /// The identifier that CoreBluetooth gives it.
  public var id: UUID { central.identifier }
  /// Its identifier: a central tells no name.
  public var name: String { id.uuidString }
  /// What went wrong last.
  public var error: BallError? { contents.current.error }
  /// The question that it has asked last; `nil` before the first.
  public var question: String? { contents.current.question }
  /// The answer that it was given last; `nil` before the first.
  public var answer: String? { contents.current.answer }

  /// Answers: at once if it listens, and else as soon as it does.
  ///
  /// - Parameter question: The question that it answers; `nil` is the one asked last.
  public func send(_ answer: String, to question: String? = nil) {
    peripheral?.send(answer, to: self, question: question ?? self.question ?? "")
  }

  /// Refuses its questions from now on, for this reason.
  public func reject(because reason: RejectionReason) {
    contents {
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
  let contents = Guarded(Contents())

  // Touched on the peripheral's queue alone.
  var isSubscribed = false
  /// The answer that waits until it can be notified.
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
