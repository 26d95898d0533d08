import Linux

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
