import BluetoothHost

// The text form of a UUID: RFC 9562, 4.
extension BluetoothUUID {
  /// Reads what `writeText` writes, in any case; `nil` for any other text.
  package init?(text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var halves = (high: UInt64(0), low: UInt64(0))
    var count = 0
    for index in text.indices {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = text[index].hexadecimalValue else { return nil }
      let value = UInt64(widening: UInt32(digit))
      if count < 16 {
        halves.high = halves.high &<< 4 | value
      } else {
        halves.low = halves.low &<< 4 | value
      }
      count &+= 1
    }
    self.init(high: halves.high, low: halves.low)
  }

  /// Writes its 16 bytes, the most significant first, such as 0000180F-0000-1000-8000-00805F9B34FB.
  package func writeText(to writer: inout ByteWriter) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { writer.write(UInt8(ascii: "-")) }
      let half = index < 8 ? high : low
      let byte = half &>> UInt64(widening: UInt32(truncatingIfNeeded: (7 &- index & 7) &* 8))
      writer.write(hexadecimal: UInt8(truncatingIfNeeded: byte))
    }
  }
}
