import BallTestSupport
import BluetoothHost
import Expectations

@Suite("Man-in-the-middle attacks")
struct ManInTheMiddleTests {
  /// The changed values of a byte: every flipped bit in the features, and one flipped bit
  /// elsewhere.
  private func changes(of byte: UInt8, at index: Int, in pdu: [UInt8]) -> [UInt8] {
    pdu[0] <= 0x02 ? (0..<8).map { byte ^ 1 << $0 } : [byte ^ 1 << (index & 7)]
  }

  /// Secure Connections protects IO capability, OOB data flag and AuthReq (f6: Vol 3, Part H,
  /// 2.2.8). It does not protect the two bytes of Pairing Request and Response that select the
  /// distributed keys. A man in the middle can only keep a device from sending its identity, or set
  /// bits without effect, since the keys are encrypted. Legacy pairing protects the whole PDUs (c1:
  /// 2.2.3).
  private func isUnprotected(_ way: PairingCase, _ pdu: [UInt8], _ index: Int) -> Bool {
    way.isSecureConnections && pdu[0] <= 0x02 && index >= 5
  }

  @Test("A changed byte of one PDU prevents the bond", arguments: PairingCase.varied)
  func anyByte(way: PairingCase) {
    var request: [UInt8] = []
    let whole = way.pipe(request: {
      request = $0
      return $0
    })
    whole.run()
    let honest = whole.initiator.bond
    expect(honest != nil)
    let pdus = [(-1, request)] + whole.log.filter { !$0.isEncrypted }.map { ($0.number, $0.bytes) }
    for (number, bytes) in pdus where !way.isRepeatedRound(at: number) {
      for index in bytes.indices where number >= 0 || index > 0 {
        for change in changes(of: bytes[index], at: index, in: bytes) {
          // Half of the runs do not check the curve: a wrong X must fail later, too. Only the check
          // protects Y, bytes 33 to 64 of a public key.
          let needsCurve = bytes[0] == 0x0C && index > 32
          let pipe = way.pipe(checksCurve: needsCurve || index & 1 == 0) { request in
            var request = request
            if number < 0 { request[index] = change }
            return request
          }
          pipe.onPDU = { pdu in
            var bytes = pdu.bytes
            if pdu.number == number, !pdu.isEncrypted { bytes[index] = change }
            return bytes
          }
          pipe.run()
          let comment: Comment = "PDU \(number), byte \(index), \(change)"
          if isUnprotected(way, bytes, index) {
            // The bonds have the same key, and the same strength as without the change.
            if let one = pipe.initiator.bond, let other = pipe.responder.bond {
              expect(one.longTermKey, is: other.longTermKey, comment)
              expect(one.isAuthenticated, is: honest?.isAuthenticated, comment)
              expect(one.isSecureConnections && other.isSecureConnections, comment)
            }
          } else {
            expect(!pipe.initiator.isPaired && !pipe.responder.isPaired, comment)
          }
        }
      }
    }
  }

  @Test("Values that are sent back to their sender prevent the bond", arguments: PairingCase.all)
  func reflection(way: PairingCase) {
    // The test returns what the initiator sends, with the code of a response for its features.
    let initiator = LoneEnd(TestAgreement(checksCurve: false), FixedRandom(seed: 1))
    initiator.pairing.begin(
      .initiator, policy: way.initiator, identity: nil, at: Instant(rawValue: 0))
    for _ in 0..<200 {
      initiator.work()
      if initiator.prompts.last == .enterPasskey { _ = initiator.enterPasskey(0) }
      if case .compareNumber = initiator.prompts.last { _ = initiator.confirm(true) }
      guard var pdu = initiator.nextPDU(), pdu[0] != 0x05 else { break }
      if pdu[0] == 0x01 { pdu[0] = 0x02 }
      initiator.receive(pdu)
    }
    expect(!initiator.isPaired)
    expect(
      initiator.outcome,
      is: .failed(way.isSecureConnections ? .invalidParameters : .confirmValueFailed))
  }

  @Test("The own public key, the debug key and points off the curve are refused")
  func publicKeys() throws {
    let debug = written { PairingPublicKey(.debug).write(to: &$0) }
    // The key that answers the own one, and why it is refused.
    let cases: [(label: String, key: ([UInt8]) -> [UInt8], PairingError)] = [
      ("the own key", { $0 }, .invalidParameters),
      ("the negative of the own key", { $0[..<64] + [$0[64] ^ 0xFF] }, .invalidParameters),
      ("the debug key", { _ in debug }, .invalidParameters),
      ("off the curve", { _ in [debug[0], debug[1] ^ 1] + debug[2...] }, .dhKeyCheckFailed),
      ("zeros", { _ in [0x0C] + [UInt8](repeating: 0, count: 64) }, .dhKeyCheckFailed),
    ]
    let end = PairingEnd(P256KeyAgreement(), FixedRandom(seed: 9))
    for (label, key, reason) in cases {
      end.outcome = nil
      end.initiate(response: [0x02, 3, 0, 0x09, 16, 0, 0])
      end.work()
      end.receive(key(try #require(end.nextPDU())))
      expect(end.outcome, is: .failed(reason), "\(label)")
      expect(end.nextPDU(), is: [0x05, reason.rawValue], "\(label)")
    }
  }

  @Test("A man in the middle makes the compared numbers differ")
  func comparedNumbers() {
    let way = PairingCase.all[1]
    let one = way.pipe(seed: 1)
    let other = way.pipe(seed: 100)
    for pipe in [one, other] {
      pipe.answers = false
      pipe.run()
    }
    expect(one.initiator.prompts.count, is: 1)
    expect(other.responder.prompts.count, is: 1)
    expect(one.initiator.prompts != other.responder.prompts)
  }
}
