import BluetoothHost
import Expectations

/// The sample data of the Core Specification, Vol 3, Part H, Appendix D.
enum PairingSamples {
  static let u = Number256(
    0x20B0_03D2_F297_BE2C, 0x5E2C_83A7_E9F9_A5B9, 0xEFF4_9111_ACF4_FDDB, 0xCC03_0148_0E35_9DE6)
  static let v = Number256(
    0x5518_8B3D_32F6_BB9A, 0x900A_FCFB_EED4_E72A, 0x59CB_9AC2_F19D_7CFB, 0x6B4F_DD49_F47F_C5FD)
  static let n1 = Number128(0xD5CB_8454_D177_733E, 0xFFFF_B2EC_712B_AEAB)
  static let n2 = Number128(0xA6E8_E7CC_25A7_5F6E, 0x2165_83F7_FF3D_C4CF)
  /// 56:12:37:37:BF:CE, public
  static let a1 = DeviceAddress(kind: .public, bytes: [0xCE, 0xBF, 0x37, 0x37, 0x12, 0x56])
  /// A7:13:70:2D:CF:C1, public
  static let a2 = DeviceAddress(kind: .public, bytes: [0xC1, 0xCF, 0x2D, 0x70, 0x13, 0xA7])
  static let dhKey = Number256(
    0xEC02_34A3_57C8_AD05, 0x3410_10A6_0A39_7D9B, 0x9979_6B13_B4F8_66F1, 0x868D_34F3_73BF_A698)
  static let macKey = Number128(0x2965_F176_A108_4A02, 0xFD3F_6A20_CE63_6E20)
}

private typealias Sample = PairingSamples
private let key = Number128(0xEC02_34A3_57C8_AD05, 0x3410_10A6_0A39_7D9B)

@Suite("Pairing functions: the specification's samples")
struct PairingFunctionTests {
  @Test("f4, Appendix D.2")
  func f4() {
    expect(
      PairingFunctions.f4(u: Sample.u, v: Sample.v, x: Sample.n1, z: 0),
      is: Number128(0xF2C9_16F1_07A9_BD1C, 0xF1ED_A1BE_A974_872D))
  }

  @Test("f5, Appendix D.3")
  func f5() {
    let keys = PairingFunctions.f5(
      w: Sample.dhKey, n1: Sample.n1, n2: Sample.n2, a1: Sample.a1, a2: Sample.a2)
    expect(keys.macKey, is: Sample.macKey)
    expect(keys.ltk, is: Number128(0x6986_7911_69D7_CD23, 0x9805_22B5_9475_0A38))
  }

  @Test("f6, Appendix D.4, whose IOcap 0x010102 PDUs send from its end")
  func f6() {
    expect(
      PairingFunctions.f6(
        w: Sample.macKey, n1: Sample.n1, n2: Sample.n2,
        r: Number128(0x12A3_343B_B453_BB54, 0x08DA_42D2_0C2D_0FC8), ioCap: [0x02, 0x01, 0x01],
        a1: Sample.a1, a2: Sample.a2), is: Number128(0xE3C4_7398_9CD0_E8C5, 0xD26C_0B09_DA95_8F61))
  }

  @Test("f6 hashes the type of each address before its bytes")
  func kinds() {
    let (a1, a2, n1, n2) = (Sample.a1, Sample.a2, Sample.n1, Sample.n2)
    let random = DeviceAddress(kind: .random, bytes: a1.bytes)
    let checks = [(a1, a2), (random, a2), (a2, random), (a2, a1)].map {
      PairingFunctions.f6(
        w: Sample.macKey, n1: n1, n2: n2, r: .zero, ioCap: [0, 0, 0], a1: $0, a2: $1)
    }
    // By its definition: CMAC(N1 ‖ N2 ‖ R ‖ IOcap ‖ A1 ‖ A2).
    var code = AESCMAC(key: Sample.macKey)
    code.update(n1)
    code.update(n2)
    code.update(Number128.zero)
    let rest: [UInt8] = [
      0, 0, 0, 1, 0x56, 0x12, 0x37, 0x37, 0xBF, 0xCE, 0, 0xA7, 0x13, 0x70, 0x2D, 0xCF, 0xC1,
    ]
    code.update(rest.span)
    expect(checks[1], is: code.finish())
    for (index, check) in checks.enumerated() { expect(!checks[..<index].contains(check)) }
  }

  @Test("g2, Appendix D.5: 938554")
  func g2() {
    let value = PairingFunctions.g2(u: Sample.u, v: Sample.v, x: Sample.n1, y: Sample.n2)
    // 0x2F9ED5BA = 798,938,554
    expect(value, is: 0x2F9E_D5BA)
    expect(value % 1_000_000, is: 938_554)
  }

  @Test("ah, Appendix D.7, of the low 24 bits of r")
  func ah() {
    expect(PairingFunctions.ah(k: key, r: 0x70_8194), is: 0x0D_FBAA)
    expect(PairingFunctions.ah(k: key, r: 0xFF70_8194), is: 0x0D_FBAA)
  }

  /// p1 = 0x05000800000302 07071000000101 00 01, p2 = 0x00000000 A1A2A3A4A5A6 B1B2B3B4B5B6.
  @Test("c1, 2.2.3")
  func c1() {
    expect(
      PairingFunctions.c1(
        k: .zero, r: Number128(0x5783_D521_56AD_6F0E, 0x6388_274E_C670_2EE0),
        preq: [0x01, 0x01, 0x00, 0x00, 0x10, 0x07, 0x07],
        pres: [0x02, 0x03, 0x00, 0x00, 0x08, 0x00, 0x05],
        initiator: DeviceAddress(kind: .random, bytes: [0xA6, 0xA5, 0xA4, 0xA3, 0xA2, 0xA1]),
        responder: DeviceAddress(kind: .public, bytes: [0xB6, 0xB5, 0xB4, 0xB3, 0xB2, 0xB1])),
      is: Number128(0x1E1E_3FEF_8789_88EA, 0xD2A7_4DC5_BEF1_3B86))
  }

  @Test("s1, 2.2.4")
  func s1() {
    expect(
      PairingFunctions.s1(
        k: .zero, r1: Number128(0x000F_0E0D_0C0B_0A09, 0x1122_3344_5566_7788),
        r2: Number128(0x0102_0304_0506_0708, 0x99AA_BBCC_DDEE_FF00)),
      is: Number128(0x9A1F_E1F0_E8B0_F49B, 0x5B42_16AE_796D_A062))
  }
}
