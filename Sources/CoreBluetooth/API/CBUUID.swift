import BluetoothHost
import Foundation
import LinuxRadio

/// A Bluetooth UUID of 16, 32 or 128 bits.
///
/// UUIDs of different widths can be equal: `180D` equals `0000180D-0000-1000-8000-00805F9B34FB`
/// (Core Specification, Vol 3, Part B, 2.5.1).
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  /// The bytes as people write them, most significant first: 2, 4 or 16.
  public let data: Data

  /// The UUID from `string`: 4 or 8 hexadecimal digits, or 36 characters with hyphens.
  ///
  /// Anything else is logged as misuse and makes the UUID of zeros, which no attribute has.
  /// (Apple's ends the program.)
  public init(string theString: String) {
    if let data = Self.data(from: theString) {
      self.data = data
    } else {
      Misuse.log("String \"\(theString)\" does not represent a valid UUID")
      data = Data(repeating: 0, count: 16)
    }
    super.init()
  }

  /// The UUID from 2, 4 or 16 bytes, most significant first.
  ///
  /// Any other number of bytes is logged as misuse and makes the UUID of zeros. (Apple's ends the
  /// program.)
  public init(data theData: Data) {
    if [2, 4, 16].contains(theData.count) {
      data = Data(theData)
    } else {
      Misuse.log("Data of \(theData.count) bytes does not represent a valid UUID")
      data = Data(repeating: 0, count: 16)
    }
    super.init()
  }

  /// The 128-bit UUID of a Foundation `UUID`.
  public init(nsuuid theUUID: UUID) {
    data = unsafe withUnsafeBytes(of: theUUID.uuid) { unsafe Data($0) }
    super.init()
  }

  /// The UUID of zeros, which no attribute has.
  public override init() {
    data = Data(repeating: 0, count: 16)
    super.init()
  }

  init(_ uuid: BluetoothUUID) {
    if let short = uuid.short {
      data = Data([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)])
    } else {
      data = Self.bytes(uuid.high) + Self.bytes(uuid.low)
    }
    super.init()
  }

  /// The UUID in capital hexadecimal digits, in the width that it was made with.
  open var uuidString: String {
    data.count == 16 ? uuid.longText : data.map { hexadecimal($0) }.joined()
  }

  /// The UUID as a type of the host stack: always 128 bits.
  var uuid: BluetoothUUID {
    let number = data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard data.count == 16 else {
      return BluetoothUUID(assigned: UInt32(truncatingIfNeeded: number))
    }
    return BluetoothUUID(
      high: number, low: data.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Whether `object` is the same UUID.
  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.uuid == uuid }

  /// Equal UUIDs have the same hash.
  open override var hash: Int { uuid.hashValue }

  /// The assigned name, such as `Heart Rate`; without one, the same as `uuidString`.
  open override var description: String { uuid.assignedName?.description ?? uuidString }

  /// Itself: a UUID never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  private static func data(from text: String) -> Data? {
    switch text.utf8.count {
    case 4, 8:
      guard text.utf8.first != UInt8(ascii: "+"), let number = UInt32(text, radix: 16) else {
        return nil
      }
      return bytes(UInt64(number)).suffix(text.utf8.count / 2)
    case 36:
      return UUID(uuidString: text).map { uuid in
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) }
      }
    default: return nil
    }
  }

  private static func bytes(_ number: UInt64) -> Data {
    Data((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }
}

/// The UUID of the Characteristic Extended Properties descriptor.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// The UUID of the Characteristic User Description descriptor.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// The UUID of the Client Characteristic Configuration descriptor.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// The UUID of the Server Characteristic Configuration descriptor.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The UUID of the Characteristic Presentation Format descriptor.
public let CBUUIDCharacteristicFormatString = "2904"
/// The UUID of the Characteristic Aggregate Format descriptor.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The UUID of the Valid Range descriptor.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// The UUID of the Observation Schedule descriptor.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// The UUID of the characteristic in which Apple's devices publish the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
