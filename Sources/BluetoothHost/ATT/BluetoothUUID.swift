/// What kind of attribute it is: a UUID of 128 bits, of which those made from the Bluetooth base
/// have a 16-bit form too.
///
/// Core Specification, Vol 3, Part B, 2.5.1. Both forms of one UUID are the same value here.
public struct BluetoothUUID: Equatable, Hashable, Sendable {
  /// The first eight bytes as people write them.
  public let high: UInt64
  /// The last eight bytes as people write them.
  public let low: UInt64

  /// A UUID of 128 bits: `8E38140A-27BE-4090-8955-4FC4B5698D1E` has the high half
  /// `0x8E38_140A_27BE_4090`.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A UUID that the Bluetooth SIG assigned, in its 16-bit form.
  ///
  /// Written out, so that the compiler works the constants below out by itself, and none is
  /// initialised at its first use.
  public init(_ short: UInt16) {
    high = UInt64(_truncatingBits: UInt(short)) &<< 32 | 0x0000_0000_0000_1000
    low = 0x8000_0080_5F9B_34FB
  }

  /// A UUID that the Bluetooth SIG assigned, in its 32-bit form.
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

  /// How many bytes it takes in a PDU: 2 or 16.
  public var byteCount: Int { short == nil ? 16 : 2 }

  /// Reads a UUID of `byteCount` bytes; `nil` unless that is 2 or 16 and as many are left.
  public init?(_ reader: inout ByteReader, byteCount: Int) {
    switch byteCount {
    case 2:
      guard let short = reader.readUInt16() else { return nil }
      self.init(short)
    case 16:
      guard reader.count >= 16, let low = reader.readUInt64(), let high = reader.readUInt64()
      else { return nil }
      self.init(high: high, low: low)
    default:
      return nil
    }
  }

  /// Writes the shortest form, 2 or 16 bytes, the least significant first.
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
  /// A service that centrals look for.
  public static let primaryService = BluetoothUUID(0x2800)
  /// A service that others include.
  public static let secondaryService = BluetoothUUID(0x2801)
  /// A reference to another service.
  public static let include = BluetoothUUID(0x2802)
  /// The declaration of a characteristic.
  public static let characteristic = BluetoothUUID(0x2803)

  // Descriptors: Assigned Numbers, 3.7.
  /// More properties of a characteristic.
  public static let characteristicExtendedProperties = BluetoothUUID(0x2900)
  /// A name for people.
  public static let characteristicUserDescription = BluetoothUUID(0x2901)
  /// What a central wants to be told.
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
  /// What is broadcast.
  public static let serverCharacteristicConfiguration = BluetoothUUID(0x2903)
  /// What the value means: its unit, its format.
  public static let characteristicPresentationFormat = BluetoothUUID(0x2904)
  /// Which formats a value is made of.
  public static let characteristicAggregateFormat = BluetoothUUID(0x2905)

  // Services: Assigned Numbers, 3.4.
  /// What every device says of itself.
  public static let genericAccessService = BluetoothUUID(0x1800)
  /// What every server says of its database.
  public static let genericAttributeService = BluetoothUUID(0x1801)
  /// Who made the device, and what it is.
  public static let deviceInformationService = BluetoothUUID(0x180A)

  // Characteristics: Assigned Numbers, 3.8.
  /// The device's name.
  public static let deviceName = BluetoothUUID(0x2A00)
  /// What the device looks like.
  public static let appearance = BluetoothUUID(0x2A01)
  /// Which connection parameters it prefers.
  public static let peripheralPreferredConnectionParameters = BluetoothUUID(0x2A04)
  /// Which part of the database has changed.
  public static let serviceChanged = BluetoothUUID(0x2A05)
  /// The model.
  public static let modelNumberString = BluetoothUUID(0x2A24)
  /// The firmware.
  public static let firmwareRevisionString = BluetoothUUID(0x2A26)
  /// The maker.
  public static let manufacturerNameString = BluetoothUUID(0x2A29)
  /// Vendor, product and version in numbers.
  public static let pnpID = BluetoothUUID(0x2A50)
  /// What the central can do.
  public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
  /// The hash of the database's structure.
  public static let databaseHash = BluetoothUUID(0x2B2A)
  /// What the server can do.
  public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
}
