import BluetoothHost
import Linux

extension ErrorNumber: CustomStringConvertible {
  /// The C library's text for it, such as "Connection refused".
  public var description: String {
    guard let text = unsafe clinux_words(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: text)
  }
}

/// A failed system call: the reason, the operation and its subject.
///
/// Prints as one sentence: "cannot connect to /run/air.sock: Connection refused".
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The reason.
  public var code: ErrorNumber
  /// The operation, to follow "cannot": "connect to".
  public var operation: String
  /// Its subject: a path, a host and port, an adapter.
  public var subject: String
  /// A more precise reason than the text of `code`, if known.
  public var explanation: String?

  /// The failure `code` of `operation` on `subject`.
  public init(
    _ code: ErrorNumber, _ operation: String, _ subject: String, explanation: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.explanation = explanation
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    "cannot \(operation) \(subject): \(explanation ?? code.description)"
  }
}

extension SystemError {
  /// A failed call on `subject`.
  package init(_ failure: SystemCallError, of subject: String) {
    if failure.explanation == .foreignLock {
      let start = subject.lastIndex(of: "/").map { subject.index(after: $0) } ?? subject.startIndex
      self.init(
        failure.code, "lock", "\(subject[..<start]).\(subject[start...]).eightball-lock",
        explanation:
          "it is not a lock file of this program and this user; remove it, or use another "
          + "path")
      return
    }
    self.init(
      failure.code, String(writing: { $0.write(text: failure.operation.words) }), subject,
      explanation: failure.explanation == .none
        ? nil : String(writing: { failure.writeReason(to: &$0) }))
  }
}

/// Makes system calls, and throws their errors. Repeats a call that a signal interrupted (EINTR).
package enum SystemCall {
  /// The result of `call`, which is repeated when a signal interrupts it.
  ///
  /// - Throws: The error in errno, if `call` returns a negative number.
  @discardableResult
  package static func run(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String,
    _ call: () -> CInt
  ) throws(SystemError) -> CInt {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = ErrorNumber.current
      if code != .interrupted { throw SystemError(code, operation(), subject()) }
    }
  }
}
