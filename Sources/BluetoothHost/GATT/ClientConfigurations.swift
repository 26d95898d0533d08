/// What one central wants to be told of all characteristics, by slot: two bits each.
///
/// Core Specification, Vol 3, Part G, 3.3.3.3.
public struct ClientConfigurations: Equatable, Sendable {
  /// How many slots there are. A Client Characteristic Configuration with a slot beyond them
  /// cannot be written.
  public static var capacity: Int { 128 }

  private var bits = InlineArray<32, UInt8>(repeating: 0)

  /// Nothing, of all of them.
  public init() {}

  /// Those that were kept outside as `bytes`.
  public init(bytes: InlineArray<32, UInt8>) {
    bits = bytes
  }

  /// Four slots a byte, the first in its lowest bits.
  public var bytes: InlineArray<32, UInt8> { bits }

  /// What is wanted at `slot`. Beyond the last it is nothing, whatever is set.
  public subscript(slot: Int) -> ClientConfiguration {
    @inline(__always)
    get {
      guard slot >= 0, slot < Self.capacity else { return .none }
      // By a span: an index into the array itself copies all of it.
      let byte = bits.span[slot &>> 2]
      return ClientConfiguration(rawValue: UInt16(byte &>> Self.shift(of: slot) & 0b11))
    }
    @inline(__always)
    set {
      guard slot >= 0, slot < Self.capacity else { return }
      let shift = Self.shift(of: slot)
      let new = UInt8(truncatingIfNeeded: newValue.rawValue & 0b11) &<< shift
      bits[slot &>> 2] = bits[slot &>> 2] & ~(0b11 &<< shift) | new
    }
  }

  /// Wants nothing any more.
  mutating func removeAll() {
    for index in bits.indices { bits[index] = 0 }
  }

  @inline(__always)
  private static func shift(of slot: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: slot & 0b11) &<< 1
  }

  /// Whether both want the same.
  public static func == (left: ClientConfigurations, right: ClientConfigurations) -> Bool {
    left.bits.span.hasSameBytes(as: right.bits.span)
  }
}
