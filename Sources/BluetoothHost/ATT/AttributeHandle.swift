/// Where an attribute is in the server's database: 0x0001 to 0xFFFF, and 0x0000 for none.
///
/// Core Specification, Vol 3, Part F, 3.2.2.
public struct AttributeHandle: RawRepresentable, Comparable, Hashable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// No attribute: what an Error Response has where no handle was at fault.
  public static let none = AttributeHandle(rawValue: 0x0000)
  /// The first that an attribute can have.
  public static let first = AttributeHandle(rawValue: 0x0001)
  /// The last that an attribute can have.
  public static let last = AttributeHandle(rawValue: 0xFFFF)

  /// Whether the first is the smaller.
  public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Reads two bytes.
  @inlinable
  public init?(_ reader: inout ByteReader) {
    guard let rawValue = reader.readUInt16() else { return nil }
    self.rawValue = rawValue
  }
}

/// The handles that a request asks about, both ends included.
public struct AttributeHandleRange: Equatable, Sendable {
  /// The first handle of interest.
  public var start: AttributeHandle
  /// The last handle of interest.
  public var end: AttributeHandle

  /// From `start` to `end`, both included; whether that makes sense, `isValid` tells.
  public init(start: AttributeHandle, end: AttributeHandle) {
    self.start = start
    self.end = end
  }

  /// Every handle there can be.
  public static let all = AttributeHandleRange(start: .first, end: .last)

  /// Whether a request may ask about it: it does not start at 0, nor after its end.
  public var isValid: Bool { start != .none && start <= end }

  /// The smallest range that holds this one and `other`; this one if there is no other.
  func merged(with other: AttributeHandleRange?) -> AttributeHandleRange {
    guard let other else { return self }
    return AttributeHandleRange(start: min(start, other.start), end: max(end, other.end))
  }

  /// Reads both ends, whether or not they make sense.
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
