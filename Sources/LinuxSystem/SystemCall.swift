/// Makes calls to the system, and tells how they failed. What a signal interrupted is made again
/// (EINTR), and what would have had to wait is no failure (EAGAIN).
package enum SystemCall {
  /// What `call` returns, made again as often as a signal interrupts it.
  ///
  /// - Throws: What errno says, if it returns a negative number.
  @discardableResult
  package static func run(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String,
    _ call: () -> CInt
  ) throws(SystemError) -> CInt {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = Errno.current
      if code != .interrupted { throw SystemError(code, operation(), subject()) }
    }
  }

  /// The number of bytes that `call` moved, made again as often as a signal interrupts it; `nil`
  /// if it would have had to wait.
  ///
  /// - Throws: What errno says, if it returns a negative number.
  package static func transfer(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String,
    _ call: () -> Int
  ) throws(SystemError) -> Int? {
    while true {
      let result = call()
      if result >= 0 { return result }
      switch Errno.current {
      case .interrupted: continue
      case .wouldBlock: return nil
      case let code: throw SystemError(code, operation(), subject())
      }
    }
  }
}
