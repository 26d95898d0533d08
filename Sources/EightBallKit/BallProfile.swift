import CoreBluetooth

/// What a Magic 8-Ball shows on the air.
public enum BallProfile {
  /// The service's UUID as text: it is advertised.
  public static let serviceUUIDString = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
  /// The UUID, as text, of the characteristic that a question is written to.
  public static let questionUUIDString = "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
  /// The UUID, as text, of the characteristic that notifies the answer.
  public static let answerUUIDString = "349A0D7B-6215-4E2C-A095-AF078D737445"

  /// The service.
  public static var service: CBUUID { CBUUID(string: serviceUUIDString) }
  /// Where a question is written.
  public static var question: CBUUID { CBUUID(string: questionUUIDString) }
  /// Where the answer comes from.
  public static var answer: CBUUID { CBUUID(string: answerUUIDString) }

  /// The ATT error by which a ball refuses text that is not UTF-8: an application error of its own.
  public static let notUTF8: UInt8 = 0x80
  /// The ATT error by which a ball of this SDK refuses a write of more, or less, than one question.
  public static let notOneQuestion: UInt8 = 0x81
}
