import BluetoothHost
import Synchronization

/// A value that one thread at a time can access.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private var value: Value
  private let mutex = Mutex(())

  init(_ value: consuming Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try mutex.withLock { _ in try body(&value) }
  }
}

extension Locked<Bool> {
  /// Makes it true. Returns whether it was false.
  func set() -> Bool {
    withLock { value in
      defer { value = true }
      return !value
    }
  }
}

extension [UInt8] {
  /// A copy of `bytes`.
  init(_ bytes: Span<UInt8>) {
    self.init()
    reserveCapacity(bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }
}

extension ATTMTU {
  /// The longest value in one command, notification or indication: the MTU less the header of 3
  /// bytes, and at most the maximum length of a value (Core Specification, Vol 3, Part F, 3.2.9).
  var maximumUpdateLength: Int { min(byteCount - 3, maximumAttributeValueLength) }
}
