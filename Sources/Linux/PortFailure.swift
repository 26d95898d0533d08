import BluetoothHost

/// A system call's purpose.
package enum PortOperation {
  case accept, configure, connect, createSocket, find, listen, open, read, takeOver, use, wait,
    write

  /// Its text, to follow "cannot".
  package var words: StaticString {
    switch self {
    case .accept: "accept a connection on "
    case .configure: "configure "
    case .connect: "connect to "
    case .createSocket: "create a socket for "
    case .find: "find "
    case .listen: "listen on "
    case .open: "open "
    case .read: "read from "
    case .takeOver: "take over "
    case .use: "use "
    case .wait: "wait for "
    case .write: "write to "
    }
  }
}

/// A failed system call: its purpose, and why it failed.
package struct PortFailure: Error {
  /// A text that explains more than the code.
  package enum Explanation: Equatable {
    /// The text of the code.
    case none
    /// The socket belongs to another user, who has this number.
    case owner(UInt32)
    /// A socket's path is limited.
    case pathTooLong
  }

  /// Why.
  package var code: ErrorNumber
  /// What was being done.
  package var operation: PortOperation
  /// A text beyond that of `code`.
  package var explanation: Explanation

  /// The failure `code` of `operation`.
  package init(
    code: ErrorNumber, operation: PortOperation, explanation: Explanation = .none
  ) {
    self.code = code
    self.operation = operation
    self.explanation = explanation
  }

  /// Whether no program listens at the UNIX socket.
  package var isAbsence: Bool { code == .noSuchFile || code == .connectionRefused }

  /// Writes it as a sentence about `subject`, without a full stop.
  package func write(to writer: inout ByteWriter, subject: (inout ByteWriter) -> Void) {
    writer.write(text: "cannot ")
    writer.write(text: operation.words)
    subject(&writer)
    writer.write(text: ": ")
    writeReason(to: &writer)
  }

  /// Writes only why it failed.
  package func writeReason(to writer: inout ByteWriter) {
    switch explanation {
    case .none:
      guard let words = unsafe clinux_words(code.rawValue) else { return }
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
