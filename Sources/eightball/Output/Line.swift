#if Tools
import BluetoothHost
import EightBall

/// A line of output that is put together in place.
///
/// It keeps its storage when it is emptied, so a line that is used again and again costs no heap
/// calls: what a running ball prints is part of what it does for a question.
struct Line {
  private(set) var bytes: [UInt8] = []
  private var scratch: [UInt8] = []

  /// An empty line with room for a question of 512 bytes, escaped in the longest way.
  init() {
    bytes.reserveCapacity(4_096)
    scratch.reserveCapacity(1_024)
  }

  /// The line as text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets everything but its storage.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Forgets what comes after so many bytes.
  mutating func cut(to count: Int) {
    bytes.removeLast(max(0, bytes.count - count))
  }

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// Appends a whole number in decimal digits.
  mutating func append(_ number: Int) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    // The last digit comes first; 20 are as many as 64 bits take.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var count = 0
    var rest = number.magnitude
    repeat {
      digits[count] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
      count += 1
    } while rest > 0
    for index in (0..<count).reversed() { bytes.append(digits[index]) }
  }

  /// Appends a byte in two hexadecimal digits.
  mutating func append(hexadecimal byte: UInt8) {
    append(hexadecimalDigit: byte >> 4)
    append(hexadecimalDigit: byte & 0xF)
  }

  private mutating func append(hexadecimalDigit digit: UInt8) {
    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
  }

  /// Appends an address as people write it: `F0:00:00:00:00:01`.
  mutating func append(_ address: DeviceAddress) {
    let octets = address.bytes
    for index in octets.indices.reversed() {
      append(hexadecimal: octets[index])
      if index > 0 { bytes.append(UInt8(ascii: ":")) }
    }
  }

  /// Appends an answer in English.
  mutating func append(_ answer: Answer) {
    var storage = InlineArray<64, UInt8>(repeating: 0)
    var writer = ByteWriter(storage.mutableSpan)
    answer.text.writePrefix(to: &writer)
    for index in 0..<writer.count { bytes.append(storage[index]) }
  }

  /// Appends each scalar of a text in UTF-8 by way of `body`, with the replacement character for
  /// what is not UTF-8.
  mutating func append(
    scalarsOf utf8: Span<UInt8>, _ body: (inout Line, Unicode.Scalar) -> Void
  ) {
    scratch.removeAll(keepingCapacity: true)
    for index in utf8.indices { scratch.append(utf8[index]) }
    var decoder = UTF8()
    var rest = scratch.makeIterator()
    while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar): body(&self, scalar)
      case .error: body(&self, "\u{FFFD}")
      case .emptyInput: return
      }
    }
  }
}
#endif
