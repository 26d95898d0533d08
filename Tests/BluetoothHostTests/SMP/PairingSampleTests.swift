import BluetoothHost
import Testing

/// A number from its hexadecimal digits, as the specification prints it: the most significant first.
private func number<let wordCount: Int>(_ hexadecimal: String) -> WideNumber<wordCount> {
  var number = WideNumber<wordCount>.zero
  let digits = hexadecimal.filter { $0.isHexDigit }
  #expect(digits.count == wordCount * 8)
  for (index, digit) in digits.enumerated() {
    let shift = UInt32(7 - index % 8) * 4
    number.words[wordCount - 1 - index / 8] |= UInt32(digit.hexDigitValue ?? 0) << shift
  }
  return number
}

/// The random numbers as a generator gives them: the lowest word first.
private func words(_ number: Number128) -> [UInt32] {
  (0..<4).map { number.words[$0] }
}

/// A key agreement with the keys of the specification's sample data, for whoever the peer is.
private struct SampleAgreement: KeyAgreement, ~Copyable {
  let publicKey: P256PublicKey
  var result: KeyAgreementResult?
  var isBusy: Bool { result != nil }

  init(x: Number256) {
    publicKey = P256PublicKey(x: x, y: .zero)
  }

  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    result = .publicKey(publicKey)
  }

  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    result = .sharedKey(
      number("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"))
  }

  mutating func step() -> KeyAgreementResult? {
    defer { result = nil }
    return result
  }
}

// The sample data of Vol 3, Part H, Appendix D.
private let u: Number256 = number(
  "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
private let v: Number256 = number(
  "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
private let n1: Number128 = number("d5cb8454d177733effffb2ec712baeab")
private let n2: Number128 = number("a6e8e7cc25a75f6e216583f7ff3dc4cf")
/// 56:12:37:37:BF:CE and A7:13:70:2D:CF:C1, both public.
private let a1 = DeviceAddress(kind: .public, bytes: [0xCE, 0xBF, 0x37, 0x37, 0x12, 0x56])
private let a2 = DeviceAddress(kind: .public, bytes: [0xC1, 0xCF, 0x2D, 0x70, 0x13, 0xA7])

@Suite("The specification's sample data in PDUs of pairing")
struct PairingSampleTests {
  private typealias Sample = PairingEnd<SampleAgreement, ListedRandom>

  private func publicKey(_ x: Number256) -> [UInt8] {
    written { PairingPublicKey(P256PublicKey(x: x, y: .zero)).write(to: &$0) }
  }

  private func pdu(_ code: UInt8, _ value: Number128) -> [UInt8] {
    [code] + written { value.write(to: &$0) }
  }

  @Test("D.2: the Pairing Confirm of a responder is f4, least significant byte first")
  func confirm() {
    let end = Sample(
      SampleAgreement(x: u), ListedRandom([UInt32](repeating: 1, count: 8) + words(n1)))
    let request: [UInt8] = [3, 0, 0x09, 16, 0, 0]
    end.pairing.begin(
      PairingLink(role: .responder, ownAddress: a2, peerAddress: a1), policy: PairingPolicy(),
      identity: nil, request: request.span, at: Instant(rawValue: 0))
    _ = end.nextPDU()
    end.work()
    end.receive(publicKey(v))
    #expect(end.nextPDU() == publicKey(u))
    #expect(
      end.nextPDU() == [
        0x03, 0x2D, 0x87, 0x74, 0xA9, 0xBE, 0xA1, 0xED, 0xF1, 0x1C, 0xBD, 0xA9, 0x07, 0xF1, 0x16,
        0xC9, 0xF2,
      ])
  }

  @Test("D.3 and D.5: the number to compare is g2, and the key is that of f5")
  func keys() {
    let policy = PairingPolicy(ioCapability: .displayYesNo)
    let end = Sample(
      SampleAgreement(x: u), ListedRandom([UInt32](repeating: 1, count: 8) + words(n1)))
    end.pairing.begin(
      PairingLink(role: .initiator, ownAddress: a1, peerAddress: a2), policy: policy,
      identity: nil, at: Instant(rawValue: 0))
    _ = end.nextPDU()
    end.receive([0x02, 1, 0, 0x0D, 16, 0, 0])
    end.work()
    #expect(end.nextPDU() == publicKey(u))
    end.receive(publicKey(v))
    end.receive(pdu(0x03, PairingFunctions.f4(u: v, v: u, x: n2, z: 0)))
    #expect(end.nextPDU() == pdu(0x04, n1))
    end.receive(pdu(0x04, n2))
    // 0x2F9ED5BA mod 1,000,000
    #expect(end.prompts == [.compareNumber(938_554)])
    #expect(end.confirm(true))
    end.work()
    let macKey: Number128 = number("2965f176a1084a02fd3f6a20ce636e20")
    #expect(
      end.nextPDU()
        == pdu(
          0x0D,
          PairingFunctions.f6(
            w: macKey, n1: n1, n2: n2, r: .zero, ioCap: [1, 0, 0x0D], a1: a1, a2: a2)))
    end.receive(
      pdu(
        0x0D,
        PairingFunctions.f6(
          w: macKey, n1: n2, n2: n1, r: .zero, ioCap: [1, 0, 0x0D], a1: a2, a2: a1)))
    let key = end.pairing.takeEncryptionKey()
    #expect(key == number("6986791169d7cd23980522b594750a38"))
  }

  @Test("2.2.4: the short term key of legacy pairing is s1")
  func shortTermKey() {
    let srand: Number128 = number("000f0e0d0c0b0a091122334455667788")
    let mrand: Number128 = number("010203040506070899aabbccddeeff00")
    let end = Sample(SampleAgreement(x: u), ListedRandom(words(srand)))
    let request: [UInt8] = [3, 0, 0x01, 16, 0, 0]
    end.pairing.begin(
      PairingLink(role: .responder, ownAddress: a2, peerAddress: a1), policy: PairingPolicy(),
      identity: nil, request: request.span, at: Instant(rawValue: 0))
    let response = end.nextPDU() ?? []
    #expect(response == [0x02, 3, 0, 0x09, 16, 0, 0])
    end.receive(
      pdu(
        0x03,
        PairingFunctions.c1(
          k: .zero, r: mrand, preq: [0x01, 3, 0, 0x01, 16, 0, 0],
          pres: [0x02, 3, 0, 0x09, 16, 0, 0], initiator: a1, responder: a2)))
    _ = end.nextPDU()
    end.receive(pdu(0x04, mrand))
    #expect(end.nextPDU() == pdu(0x04, srand))
    let key = end.pairing.keyForRequest()
    #expect(key == number("9a1fe1f0e8b0f49b5b4216ae796da062"))
  }
}
