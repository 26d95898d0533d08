/// The Client Characteristic Configurations of one client, by slot: two bits each.
///
/// Core Specification, Vol 3, Part G, 3.3.3.3.
public struct ClientConfigurations: Equatable, Sendable {
  /// The number of slots. A client cannot write a Client Characteristic Configuration whose slot is
  /// this number or higher.
  public static var capacity: Int { 128 }

  private var bits = InlineArray<32, UInt8>(repeating: 0)

  /// No subscriptions.
  public init() {}

  /// The configurations stored as `bytes`.
  public init(bytes: InlineArray<32, UInt8>) {
    bits = bytes
  }

  /// The stored form: four slots a byte, the first in the lowest bits.
  public var bytes: InlineArray<32, UInt8> { bits }

  /// The configuration at `slot`; `.none` for a slot beyond the last, which cannot be set.
  public subscript(slot: Int) -> ClientConfiguration {
    @inline(__always)
    get {
      guard slot >= 0, slot < Self.capacity else { return .none }
      // A span: indexing the array copies all of it.
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

  @inline(__always)
  private static func shift(of slot: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: slot & 0b11) &<< 1
  }

  /// Whether both have the same configurations.
  public static func == (left: ClientConfigurations, right: ClientConfigurations) -> Bool {
    left.bits.span.hasSameBytes(as: right.bits.span)
  }
}
