/// The longest PDU that both sides of an ATT bearer accept: 23 to 517 bytes.
///
/// Core Specification, Vol 3, Part F, 3.2.8 and 3.4.2. 517 bytes hold the longest attribute value,
/// 512 bytes, with the longest header, that of Prepare Write.
public struct ATTMTU: Equatable, Comparable, Sendable {
  /// The length in bytes, 23 to 517.
  public let byteCount: Int

  /// `nil` outside of 23…517.
  public init?(_ byteCount: Int) {
    guard byteCount >= 23, byteCount <= 517 else { return nil }
    self.byteCount = byteCount
  }

  private init(clamping byteCount: Int) {
    self.byteCount = max(23, min(517, byteCount))
  }

  /// 23, the value before an exchange.
  public static var minimum: ATTMTU { ATTMTU(clamping: 23) }
  /// 517, the longest useful value.
  public static var maximum: ATTMTU { ATTMTU(clamping: 517) }

  /// The MTU after an exchange with a peer that accepts `peer` bytes: the smaller value, and at
  /// least 23.
  public func agreed(with peer: UInt16) -> ATTMTU {
    ATTMTU(clamping: min(byteCount, Int(peer)))
  }

  /// Whether the first is smaller.
  public static func < (left: ATTMTU, right: ATTMTU) -> Bool {
    left.byteCount < right.byteCount
  }
}

/// The longest attribute value, in bytes.
///
/// Core Specification, Vol 3, Part F, 3.2.9.
public let maximumAttributeValueLength = 512
