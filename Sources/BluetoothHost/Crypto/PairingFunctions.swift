/// The functions by which the Security Manager makes and checks keys.
///
/// Core Specification, Vol 3, Part H, 2.2, whose names they and their parameters have. *e* is
/// `AES128.encrypt(_:)`. The specification defines them on bytes with the most significant first; the
/// parameters and results here are numbers, which PDUs and HCI carry the other way round: see
/// `WideNumber`. Addresses are those that the devices use on the connection.
public enum PairingFunctions {
  /// The hash of a resolvable private address, of 24 bits.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.2.
  ///
  /// - Parameters:
  ///   - k: the Identity Resolving Key.
  ///   - r: *prand*, the upper 24 bits of the address.
  public static func ah(k: Number128, r: UInt32) -> UInt32 {
    AES128(key: k).encrypt(Number128(words: [r & 0x00FF_FFFF, 0, 0, 0])).words[0] & 0x00FF_FFFF
  }

  /// The confirm value of LE legacy pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.3.
  ///
  /// - Parameters:
  ///   - k: the Temporary Key.
  ///   - r: the random number of the device that confirms.
  ///   - preq: the Pairing Request, all seven bytes as they were sent.
  ///   - pres: the Pairing Response, all seven bytes as they were sent.
  ///   - initiator: the address of the initiator: *iat* and *ia*.
  ///   - responder: the address of the responder: *rat* and *ra*.
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

  /// The Short Term Key of LE legacy pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.4.
  ///
  /// - Parameters:
  ///   - k: the Temporary Key.
  ///   - r1: the random number of the responder.
  ///   - r2: the random number of the initiator.
  public static func s1(k: Number128, r1: Number128, r2: Number128) -> Number128 {
    AES128(key: k).encrypt(
      Number128(words: [r2.words[0], r2.words[1], r1.words[0], r1.words[1]]))
  }

  /// The confirm value of LE Secure Connections pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.6.
  ///
  /// - Parameters:
  ///   - u: the X coordinate of the public key of the device that confirms.
  ///   - v: the X coordinate of its peer's public key.
  ///   - x: the random number of the device that confirms.
  ///   - z: 0, or 0x80 with a bit of the passkey.
  public static func f4(u: Number256, v: Number256, x: Number128, z: UInt8) -> Number128 {
    var code = AESCMAC(key: x)
    code.update(u)
    code.update(v)
    code.update(z)
    return code.finish()
  }

  /// The key for the DHKey checks, and the Long Term Key, of LE Secure Connections pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.7.
  ///
  /// - Parameters:
  ///   - w: the shared key, DHKey.
  ///   - n1: the random number of the initiator.
  ///   - n2: the random number of the responder.
  ///   - a1: the address of the initiator.
  ///   - a2: the address of the responder.
  public static func f5(
    w: Number256, n1: Number128, n2: Number128, a1: DeviceAddress, a2: DeviceAddress
  ) -> (macKey: Number128, ltk: Number128) {
    // The salt that the specification gives.
    var code = AESCMAC(
      key: Number128(words: [0x5A60_83BE, 0x6037_0BDB, 0xAAF5_A538, 0x6C88_8391]))
    code.update(w)
    let t = code.finish()
    return (
      f5(t: t, counter: 0, n1: n1, n2: n2, a1: a1, a2: a2),
      f5(t: t, counter: 1, n1: n1, n2: n2, a1: a1, a2: a2)
    )
  }

  @inline(never)
  private static func f5(
    t: Number128, counter: UInt8, n1: Number128, n2: Number128, a1: DeviceAddress,
    a2: DeviceAddress
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

  /// The DHKey check of LE Secure Connections pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.8.
  ///
  /// - Parameters:
  ///   - w: the MacKey that f5 made.
  ///   - n1: the random number of the device that is checked.
  ///   - n2: the random number of its peer.
  ///   - r: the passkey or the out-of-band random number of the peer; 0 without either.
  ///   - ioCap: three bytes of the Pairing Request or Response of the device that is checked, as they
  ///     were sent: the IO capability, the OOB data flag and AuthReq.
  ///   - a1: the address of the device that is checked.
  ///   - a2: the address of its peer.
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

  /// The value of numeric comparison, of 32 bits. Devices show the six digits of its remainder by
  /// 1,000,000.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.9.
  ///
  /// - Parameters:
  ///   - u: the X coordinate of the public key of the initiator.
  ///   - v: the X coordinate of the public key of the responder.
  ///   - x: the random number of the initiator.
  ///   - y: the random number of the responder.
  public static func g2(u: Number256, v: Number256, x: Number128, y: Number128) -> UInt32 {
    var code = AESCMAC(key: x)
    code.update(u)
    code.update(v)
    code.update(y)
    return code.finish().words[0]
  }

  /// A key made from another.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.10.
  ///
  /// - Parameters:
  ///   - w: the key that it is made from.
  ///   - keyID: four characters, the first in the top byte: "lebr" is 0x6C65_6272.
  public static func h6(w: Number128, keyID: UInt32) -> Number128 {
    var code = AESCMAC(key: w)
    code.update(keyID, byteCount: 4)
    return code.finish()
  }

  /// A key made from another with a salt.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.11.
  ///
  /// - Parameters:
  ///   - salt: the salt; "tmp1" has its characters in the low word, the first on top.
  ///   - w: the key that it is made from.
  public static func h7(salt: Number128, w: Number128) -> Number128 {
    var code = AESCMAC(key: salt)
    code.update(w)
    return code.finish()
  }
}

extension AESCMAC {
  /// Adds an address as f5 and f6 take it: its kind, then its bytes, the most significant first.
  fileprivate mutating func update(_ address: DeviceAddress) {
    update(address.kind.rawValue)
    let bytes = address.bytes
    for index in 0..<6 { update(bytes[5 &- index]) }
  }
}
