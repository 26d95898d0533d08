import BluetoothHost
import Expectations

/// The words of a number, lowest first.
private func words(_ number: Number128) -> [UInt32] { (0..<4).map { number.words[$0] } }

/// A key agreement with the specification's sample keys for any peer.
private struct SampleAgreement: KeyAgreement, ~Copyable {
  let publicKey: P256PublicKey
  var result: KeyAgreementResult?
  var isBusy: Bool { result != nil }

  init(x: Number256) { publicKey = P256PublicKey(x: x, y: .zero) }

  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    result = .publicKey(publicKey)
  }

  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    result = .sharedKey(PairingSamples.dhKey)
  }

  mutating func step() -> KeyAgreementResult? {
    defer { result = nil }
    return result
  }
}

private let (u, v) = (PairingSamples.u, PairingSamples.v)
private let (n1, n2) = (PairingSamples.n1, PairingSamples.n2)
private let (a1, a2) = (PairingSamples.a1, PairingSamples.a2)

@Suite("Pairing PDUs: the specification's sample data")
struct PairingSampleTests {
  private typealias Sample = PairingEnd<SampleAgreement, ListedRandom>

  private func publicKey(_ x: Number256) -> [UInt8] {
    written { PairingPublicKey(P256PublicKey(x: x, y: .zero)).write(to: &$0) }
  }

  @Test("D.2: the Pairing Confirm of a responder is f4, least significant byte first")
  func confirm() {
    let end = Sample(
      SampleAgreement(x: u), ListedRandom([UInt32](repeating: 1, count: 8) + words(n1)))
    end.respond(
      on: PairingLink(role: .responder, ownAddress: a2, peerAddress: a1),
      to: [0x01, 3, 0, 0x09, 16, 0, 0])
    _ = end.nextPDU()
    end.work()
    end.receive(publicKey(v))
    expect(end.nextPDU(), is: publicKey(u))
    expect(
      end.nextPDU(),
      is: [
        0x03, 0x2D, 0x87, 0x74, 0xA9, 0xBE, 0xA1, 0xED, 0xF1, 0x1C, 0xBD, 0xA9, 0x07, 0xF1, 0x16,
        0xC9, 0xF2,
      ])
  }

  @Test("D.3 and D.5: the number to compare is g2, and the key is that of f5")
  func keys() {
    let end = Sample(
      SampleAgreement(x: u), ListedRandom([UInt32](repeating: 1, count: 8) + words(n1)))
    end.initiate(
      PairingPolicy(ioCapability: .displayYesNo),
      on: PairingLink(role: .initiator, ownAddress: a1, peerAddress: a2),
      response: [0x02, 1, 0, 0x0D, 16, 0, 0])
    end.work()
    expect(end.nextPDU(), is: publicKey(u))
    end.receive(publicKey(v))
    end.receive(pdu(0x03, PairingFunctions.f4(u: v, v: u, x: n2, z: 0)))
    expect(end.nextPDU(), is: pdu(0x04, n1))
    end.receive(pdu(0x04, n2))
    // 0x2F9ED5BA mod 1,000,000
    expect(end.prompts, is: [.compareNumber(938_554)])
    expect(end.confirm(true))
    end.work()
    let macKey = PairingSamples.macKey
    expect(
      end.nextPDU(),
      is: pdu(
        0x0D,
        PairingFunctions.f6(
          w: macKey, n1: n1, n2: n2, r: .zero, ioCap: [1, 0, 0x0D], a1: a1, a2: a2)))
    end.receive(
      pdu(
        0x0D,
        PairingFunctions.f6(
          w: macKey, n1: n2, n2: n1, r: .zero, ioCap: [1, 0, 0x0D], a1: a2, a2: a1)))
    expect(
      end.pairing.takeEncryptionKey(), is: WideNumber(0x6986_7911_69D7_CD23, 0x9805_22B5_9475_0A38))
  }

  @Test("2.2.4: the short term key of legacy pairing is s1")
  func shortTermKey() {
    let srand: Number128 = WideNumber(0x000F_0E0D_0C0B_0A09, 0x1122_3344_5566_7788)
    let mrand: Number128 = WideNumber(0x0102_0304_0506_0708, 0x99AA_BBCC_DDEE_FF00)
    let end = Sample(SampleAgreement(x: u), ListedRandom(words(srand)))
    end.respond(
      on: PairingLink(role: .responder, ownAddress: a2, peerAddress: a1),
      to: [0x01, 3, 0, 0x01, 16, 0, 0])
    expect(end.nextPDU() ?? [], is: [0x02, 3, 0, 0x09, 16, 0, 0])
    end.receive(
      pdu(
        0x03,
        PairingFunctions.c1(
          k: .zero, r: mrand, preq: [0x01, 3, 0, 0x01, 16, 0, 0],
          pres: [0x02, 3, 0, 0x09, 16, 0, 0], initiator: a1, responder: a2)))
    _ = end.nextPDU()
    end.receive(pdu(0x04, mrand))
    expect(end.nextPDU(), is: pdu(0x04, srand))
    expect(
      end.pairing.keyForRequest(), is: WideNumber(0x9A1F_E1F0_E8B0_F49B, 0x5B42_16AE_796D_A062))
  }
}
