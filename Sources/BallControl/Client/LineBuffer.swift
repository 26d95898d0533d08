import BluetoothHost

/// Splits a stream of bytes into lines.
public struct LineBuffer {
  /// The longest line, in bytes without its end.
  public static let limit = 65_536

  private var bytes: [UInt8] = []
  private var start = 0

  /// No bytes.
  public init() {}

  /// Adds bytes that were read.
  public mutating func append(_ read: Span<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    for index in read.indices { bytes.append(read[index]) }
  }

  /// Takes the next whole line, without its end; `nil` if there is none.
  public mutating func next() -> [UInt8]? {
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { start = end + 1 }
    return Array(bytes[start..<end])
  }

  /// Whether the unfinished or the next line is too long.
  public var isTooLong: Bool {
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    return end - start > Self.limit
  }
}
