import CoreBluetooth

/// The UUIDs and error codes of a Magic 8-Ball.
public enum BallProfile {
  /// The UUID of the service as text. A ball advertises it.
  public static let serviceUUIDString = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
  /// The UUID, as text, of the characteristic to which a question is written.
  public static let questionUUIDString = "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
  /// The UUID, as text, of the characteristic that notifies the answer.
  public static let answerUUIDString = "349A0D7B-6215-4E2C-A095-AF078D737445"

  /// The service.
  public static var service: CBUUID { CBUUID(string: serviceUUIDString) }
  /// The characteristic to which a question is written.
  public static var question: CBUUID { CBUUID(string: questionUUIDString) }
  /// The characteristic that notifies the answer.
  public static var answer: CBUUID { CBUUID(string: answerUUIDString) }

  /// The ATT application error with which a ball refuses text that is not UTF-8.
  public static let notUTF8: UInt8 = 0x80
  /// The ATT application error with which this SDK's ball refuses a write that is not one question.
  public static let notOneQuestion: UInt8 = 0x81
}
