/// Up to 31 bytes of advertising data: structures of a length, a type and a value.
///
/// Core Specification, Vol 3, Part C, 11; the types are in the Core Specification Supplement,
/// Part A, 1.
public struct AdvertisingData: Equatable, Sendable {
  /// The capacity of a legacy advertisement or a scan response in bytes.
  public static let capacity = 31

  private var storage = InlineArray<31, UInt8>(repeating: 0)

  /// The number of bytes, at most 31.
  public private(set) var count = 0

  /// No data.
  public init() {}

  /// Creates data of exactly `bytes`; `nil` if there are more than 31.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count <= Self.capacity else { return nil }
    var target = storage.mutableSpan
    target.copy(bytes, at: 0)
    count = bytes.count
  }

  /// Reads a length and 31 bytes, as in HCI commands.
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

  /// Appends one structure; `false`, without a change, if it does not fit.
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

/// The type of a structure of advertising data.
///
/// Assigned Numbers, 2.3. An open set.
public struct AdvertisingDataType: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The device's discoverability.
  public static let flags = AdvertisingDataType(rawValue: 0x01)
  /// An incomplete list of 16-bit service UUIDs.
  public static let incompleteServiceUUIDs16 = AdvertisingDataType(rawValue: 0x02)
  /// The complete list of 16-bit service UUIDs.
  public static let completeServiceUUIDs16 = AdvertisingDataType(rawValue: 0x03)
  /// An incomplete list of 32-bit service UUIDs.
  public static let incompleteServiceUUIDs32 = AdvertisingDataType(rawValue: 0x04)
  /// The complete list of 32-bit service UUIDs.
  public static let completeServiceUUIDs32 = AdvertisingDataType(rawValue: 0x05)
  /// An incomplete list of 128-bit service UUIDs.
  public static let incompleteServiceUUIDs128 = AdvertisingDataType(rawValue: 0x06)
  /// The complete list of 128-bit service UUIDs.
  public static let completeServiceUUIDs128 = AdvertisingDataType(rawValue: 0x07)
  /// The start of the device's name.
  public static let shortenedLocalName = AdvertisingDataType(rawValue: 0x08)
  /// The device's whole name.
  public static let completeLocalName = AdvertisingDataType(rawValue: 0x09)
  /// The transmit power in dBm.
  public static let txPowerLevel = AdvertisingDataType(rawValue: 0x0A)
  /// The 16-bit UUIDs of services that the device solicits.
  public static let solicitedServiceUUIDs16 = AdvertisingDataType(rawValue: 0x14)
  /// The 128-bit UUIDs of services that the device solicits.
  public static let solicitedServiceUUIDs128 = AdvertisingDataType(rawValue: 0x15)
  /// A 16-bit service UUID and its data.
  public static let serviceData16 = AdvertisingDataType(rawValue: 0x16)
  /// The device's kind, for an icon.
  public static let appearance = AdvertisingDataType(rawValue: 0x19)
  /// The 32-bit UUIDs of services that the device solicits.
  public static let solicitedServiceUUIDs32 = AdvertisingDataType(rawValue: 0x1F)
  /// A 32-bit service UUID and its data.
  public static let serviceData32 = AdvertisingDataType(rawValue: 0x20)
  /// A 128-bit service UUID and its data.
  public static let serviceData128 = AdvertisingDataType(rawValue: 0x21)
  /// Data of a manufacturer, after its company identifier.
  public static let manufacturerSpecificData = AdvertisingDataType(rawValue: 0xFF)
}
