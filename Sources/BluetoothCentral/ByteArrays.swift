import BluetoothHost

extension [UInt8] {
  /// A copy of `bytes`.
  init(_ bytes: Span<UInt8>) {
    self.init()
    reserveCapacity(bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }

  /// What `body` writes, in at most `capacity` bytes.
  static func written(upTo capacity: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: capacity)
    var writer = ByteWriter(bytes.mutableSpan)
    body(&writer)
    let count = writer.count
    bytes.removeLast(capacity - count)
    return bytes
  }
}
