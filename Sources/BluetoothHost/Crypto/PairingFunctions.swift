/// The functions with which the Security Manager generates and checks keys.
///
/// Core Specification, Vol 3, Part H, 2.2. The functions and their parameters have the
/// specification's names. *e* is `AES128.encrypt(_:)`. The specification defines them on bytes,
/// most significant first; here parameters and results are numbers, which PDUs and HCI carry in the
/// opposite order: see `WideNumber`. Addresses are those of the link.
public enum PairingFunctions {
  /// The hash of a resolvable private address, of 24 bits.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.2.
  ///
  /// - Parameters:
  ///   - k: The Identity Resolving Key.
  ///   - r: *prand*, the upper 24 bits of the address.
  public static func ah(k: Number128, r: UInt32) -> UInt32 {
    AES128(key: k).encrypt(Number128(words: [r & 0x00FF_FFFF, 0, 0, 0])).words[0] & 0x00FF_FFFF
  }

  /// The confirm value of LE legacy pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.3.
  ///
  /// - Parameters:
  ///   - k: The Temporary Key.
  ///   - r: The random number of the device whose value it is.
  ///   - preq: The Pairing Request, all seven bytes of the PDU.
  ///   - pres: The Pairing Response, all seven bytes of the PDU.
  ///   - initiator: The address of the initiator: *iat* and *ia*.
  ///   - responder: The address of the responder: *rat* and *ra*.
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
  ///   - k: The Temporary Key.
  ///   - r1: The random number of the responder.
  ///   - r2: The random number of the initiator.
  public static func s1(k: Number128, r1: Number128, r2: Number128) -> Number128 {
    AES128(key: k).encrypt(Number128(words: [r2.words[0], r2.words[1], r1.words[0], r1.words[1]]))
  }

  /// The confirm value of LE Secure Connections pairing.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.6.
  ///
  /// - Parameters:
  ///   - u: The X coordinate of the public key of the device whose value it is.
  ///   - v: The X coordinate of its peer's public key.
  ///   - x: The random number of the device whose value it is.
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
  ///   - w: The shared key, DHKey.
  ///   - n1: The random number of the initiator.
  ///   - n2: The random number of the responder.
  ///   - a1: The address of the initiator.
  ///   - a2: The address of the responder.
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
  ///   - w: The MacKey from f5.
  ///   - n1: The random number of the device that is checked.
  ///   - n2: The random number of its peer.
  ///   - r: The passkey or the out-of-band random number of the peer; 0 without either.
  ///   - ioCap: Three bytes of the Pairing Request or Response of the device that is checked: the
  ///     IO capability, the OOB data flag and AuthReq.
  ///   - a1: The address of the device that is checked.
  ///   - a2: The address of its peer.
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

  /// The value of numeric comparison, 32 bits. Devices display its six lowest decimal digits.
  ///
  /// Core Specification, Vol 3, Part H, 2.2.9.
  ///
  /// - Parameters:
  ///   - u: The X coordinate of the public key of the initiator.
  ///   - v: The X coordinate of the public key of the responder.
  ///   - x: The random number of the initiator.
  ///   - y: The random number of the responder.
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
