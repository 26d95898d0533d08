/// A 48-bit Bluetooth device address and whether it is public or random.
/// Core Specification, Vol 6, Part B, 1.3. The bytes are in the order of the packet, least
/// significant first; the text form is reversed, so `C0:00:00:00:00:01` has `bytes[0] == 0x01` and
/// `bytes[5] == 0xC0`.
public struct DeviceAddress: Hashable, Sendable {
  /// The type of an address.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Assigned by the device's manufacturer.
    public static let `public` = Kind(rawValue: 0x00)
    /// Chosen by the device.
    public static let random = Kind(rawValue: 0x01)
  }

  /// The type of the address.
  public var kind: Kind
  private var low: UInt32
  private var high: UInt16

  /// Creates an address of `kind` with the given six bytes, least significant first.
  public init(kind: Kind, bytes: InlineArray<6, UInt8>) {
    self.kind = kind
    low = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
    high = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
  }

  /// Reads the six bytes, for a kind from another field.
  public init?(_ reader: inout ByteReader, kind: Kind) {
    guard reader.count >= 6, let low = reader.readUInt32(), let high = reader.readUInt16() else {
      return nil
    }
    self.kind = kind
    self.low = low
    self.high = high
  }

  /// Reads the kind, then the six bytes, as in HCI events and commands.
  ///
  /// The kinds 0x02 and 0x03, identity addresses that the controller resolved, become public and
  /// random.
  public init?(_ reader: inout ByteReader) {
    guard reader.count >= 7, let kind = reader.readUInt8() else { return nil }
    self.init(&reader, kind: Kind(rawValue: kind & 1))
  }

  /// All zeros, which a controller without a public address reports.
  public static var zero: DeviceAddress {
    DeviceAddress(kind: .public, bytes: InlineArray(repeating: 0))
  }

  /// A static random address: `bytes`, least significant first, with the two top bits set.
  /// Core Specification, Vol 6, Part B, 1.3.2.1.
  public static func staticRandom(_ bytes: InlineArray<6, UInt8>) -> DeviceAddress {
    var bytes = bytes
    bytes[5] |= 0b1100_0000
    return DeviceAddress(kind: .random, bytes: bytes)
  }

  /// Whether it is an identity address whose 48 bits, or 46 random bits, are neither all 0 nor all
  /// 1. No device has another one.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1 for a static random address.
  var isValidIdentity: Bool {
    let mask: UInt16 = kind == .random ? 0x3FFF : 0xFFFF
    let bits = high & mask
    return isIdentity && low | UInt32(bits) != 0 && (low != .max || bits != mask)
  }

  /// The six bytes, least significant first.
  public var bytes: InlineArray<6, UInt8> {
    [
      UInt8(truncatingIfNeeded: low), UInt8(truncatingIfNeeded: low >> 8),
      UInt8(truncatingIfNeeded: low >> 16), UInt8(truncatingIfNeeded: low >> 24),
      UInt8(truncatingIfNeeded: high), UInt8(truncatingIfNeeded: high >> 8),
    ]
  }

  /// Writes the six bytes without the kind.
  public func writeBytes(to writer: inout ByteWriter) {
    writer.write(low)
    writer.write(high)
  }

  /// Writes the kind, then the six bytes.
  public func write(to writer: inout ByteWriter) {
    writer.write(kind.rawValue)
    writeBytes(to: &writer)
  }
}

// Private addresses, and the identity addresses behind them: Core Specification, Vol 6, Part B, 1.3.
extension DeviceAddress {
  /// Whether it is an identity address: public or static random.
  /// Core Specification, Vol 6, Part B, 1.3.
  public var isIdentity: Bool {
    kind == .public || (kind == .random && bytes[5] & 0b1100_0000 == 0b1100_0000)
  }

  /// Whether it is a resolvable private address: 22 random bits under the top bits 01, and a hash.
  /// Core Specification, Vol 6, Part B, 1.3.2.2.
  public var isResolvable: Bool { kind == .random && bytes[5] & 0b1100_0000 == 0b0100_0000 }

  /// Creates a resolvable private address from `key` and the low 22 bits of `random`.
  /// Core Specification, Vol 6, Part B, 1.3.2.2. Those bits may be neither all 0 nor all 1.
  public init(resolvableWith key: Number128, random: UInt32) {
    var part = random & 0x3F_FFFF
    if part == 0 || part == 0x3F_FFFF { part = 1 }
    let prand = part | 0x40_0000
    let hash = PairingFunctions.ah(k: key, r: prand)
    self.init(
      kind: .random,
      bytes: InlineArray<6, UInt8> { index in
        let number = index < 3 ? hash : prand
        return UInt8(truncatingIfNeeded: number &>> UInt32(8 * (index % 3)))
      })
  }

  /// Whether it is a resolvable private address that was made with `key`:
  /// Core Specification, Vol 6, Part B, 1.3.2.3.
  public func isResolved(by key: Number128) -> Bool {
    guard isResolvable else { return false }
    let bytes = bytes
    let hash = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
    let prand = UInt32(bytes[3]) | UInt32(bytes[4]) << 8 | UInt32(bytes[5]) << 16
    return PairingFunctions.ah(k: key, r: prand) == hash
  }
}
