import BluetoothHost

extension [UInt8] {
  /// A copy of `bytes`.
  init(_ bytes: Span<UInt8>) {
    self.init()
    reserveCapacity(bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }
}
