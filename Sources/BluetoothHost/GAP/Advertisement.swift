/// A peripheral's advertising and scan response data: Core Specification, Vol 3, Part C, 9.2 and
/// 11.
public struct Advertisement: Equatable, Sendable {
  /// The data of each advertisement.
  public private(set) var data = AdvertisingData()
  /// The additional data of a scan response.
  public private(set) var scanResponse = AdvertisingData()

  /// Any data.
  public init(data: AdvertisingData, scanResponse: AdvertisingData) {
    self.data = data
    self.scanResponse = scanResponse
  }

  /// A generally discoverable device with one service. With a 128-bit UUID a name of at most 8
  /// bytes fits the advertisement; a longer one goes into the scan response.
  public init(service: BluetoothUUID, name: DeviceName) {
    let services = InlineArray<1, BluetoothUUID>(repeating: service)
    self.init(services: services.span, name: name.span)
  }

  /// A generally discoverable device with any number of services, and a name in UTF-8; empty for
  /// none. The services come first, as many as fit, then the name if it fits. Otherwise the scan
  /// response has it, or its first 29 bytes, and then further services. The type of a list shows
  /// whether it is complete.
  public init(services: Span<BluetoothUUID>, name: Span<UInt8>) {
    // LE General Discoverable, BR/EDR not supported. Supplement, Part A, 1.3.
    let flags: InlineArray<1, UInt8> = [0x06]
    _ = data.append(.flags, flags.span)
    let count = data.append(services, from: 0)
    if !name.isEmpty, !data.append(.completeLocalName, name),
      !scanResponse.append(.completeLocalName, name)
    {
      _ = scanResponse.append(.shortenedLocalName, name.prefixOfUTF8(DeviceName.capacity))
    }
    _ = scanResponse.append(services, from: count)
  }
}

extension AdvertisingData {
  /// Appends the services from `start` on that fit, 16-bit UUIDs in one list, others in another.
  /// Returns the index of the first left out.
  fileprivate mutating func append(_ services: Span<BluetoothUUID>, from start: Int) -> Int {
    var end = start
    var size = (short: 0, long: 0)
    while end < services.count {
      let byteCount = services[end].byteCount
      // A list has a length and a type before its UUIDs.
      var new = size
      if byteCount == 2 {
        new.short += new.short == 0 ? 4 : 2
      } else {
        new.long += new.long == 0 ? 18 : 16
      }
      guard new.short + new.long <= Self.capacity - count else { break }
      size = new
      end += 1
    }
    appendList(of: services, from: start, to: end, byteCount: 2)
    appendList(of: services, from: start, to: end, byteCount: 16)
    return end
  }

  /// Appends the list of the services from `start` to `end` with UUIDs of `byteCount` bytes.
  @inline(never) private mutating func appendList(
    of services: Span<BluetoothUUID>, from start: Int, to end: Int, byteCount: Int
  ) {
    var list = InlineArray<31, UInt8>(repeating: 0)
    var writer = ByteWriter(list.mutableSpan)
    var isWhole = true
    for index in services.indices where services[index].byteCount == byteCount {
      if index >= start, index < end { services[index].write(to: &writer) } else { isWhole = false }
    }
    let length = writer.count
    guard length > 0 else { return }
    let type: AdvertisingDataType =
      if byteCount == 2 { isWhole ? .completeServiceUUIDs16 : .incompleteServiceUUIDs16 } else {
        isWhole ? .completeServiceUUIDs128 : .incompleteServiceUUIDs128
      }
    _ = append(type, list.span.extracting(first: length))
  }
}

/// Up to 31 bytes of structures, each a length, a type and a value:
/// Core Specification, Vol 3, Part C, 11; types: Core Specification Supplement, Part A, 1.
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
    @_lifetime(borrow self) borrowing get { storage.span.extracting(0..<count) }
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
  @_lifetime(borrow self) public func value(of type: AdvertisingDataType) -> Span<UInt8>? {
    var reader = ByteReader(span)
    while let length = reader.readUInt8(), length > 0, let kind = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    { if kind == type.rawValue { return value } }
    return nil
  }

  func write(to writer: inout ByteWriter) { writer.write(span) }

  func writePadded(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: count))
    writer.write(storage.span)
  }

  /// Whether both hold the same bytes.
  public static func == (left: AdvertisingData, right: AdvertisingData) -> Bool {
    left.span.hasSameBytes(as: right.span)
  }
}

/// The type of a structure of advertising data. Assigned Numbers, 2.3. An open set.
public struct AdvertisingDataType: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

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

/// A name of 1 to 29 bytes of UTF-8, which fits a scan response.
/// Core Specification, Vol 3, Part C, 12.1, allows longer ones, but some centrals would keep
/// showing one of the two.
public struct DeviceName: Equatable, Sendable {
  /// The longest name, in bytes: 31 of a scan response, less its length and type.
  public static let capacity = 29

  private var storage = InlineArray<29, UInt8>(repeating: 0)

  /// The number of bytes, 1 to 29.
  public private(set) var count = 0

  /// `nil` if `utf8` is empty, is longer than 29 bytes, or is not UTF-8.
  public init?(_ utf8: Span<UInt8>) {
    guard !utf8.isEmpty, utf8.count <= Self.capacity, utf8.isValidUTF8 else { return nil }
    var target = storage.mutableSpan
    target.copy(utf8, at: 0)
    count = utf8.count
  }

  /// The first characters of `utf8` that fit 29 bytes; `nil` for none, or if it is not UTF-8.
  public init?(prefixOf utf8: Span<UInt8>) { self.init(utf8.prefixOfUTF8(Self.capacity)) }

  /// A constant of the program, cut after the last character that fits 29 bytes.
  public init(_ text: StaticText) {
    var writer = ByteWriter(storage.mutableSpan)
    text.writePrefix(to: &writer)
    count = writer.count
    count = span.prefixOfUTF8(count).count
  }

  /// The bytes, in UTF-8.
  public var span: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { storage.span.extracting(first: count) }
  }

  /// Whether both have the same bytes.
  public static func == (left: DeviceName, right: DeviceName) -> Bool {
    left.span.hasSameBytes(as: right.span)
  }
}
