import BluetoothHost
import CLinuxPort
import LinuxErrors

/// A call to the system that failed: what was being done, and why.
struct PortFailure: Error {
  /// Words that say more than those of the code.
  enum Explanation: Equatable {
    /// Those of the code.
    case none
    /// The socket is of another user, who has this number.
    case owner(UInt32)
    /// A socket's path is limited.
    case pathTooLong
  }

  /// Why.
  var code: ErrorNumber
  /// What was being done, to follow "cannot": "connect to".
  var operation: StaticString
  /// More words than those of `code`.
  var explanation = Explanation.none

  /// Writes it as a sentence about `subject`, without a full stop.
  func write(to writer: inout ByteWriter, subject: (inout ByteWriter) -> Void) {
    writer.write(text: "cannot ")
    writer.write(text: operation)
    writer.write(text: " ")
    subject(&writer)
    writer.write(text: ": ")
    switch explanation {
    case .none:
      guard let words = unsafe clinuxport_words(code.rawValue) else { return }
      writer.write(start: unsafe ProgramText(c: words).span)
    case .owner(let user):
      writer.write(text: "the socket is another user's (")
      writer.write(decimal: user)
      writer.write(text: ")")
    case .pathTooLong:
      writer.write(text: "a socket's path is at most 107 bytes long")
    }
  }
}
