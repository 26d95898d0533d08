import BluetoothHost

/// A system call's purpose.
package enum PortOperation {
  case accept, configure, connect, createSocket, find, listen, open, read, takeOver, use, wait,
    write

  /// Its text, to follow "cannot".
  package var words: StaticString {
    switch self {
    case .accept: "accept a connection on"
    case .configure: "configure"
    case .connect: "connect to"
    case .createSocket: "create a socket for"
    case .find: "find"
    case .listen: "listen on"
    case .open: "open"
    case .read: "read from"
    case .takeOver: "take over"
    case .use: "use"
    case .wait: "wait for"
    case .write: "write to"
    }
  }
}

/// A failed system call: its purpose, and why it failed.
package struct SystemCallError: Error {
  /// A text that explains more than the code.
  package enum Explanation: Equatable {
    /// The text of the code.
    case none
    /// The socket belongs to another user, who has this number.
    case owner(UInt32)
    /// A socket's path is limited.
    case pathTooLong
    /// The folder of a path does not exist.
    case noFolder
    /// The file of a path's lock is not this program's.
    case foreignLock
    /// The file at a socket's path is not a socket of this program and this user.
    case foreignFile
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
    writer.write(text: " ")
    subject(&writer)
    writer.write(text: ": ")
    writeReason(to: &writer)
  }

  /// Writes only why it failed.
  package func writeReason(to writer: inout ByteWriter) {
    let text: StaticString
    switch explanation {
    case .none:
      guard let words = unsafe clinux_words(code.rawValue) else { return }
      return writer.write(start: unsafe ProgramText(c: words).span)
    case .owner(let user):
      writer.write(text: "the socket is another user's (")
      writer.write(decimal: user)
      text = ")"
    case .pathTooLong: text = "a socket's path is at most 107 bytes long"
    case .noFolder: text = "its folder does not exist"
    case .foreignLock: text = "its lock file is another program's"
    case .foreignFile:
      text = """
        this program did not create that file; remove it if no program uses it, or use another path
        """
    }
    writer.write(text: text)
  }
}
