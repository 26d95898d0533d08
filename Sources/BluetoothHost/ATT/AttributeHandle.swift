/// An attribute's handle, 0x0001 to 0xFFFF; 0x0000 for none:
/// Core Specification, Vol 3, Part F, 3.2.2.
public struct AttributeHandle: RawRepresentable, Comparable, Hashable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// No attribute: the handle in an Error Response that concerns none.
  public static let none = AttributeHandle(rawValue: 0x0000)
  /// The lowest handle of an attribute.
  public static let first = AttributeHandle(rawValue: 0x0001)
  /// The highest handle of an attribute.
  public static let last = AttributeHandle(rawValue: 0xFFFF)

  /// Whether the first is smaller.
  public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Reads two bytes.
  @inlinable public init?(_ reader: inout ByteReader) {
    guard let rawValue = reader.readUInt16() else { return nil }
    self.rawValue = rawValue
  }
}

/// The handles of a request, both ends included.
public struct AttributeHandleRange: Equatable, Sendable {
  /// The first handle.
  public var start: AttributeHandle
  /// The last handle.
  public var end: AttributeHandle

  /// Creates a range from `start` to `end`, both included. It may be invalid: see `isValid`.
  public init(start: AttributeHandle, end: AttributeHandle) {
    self.start = start
    self.end = end
  }

  /// Every possible handle.
  public static let all = AttributeHandleRange(start: .first, end: .last)

  /// Whether a request may contain it: its start is not 0 and not after its end.
  public var isValid: Bool { start != .none && start <= end }

  /// The smallest range that contains this one and `other`, if there is one.
  func merged(with other: AttributeHandleRange?) -> AttributeHandleRange {
    guard let other else { return self }
    return AttributeHandleRange(start: min(start, other.start), end: max(end, other.end))
  }

  /// Reads both ends, also of an invalid range.
  public init?(_ reader: inout ByteReader) {
    guard let start = AttributeHandle(&reader), let end = AttributeHandle(&reader) else {
      return nil
    }
    self.start = start
    self.end = end
  }

  func write(to writer: inout ByteWriter) {
    writer.write(start.rawValue)
    writer.write(end.rawValue)
  }
}
