import Testing

@testable import BluetoothHost

/// 16 bytes as people write them, the most significant first.
private func block(_ high: UInt64, _ low: UInt64) -> InlineArray<16, UInt8> {
  InlineArray { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
}

private func bytes(_ block: InlineArray<16, UInt8>) -> [UInt8] {
  Array(block.span)
}

@Suite("AES-128 and AES-CMAC")
struct AESTests {
  @Test("FIPS 197, appendix C.1")
  func fips197C1() {
    let cipher = AES128(key: block(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F))
    #expect(
      bytes(cipher.encrypt(block(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF)))
        == bytes(block(0x69C4_E0D8_6A7B_0430, 0xD8CD_B780_70B4_C55A)))
  }

  @Test("FIPS 197, appendix B")
  func fips197B() {
    let cipher = AES128(key: block(0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C))
    #expect(
      bytes(cipher.encrypt(block(0x3243_F6A8_885A_308D, 0x3131_98A2_E037_0734)))
        == bytes(block(0x3925_841D_02DC_09FB, 0xDC11_8597_196A_0B32)))
  }

  /// RFC 4493, section 4: the first bytes of one message.
  @Test(
    "RFC 4493, section 4, in pieces of every length",
    arguments: [
      (0, 0xBB1D_6929_E959_3728, 0x7FA3_7D12_9B75_6746),
      (16, 0x070A_16B4_6B4D_4144, 0xF79B_DD9D_D04A_287C),
      (40, 0xDFA6_6747_DE9A_E630, 0x30CA_3261_1497_C827),
      (64, 0x51F0_BEBF_7E3B_9D92, 0xFC49_7417_7936_3CFE),
    ] as [(Int, UInt64, UInt64)])
  func rfc4493(length: Int, high: UInt64, low: UInt64) {
    let message =
      bytes(block(0x6BC1_BEE2_2E40_9F96, 0xE93D_7E11_7393_172A))
      + bytes(block(0xAE2D_8A57_1E03_AC9C, 0x9EB7_6FAC_45AF_8E51))
      + bytes(block(0x30C8_1C46_A35C_E411, 0xE5FB_C119_1A0A_52EF))
      + bytes(block(0xF69F_2445_DF4F_9B17, 0xAD2B_417B_E66C_3710))
    for piece in 1...17 {
      var code = AESCMAC(key: block(0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C))
      for start in stride(from: 0, to: length, by: piece) {
        let part = Array(message[start..<min(start + piece, length)])
        code.update(part.span)
      }
      #expect(bytes(code.finish()) == bytes(block(high, low)), "in pieces of \(piece)")
    }
  }
}

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
      Characteristic(
        BluetoothUUID(0x2A18), .read | .indicate | .extendedProperties, value: .none
      ) {
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

  @Test("The specification's own example, the least significant byte first")
  func specification() {
    #expect(
      hash(specificationDatabase())
        == bytes(block(0xF1CA_2D48_ECF5_8BAC, 0x8A88_30BB_B9FB_A990)).reversed())
  }

  @Test("Values are not part of it; structure is")
  func structure() {
    let expected = hash(specificationDatabase())
    let otherValues = specificationDatabase(
      name: .text(StaticText("Other")), level: .number(0x00, byteCount: 1))
    #expect(hash(otherValues) == expected)
    #expect(hash(specificationDatabase(levelProperties: .read | .write)) != expected)
    #expect(hash(specificationDatabase(extendedProperties: 0x0001)) != expected)
  }

  @Test("Services end where the next begins, and values have their characteristic's type")
  func links() {
    let database = specificationDatabase()
    let attributes = database.attributes
    var ends: [UInt16] = []
    for index in attributes.indices {
      if case .service = attributes[index].value {
        ends.append(attributes[index].groupEnd.rawValue)
      }
    }
    #expect(ends == [0x0005, 0x000D, 0x0013, 0x0016])
    let type = attributes[2].type
    let properties = attributes[2].properties
    #expect(type == .deviceName && properties == .read | .write)
  }
}
