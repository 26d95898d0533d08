import BluetoothHost

/// The owner of one open file, socket or device, which it closes at its end.
package struct PortDescriptor: ~Copyable, Sendable {
  /// The kernel's number for it.
  package let number: Int32

  /// Takes ownership of a descriptor.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    clinux_close(number)
  }

  /// Reads the available bytes into the front of `space`: none at the end of the file.
  package borrowing func read(into space: inout MutableSpan<UInt8>) -> Transfer {
    let number = number
    return unsafe space.withUnsafeMutableBufferPointer {
      unsafe Transfer(clinux_read(number, $0.baseAddress, $0.count))
    }
  }

  /// Writes as many of the first `bytes` as the kernel takes.
  package borrowing func write(_ bytes: Span<UInt8>) -> Transfer {
    let number = number
    return unsafe bytes.withUnsafeBufferPointer {
      unsafe Transfer(clinux_write(number, $0.baseAddress, $0.count))
    }
  }
}

/// The result of a call that moves bytes.
package enum Transfer {
  /// This number of bytes were moved.
  case bytes(Int)
  /// The call would have had to wait.
  case wouldBlock
  /// It failed.
  case failed(ErrorNumber)

  /// The result of a call of CLinux.
  package init(_ result: Int64) {
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
  package init(_ result: Int64) {
    self.init(rawValue: Int32(truncatingIfNeeded: 0 &- result))
  }

  /// The errno of a call that gave a negative number.
  package init(_ result: Int32) {
    self.init(rawValue: 0 &- result)
  }
}
