import BluetoothHost
import Linux
import LinuxPort

/// The address of a ball, as given with `--address`.
enum AddressText: Equatable {
  /// The controller's own.
  case `public`
  /// A new random one.
  case random
  /// This static random one.
  case fixed(DeviceAddress)

  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the two top bits of a static random address are ones, and
  /// among the other 46 there is at least one 0 and at least one 1.
  ///
  /// - Throws: What is wrong with `text`.
  init(_ text: Span<UInt8>) throws(AddressTextError) {
    if Self.isWord("public", text) {
      self = .public
    } else if Self.isWord("random", text) {
      self = .random
    } else {
      self = .fixed(try Self.fixed(text))
    }
  }

  private static func fixed(_ text: Span<UInt8>) throws(AddressTextError) -> DeviceAddress {
    // Six bytes of two digits each, separated by colons.
    guard text.count == 17 else { throw .noAddress }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<6 {
      let start = index * 3
      guard let high = hexadecimal(text[start]), let low = hexadecimal(text[start + 1]),
        index == 5 || text[start + 2] == UInt8(ascii: ":")
      else { throw .noAddress }
      bytes[5 - index] = high &<< 4 | low
    }
    guard bytes[5] >= 0xC0 else { throw .noAddress }
    var ones = bytes[5] & 0x3F
    var zeros = ~bytes[5] & 0x3F
    for index in 0..<5 {
      ones |= bytes[index]
      zeros |= ~bytes[index]
    }
    guard ones != 0, zeros != 0 else { throw .uniform }
    return DeviceAddress(kind: .random, bytes: bytes)
  }

  /// Whether `text` is `word`, in any case.
  private static func isWord(_ word: StaticString, _ text: Span<UInt8>) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    var lowercase = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<min(text.count, 6) {
      let isCapital = text[index] >= UInt8(ascii: "A") && text[index] <= UInt8(ascii: "Z")
      lowercase[index] = isCapital ? text[index] | 0x20 : text[index]
    }
    return lowercase.span.extracting(first: min(text.count, 6)).equals(word)
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }
}

/// Why a text is not an address.
enum AddressTextError: Error {
  /// It has none of the forms.
  case noAddress
  /// Its random bits are all the same.
  case uniform

  /// Writes what is wrong with `text`, without a full stop.
  func write(to writer: inout ByteWriter, of text: ProgramText) {
    writer.write(text: "\"")
    writer.write(shown: text)
    switch self {
    case .noAddress:
      writer.write(
        text: """
          " names no address: expected public, random, or a static random address, six bytes with C0 \
          to FF as the first, such as C0:00:00:00:00:01
          """)
    case .uniform:
      writer.write(
        text: """
          " is not a static random address: of its lower 46 bits, at least one must be 0 and at \
          least one 1 (Core Specification, Vol 6, Part B, 1.3.2.1). Choose another, such as \
          C0:00:00:00:00:01
          """)
    }
  }
}
