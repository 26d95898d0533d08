/// A UUID of 128 bits; those of the Bluetooth base also have a 16-bit form, which is equal:
/// Core Specification, Vol 3, Part B, 2.5.1.
public struct BluetoothUUID: Equatable, Hashable, Sendable {
  /// The first eight bytes in the textual order.
  public let high: UInt64
  /// The last eight bytes in the textual order.
  public let low: UInt64

  /// The UUID whose text begins with the digits of `high`.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An assigned UUID, from its 16-bit form. Literals, so that the constants below need no
  /// initialisation at run time.
  public init(_ short: UInt16) {
    high = UInt64(_truncatingBits: UInt(short)) &<< 32 | 0x0000_0000_0000_1000
    low = 0x8000_0080_5F9B_34FB
  }

  /// Creates a UUID that the Bluetooth SIG assigned, from its 32-bit form.
  public init(assigned short: UInt32) {
    high = UInt64(widening: short) &<< 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// `00000000-0000-1000-8000-00805F9B34FB`.
  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// The 16-bit form; `nil` if there is none.
  public var short: UInt16? {
    @inline(__always) get {
      guard low == Self.baseLow, high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh else { return nil }
      return UInt16(truncatingIfNeeded: high &>> 32)
    }
  }

  /// Its length in a PDU: 2 or 16 bytes.
  public var byteCount: Int { short == nil ? 16 : 2 }

  /// Reads a UUID of `byteCount` bytes; `nil` unless that is 2 or 16 and as many remain.
  public init?(_ reader: inout ByteReader, byteCount: Int) {
    switch byteCount {
    case 2:
      guard let short = reader.readUInt16() else { return nil }
      self.init(short)
    case 16:
      guard reader.count >= 16, let low = reader.readUInt64(), let high = reader.readUInt64() else {
        return nil
      }
      self.init(high: high, low: low)
    default: return nil
    }
  }

  /// Reads a UUID of advertising data, which also has 32-bit UUIDs; `nil` unless `byteCount` is 2, 4 or 16, and as
  /// many remain. Core Specification Supplement, Part A, 1.1.
  package init?(advertised reader: inout ByteReader, byteCount: Int) {
    guard byteCount == 4 else {
      self.init(&reader, byteCount: byteCount)
      return
    }
    guard let number = reader.readUInt32() else { return nil }
    self.init(assigned: number)
  }

  /// Writes the shortest form, 2 or 16 bytes, least significant byte first.
  public func write(to writer: inout ByteWriter) {
    if let short {
      writer.write(short)
    } else {
      writer.write(low)
      writer.write(high)
    }
  }
}

extension BluetoothUUID {
  // Declarations: Assigned Numbers, 3.6.
  /// A primary service, which clients discover.
  public static let primaryService = BluetoothUUID(0x2800)
  /// A secondary service, which other services include.
  public static let secondaryService = BluetoothUUID(0x2801)
  /// An included service.
  public static let include = BluetoothUUID(0x2802)
  /// The declaration of a characteristic.
  public static let characteristic = BluetoothUUID(0x2803)

  // Descriptors: Assigned Numbers, 3.7.
  /// More properties of a characteristic.
  public static let characteristicExtendedProperties = BluetoothUUID(0x2900)
  /// A description for people.
  public static let characteristicUserDescription = BluetoothUUID(0x2901)
  /// A client's subscription to the characteristic.
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
  /// Whether the server broadcasts the value.
  public static let serverCharacteristicConfiguration = BluetoothUUID(0x2903)
  /// The value's unit and format.
  public static let characteristicPresentationFormat = BluetoothUUID(0x2904)

  // Services: Assigned Numbers, 3.4.
  /// GAP: the device's name and appearance.
  public static let genericAccessService = BluetoothUUID(0x1800)
  /// GATT: the server's features and database changes.
  public static let genericAttributeService = BluetoothUUID(0x1801)
  /// The device's manufacturer and model.
  public static let deviceInformationService = BluetoothUUID(0x180A)

  // Characteristics: Assigned Numbers, 3.8.
  /// The device's name.
  public static let deviceName = BluetoothUUID(0x2A00)
  /// The device's kind, for an icon.
  public static let appearance = BluetoothUUID(0x2A01)
  /// The connection parameters that the peripheral prefers.
  public static let peripheralPreferredConnectionParameters = BluetoothUUID(0x2A04)
  /// The part of the database that has changed.
  public static let serviceChanged = BluetoothUUID(0x2A05)
  /// The model number.
  public static let modelNumberString = BluetoothUUID(0x2A24)
  /// The firmware version.
  public static let firmwareRevisionString = BluetoothUUID(0x2A26)
  /// The manufacturer's name.
  public static let manufacturerNameString = BluetoothUUID(0x2A29)
  /// Vendor, product and version as numbers.
  public static let pnpID = BluetoothUUID(0x2A50)
  /// Central Address Resolution: Vol 3, Part C, 12.4.
  public static let centralAddressResolution = BluetoothUUID(0x2AA6)
  /// The features that the client supports.
  public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
  /// The hash of the database's structure.
  public static let databaseHash = BluetoothUUID(0x2B2A)
  /// The features that the server supports.
  public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
}
