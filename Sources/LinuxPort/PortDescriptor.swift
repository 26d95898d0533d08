import BluetoothHost
import CLinuxPort
import LinuxErrors

/// The owner of one open file, socket or device, which it closes when it goes.
struct PortDescriptor: ~Copyable {
  /// The kernel's number for it.
  let number: Int32

  /// Takes over a descriptor that nothing else closes.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    clinuxport_close(number)
  }
}

/// What a call that moves bytes has come to.
enum Transfer {
  /// So many bytes were moved.
  case bytes(Int)
  /// It would have had to wait.
  case wouldBlock
  /// It failed.
  case failed(ErrorNumber)

  /// What a call of CLinuxPort has given.
  init(_ result: Int64) {
    if result >= 0 {
      self = .bytes(Int(truncatingIfNeeded: result))
    } else {
      let code = ErrorNumber(result)
      self = code == .wouldBlock ? .wouldBlock : .failed(code)
    }
  }
}

extension ErrorNumber {
  /// The errno of a call that gave a negative number.
  init(_ result: Int64) {
    self.init(rawValue: Int32(truncatingIfNeeded: 0 &- result))
  }

  /// The errno of a call that gave a negative number.
  init(_ result: Int32) {
    self.init(rawValue: 0 &- result)
  }
}
