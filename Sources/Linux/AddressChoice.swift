import BluetoothHost

/// The address that a device uses on its radio, as given with `--address`.
public enum AddressChoice: Equatable, Sendable {
  /// The controller's public address, or a new static random one if it has no public address.
  case automatic
  /// The controller's public address.
  case `public`
  /// A new static random address.
  case random
  /// This static random address.
  case fixed(DeviceAddress)

  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the two most significant bits of a static random
  /// address are 1; the other 46 have at least one 0 and at least one 1.
  ///
  /// - Throws: What is wrong with `text`.
  public init(_ text: Span<UInt8>) throws(AddressChoiceError) {
    if Self.isWord("public", text) {
      self = .public
    } else if Self.isWord("random", text) {
      self = .random
    } else {
      self = .fixed(try Self.staticRandom(text))
    }
  }

  /// The host's setting.
  package var own: OwnAddress { own(orRandom: .newStaticRandom()) }

  /// The host's setting. With `automatic`, a controller without an address gets `known`.
  package func own(orRandom known: DeviceAddress) -> OwnAddress {
    switch self {
    case .automatic: .automatic(orRandom: known)
    case .public: .public
    case .random: .random(.newStaticRandom())
    case .fixed(let address): .random(address)
    }
  }

  private static func staticRandom(_ text: Span<UInt8>) throws(AddressChoiceError) -> DeviceAddress
  {
    guard let bytes = DeviceAddress.bytes(of: text) else { throw .noAddress }
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
}

extension DeviceAddress {
  /// A new static random address.
  package static func newStaticRandom() -> DeviceAddress {
    var generator = SystemRandom()
    return newStaticRandom(from: &generator)
  }

  /// A new static random address from these random numbers.
  package static func newStaticRandom(
    from generator: inout some RandomNumberGenerator
  ) -> DeviceAddress {
    var number = generator.next()
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<6 {
      bytes[index] = UInt8(truncatingIfNeeded: number)
      number &>>= 8
    }
    return .staticRandom(bytes)
  }

  /// The bytes of an address as people write it, the least significant first: six of two digits each,
  /// separated by colons. `nil` for other text.
  package static func bytes(of text: Span<UInt8>) -> InlineArray<6, UInt8>? {
    guard text.count == 17 else { return nil }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<6 {
      let start = index * 3
      guard let high = text[start].hexadecimalValue, let low = text[start + 1].hexadecimalValue,
        index == 5 || text[start + 2] == UInt8(ascii: ":")
      else { return nil }
      bytes[5 - index] = high &<< 4 | low
    }
    return bytes
  }
}

/// Why a text is not an address.
public enum AddressChoiceError: Error, Equatable, Sendable {
  /// It has none of the forms.
  case noAddress
  /// Its random bits are all the same.
  case uniform

  /// Writes what is wrong with `text`, without a full stop.
  public func write(to writer: inout ByteWriter, of text: Span<UInt8>) {
    writer.write(text: "unknown address \"")
    writer.writeShown(text)
    writer.write(
      text: self == .noAddress
        ? """
        ": expected public, random, or a static random address, six bytes with C0 to FF as the first
        """
        : """
        ": of the lower 46 bits of a static random address, at least one must be 0 and at least one 1 \
        (Core Specification, Vol 6, Part B, 1.3.2.1). Choose another
        """)
    writer.write(text: ", such as C0:00:00:00:00:01")
  }
}
