/// Up to 31 bytes of advertising data: structures of a length, a type and a value.
///
/// Core Specification, Vol 3, Part C, 11; the types are in the Core Specification Supplement,
/// Part A, 1.
public struct AdvertisingData: Equatable, Sendable {
  /// How many bytes one legacy advertisement, or one scan response, holds.
  public static let capacity = 31

  private var storage = InlineArray<31, UInt8>(repeating: 0)

  /// The number of bytes, at most 31.
  public private(set) var count = 0

  /// No data.
  public init() {}

  /// Exactly `bytes`; `nil` if there are more than 31.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count <= Self.capacity else { return nil }
    var target = storage.mutableSpan
    target.copy(bytes, at: 0)
    count = bytes.count
  }

  /// Reads a length and 31 bytes, as the HCI commands have them.
  init?(padded reader: inout ByteReader) {
    guard let length = reader.readUInt8(), Int(length) <= Self.capacity,
      let bytes = reader.readBytes(Self.capacity)
    else { return nil }
    self.init(bytes.extracting(first: Int(length)))
  }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(0..<count) }
  }

  /// Adds one structure; `false`, and nothing changes, if it does not fit.
  public mutating func append(_ type: AdvertisingDataType, _ value: Span<UInt8>) -> Bool {
    guard count + 2 + value.count <= Self.capacity else { return false }
    storage[count] = UInt8(truncatingIfNeeded: 1 + value.count)
    storage[count + 1] = type.rawValue
    var target = storage.mutableSpan
    target.copy(value, at: count + 2)
    count += 2 + value.count
    return true
  }

  /// The value of the first structure of `type`; `nil` if there is none.
  @_lifetime(borrow self)
  public func value(of type: AdvertisingDataType) -> Span<UInt8>? {
    var reader = ByteReader(span)
    while let length = reader.readUInt8(), length > 0, let kind = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      if kind == type.rawValue { return value }
    }
    return nil
  }

  func write(to writer: inout ByteWriter) {
    writer.write(span)
  }

  func writePadded(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: count))
    writer.write(storage.span)
  }

  /// Whether both hold the same bytes.
  public static func == (left: AdvertisingData, right: AdvertisingData) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left.storage[index] != right.storage[index] {
      return false
    }
    return true
  }
}

/// What one structure of advertising data tells.
///
/// Assigned Numbers, 2.3. An open set.
public struct AdvertisingDataType: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// How the device can be discovered.
  public static let flags = AdvertisingDataType(rawValue: 0x01)
  /// Some services, in 16 bits.
  public static let incompleteServiceUUIDs16 = AdvertisingDataType(rawValue: 0x02)
  /// All services with 16 bits.
  public static let completeServiceUUIDs16 = AdvertisingDataType(rawValue: 0x03)
  /// Some services, in 32 bits.
  public static let incompleteServiceUUIDs32 = AdvertisingDataType(rawValue: 0x04)
  /// All services with 32 bits.
  public static let completeServiceUUIDs32 = AdvertisingDataType(rawValue: 0x05)
  /// Some services, in 128 bits.
  public static let incompleteServiceUUIDs128 = AdvertisingDataType(rawValue: 0x06)
  /// All services with 128 bits.
  public static let completeServiceUUIDs128 = AdvertisingDataType(rawValue: 0x07)
  /// The start of the name.
  public static let shortenedLocalName = AdvertisingDataType(rawValue: 0x08)
  /// The name.
  public static let completeLocalName = AdvertisingDataType(rawValue: 0x09)
  /// How strongly it sends, in dBm.
  public static let txPowerLevel = AdvertisingDataType(rawValue: 0x0A)
  /// Services that are looked for, in 16 bits.
  public static let solicitedServiceUUIDs16 = AdvertisingDataType(rawValue: 0x14)
  /// Services that are looked for, in 128 bits.
  public static let solicitedServiceUUIDs128 = AdvertisingDataType(rawValue: 0x15)
  /// A service in 16 bits, and its data.
  public static let serviceData16 = AdvertisingDataType(rawValue: 0x16)
  /// What the device looks like.
  public static let appearance = AdvertisingDataType(rawValue: 0x19)
  /// Services that are looked for, in 32 bits.
  public static let solicitedServiceUUIDs32 = AdvertisingDataType(rawValue: 0x1F)
  /// A service in 32 bits, and its data.
  public static let serviceData32 = AdvertisingDataType(rawValue: 0x20)
  /// A service in 128 bits, and its data.
  public static let serviceData128 = AdvertisingDataType(rawValue: 0x21)
  /// Whatever its maker likes, after the maker's number.
  public static let manufacturerSpecificData = AdvertisingDataType(rawValue: 0xFF)
}
