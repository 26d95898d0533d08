import Expectations

@testable import BluetoothHost

/// 16 bytes, the most significant first.
private func block(_ high: UInt64, _ low: UInt64) -> InlineArray<16, UInt8> {
  InlineArray { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
}

private func bytes(_ block: InlineArray<16, UInt8>) -> [UInt8] { Array(block.span) }

/// Core Specification, Vol 3, Part G, Appendix B, unless a parameter says otherwise.
private func specificationDatabase(
  name: Attribute.Value = .deviceName, extendedProperties: UInt64 = 0x0000,
  level: Attribute.Value = .number(0x64, byteCount: 1), levelProperties: GATTProperties = .read
) -> GATTDatabase<22> {
  GATTDatabase {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read | .write, value: name)
      Characteristic(.appearance, .read, value: .number(0, byteCount: 2))
    }
    Service(.genericAttributeService) {  // 0x0006
      Characteristic(.serviceChanged, .indicate, value: .none)
      Characteristic(.clientSupportedFeatures, .read | .write, value: .clientSupportedFeatures)
      Characteristic(.databaseHash, .read, value: .databaseHash)
    }
    Service(BluetoothUUID(0x1808)) {  // 0x000E, Glucose
      Attribute.include(serviceAt: AttributeHandle(rawValue: 0x0014))
      // 0xA2: read, indicate, extended properties
      Characteristic(BluetoothUUID(0x2A18), .read | .indicate | .extendedProperties, value: .none) {
        Attribute.descriptor(
          .characteristicExtendedProperties, .read, .number(extendedProperties, byteCount: 2))
      }
    }
    Service(.batteryService, isPrimary: false) {  // 0x0014
      Characteristic(.batteryLevel, levelProperties, value: level)
    }
  }
}

@Suite("Database Hash")
struct DatabaseHashTests {
  private func hash<let capacity: Int>(_ database: borrowing GATTDatabase<capacity>) -> [UInt8] {
    bytes(database.hash.bytes)
  }

  @Test("The hash of the specification's example is correct, least significant byte first")
  func specification() {
    expect(
      hash(specificationDatabase()),
      is: bytes(block(0xF1CA_2D48_ECF5_8BAC, 0x8A88_30BB_B9FB_A990)).reversed())
  }

  @Test("The hash depends on the structure, and not on values")
  func structure() {
    let expected = hash(specificationDatabase())
    let otherValues = specificationDatabase(
      name: .text(StaticText("Other")), level: .number(0x00, byteCount: 1))
    expect(hash(otherValues), is: expected)
    expect(hash(specificationDatabase(levelProperties: .read | .write)) != expected)
    expect(hash(specificationDatabase(extendedProperties: 0x0001)) != expected)
  }

  @Test("Services end where the next begins; values have their characteristic's type")
  func links() {
    let database = specificationDatabase()
    let attributes = database.attributes
    var ends: [UInt16] = []
    for index in attributes.indices {
      if case .service = attributes[index].value {
        ends.append(attributes[index].groupEnd.rawValue)
      }
    }
    expect(ends, is: [0x0005, 0x000D, 0x0013, 0x0016])
    let type = attributes[2].type
    let properties = attributes[2].properties
    expect(type == .deviceName && properties == .read | .write)
  }
}
