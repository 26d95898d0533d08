/// The pairing functions, with the names of Core Specification, Vol 3, Part H, 2.2; *e* is
/// `AES128.encrypt(_:)`. Parameters and results are numbers, see `WideNumber`; addresses are those
/// of the link.
public enum PairingFunctions {
  /// The 24-bit hash of a resolvable private address, from the Identity Resolving Key and *prand*,
  /// its upper 24 bits: Vol 3, Part H, 2.2.2.
  public static func ah(k: Number128, r: UInt32) -> UInt32 {
    AES128(key: k).encrypt(Number128(words: [r & 0x00FF_FFFF, 0, 0, 0])).words[0] & 0x00FF_FFFF
  }

  /// LE legacy pairing's confirm value: Vol 3, Part H, 2.2.3.
  ///
  /// - Parameters:|  - k: The Temporary Key.|  - r: The random number of the device whose value it
  /// is.|  - preq: The Pairing Request PDU.|  - pres: The Pairing Response PDU.|  - initiator:
  /// *iat* and *ia*.|  - responder: *rat* and *ra*.
  public static func c1(
    k: Number128, r: Number128, preq: InlineArray<7, UInt8>, pres: InlineArray<7, UInt8>,
    initiator: DeviceAddress, responder: DeviceAddress
  ) -> Number128 {
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan)
    // p1 = pres ‖ preq ‖ rat ‖ iat, p2 = 0³² ‖ ia ‖ ra, each from its end.
    writer.write(initiator.kind.rawValue)
    writer.write(responder.kind.rawValue)
    writer.write(preq.span)
    writer.write(pres.span)
    responder.writeBytes(to: &writer)
    initiator.writeBytes(to: &writer)
    var reader = ByteReader(bytes.span)
    let cipher = AES128(key: k)
    var state = r
    for _ in 0..<2 {
      guard let p = Number128(&reader) else { break }
      for index in 0..<4 { state.words[index] ^= p.words[index] }
      state = cipher.encrypt(state)
    }
    return state
  }

  /// LE legacy pairing's Short Term Key, from the Temporary Key and the random numbers of responder
  /// and initiator: Vol 3, Part H, 2.2.4.
  public static func s1(k: Number128, r1: Number128, r2: Number128) -> Number128 {
    AES128(key: k).encrypt(Number128(words: [r2.words[0], r2.words[1], r1.words[0], r1.words[1]]))
  }

  /// The confirm value of LE Secure Connections: Vol 3, Part H, 2.2.6.
  ///
  /// - Parameters:|  - u: The X coordinate of the public key of the device whose value it is.|  -
  /// v: That of its peer.|  - x: The device's random number.|  - z: 0, or 0x80 with a bit of the
  /// passkey.
  public static func f4(u: Number256, v: Number256, x: Number128, z: UInt8) -> Number128 {
    var code = AESCMAC(key: x)
    code.update(u)
    code.update(v)
    code.update(z)
    return code.finish()
  }

  /// The MacKey and the Long Term Key of LE Secure Connections, from the DHKey, and the random
  /// numbers and addresses of initiator and responder: Vol 3, Part H, 2.2.7.
  public static func f5(
    w: Number256, n1: Number128, n2: Number128, a1: DeviceAddress, a2: DeviceAddress
  ) -> (macKey: Number128, ltk: Number128) {
    // The salt in the specification.
    var code = AESCMAC(key: Number128(words: [0x5A60_83BE, 0x6037_0BDB, 0xAAF5_A538, 0x6C88_8391]))
    code.update(w)
    let t = code.finish()
    return (
      f5(t: t, counter: 0, n1: n1, n2: n2, a1: a1, a2: a2),
      f5(t: t, counter: 1, n1: n1, n2: n2, a1: a1, a2: a2)
    )
  }

  @inline(never) private static func f5(
    t: Number128, counter: UInt8, n1: Number128, n2: Number128, a1: DeviceAddress, a2: DeviceAddress
  ) -> Number128 {
    var code = AESCMAC(key: t)
    code.update(counter)
    code.update(0x6274_6C65, byteCount: 4)  // *keyID*: "btle"
    code.update(n1)
    code.update(n2)
    code.update(a1)
    code.update(a2)
    code.update(256, byteCount: 2)  // *Length*, in bits
    return code.finish()
  }

  /// The DHKey check of LE Secure Connections: Vol 3, Part H, 2.2.8.
  ///
  /// - Parameters:|  - w: The MacKey from f5.|  - n1: The random number of the device that is
  /// checked.|  - n2: That of its peer.|  - r: The peer's passkey or out-of-band random number; 0
  /// without either.|  - ioCap: IO capability, OOB data flag and AuthReq of the device that is
  /// checked.|  - a1: The address of the device that is checked.|  - a2: That of its peer.
  public static func f6(
    w: Number128, n1: Number128, n2: Number128, r: Number128, ioCap: InlineArray<3, UInt8>,
    a1: DeviceAddress, a2: DeviceAddress
  ) -> Number128 {
    var code = AESCMAC(key: w)
    code.update(n1)
    code.update(n2)
    code.update(r)
    code.update(ioCap[2])
    code.update(ioCap[1])
    code.update(ioCap[0])
    code.update(a1)
    code.update(a2)
    return code.finish()
  }

  /// Numeric comparison's value, whose six lowest decimal digits devices display, from the X
  /// coordinates and random numbers of initiator and responder: Vol 3, Part H, 2.2.9.
  public static func g2(u: Number256, v: Number256, x: Number128, y: Number128) -> UInt32 {
    var code = AESCMAC(key: x)
    code.update(u)
    code.update(v)
    code.update(y)
    return code.finish().words[0]
  }
}

extension AESCMAC {
  /// Adds an address as in f5 and f6: its kind, then its bytes, most significant first.
  fileprivate mutating func update(_ address: DeviceAddress) {
    update(address.kind.rawValue)
    let bytes = address.bytes
    for index in 0..<6 { update(bytes[5 &- index]) }
  }
}
