import BluetoothHost
import Testing

@Suite("A man in the middle")
struct ManInTheMiddleTests {
  /// The values that a byte is changed to: each bit in the features, where it has its meaning, and one
  /// or another elsewhere.
  private func changes(of byte: UInt8, at index: Int, in pdu: [UInt8]) -> [UInt8] {
    pdu[0] <= 0x02 ? (0..<8).map { byte ^ 1 << $0 } : [byte ^ 1 << (index & 7)]
  }

  /// Secure Connections protects IO capability, OOB data flag and AuthReq (f6: Vol 3, Part H, 2.2.8).
  /// It does not protect which keys are distributed: these two bytes of Pairing Request and Response. A
  /// man in the middle can keep a device from giving its identity, or set bits without effect, and no
  /// more: the keys travel encrypted. Legacy pairing protects the whole PDUs (c1: 2.2.3).
  private func isUnprotected(_ way: PairingCase, _ pdu: [UInt8], _ index: Int) -> Bool {
    way.isSecureConnections && pdu[0] <= 0x02 && index >= 5
  }

  @Test("One changed byte of one PDU: no end has a bond", arguments: PairingCase.varied)
  func anyByte(way: PairingCase) {
    var request: [UInt8] = []
    let whole = way.pipe(request: {
      request = $0
      return $0
    })
    whole.run()
    let honest = whole.initiator.bond
    #expect(honest != nil)
    let pdus = [(-1, request)] + whole.log.filter { !$0.isEncrypted }.map { ($0.number, $0.bytes) }
    for (number, bytes) in pdus where !way.isMonotonous(at: number) {
      for index in bytes.indices where number >= 0 || index > 0 {
        for change in changes(of: bytes[index], at: index, in: bytes) {
          // Every other time the curve does not help: a wrong X must fail later, too. Nothing but the
          // curve protects Y, bytes 33 to 64 of a public key.
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
            // What is bonded has the same key on both sides, and is as strong as without the change.
            if let one = pipe.initiator.bond, let other = pipe.responder.bond {
              #expect(one.longTermKey == other.longTermKey, comment)
              #expect(one.isAuthenticated == honest?.isAuthenticated, comment)
              #expect(one.isSecureConnections && other.isSecureConnections, comment)
            }
          } else {
            #expect(!pipe.initiator.isPaired && !pipe.responder.isPaired, comment)
          }
        }
      }
    }
  }

  @Test("The peer's own values sent back: no bond", arguments: PairingCase.all)
  func reflection(way: PairingCase) {
    // The responder is nobody: it returns what the initiator sends, and answers features like its own.
    let initiator = LoneEnd(TestAgreement(checksCurve: false), FixedRandom(seed: 1))
    initiator.pairing.begin(
      PairingLink(
        role: .initiator, ownAddress: initiatorAddress, peerAddress: responderAddress),
      policy: way.initiator, identity: nil, at: Instant(rawValue: 0))
    for _ in 0..<200 {
      initiator.work()
      if initiator.prompts.last == .enterPasskey { _ = initiator.enterPasskey(0) }
      if case .compareNumber = initiator.prompts.last { _ = initiator.confirm(true) }
      guard var pdu = initiator.nextPDU(), pdu[0] != 0x05 else { break }
      if pdu[0] == 0x01 { pdu[0] = 0x02 }
      initiator.receive(pdu)
    }
    #expect(!initiator.isPaired)
    #expect(
      initiator.outcome
        == .failed(way.isSecureConnections ? .invalidParameters : .confirmValueFailed))
  }

  @Test("Our own public key, its negative, the debug key, and a point beside the curve")
  func publicKeys() throws {
    let agreement = P256KeyAgreement()
    let end = PairingEnd(agreement, FixedRandom(seed: 9))
    func begin() throws -> [UInt8] {
      end.outcome = nil
      end.pairing.begin(
        PairingLink(
          role: .initiator, ownAddress: initiatorAddress, peerAddress: responderAddress),
        policy: PairingPolicy(), identity: nil, at: Instant(rawValue: 0))
      _ = end.nextPDU()
      end.receive([0x02, 3, 0, 0x09, 16, 0, 0])
      end.work()
      return try #require(end.nextPDU())
    }
    let own = try begin()
    end.receive(own)
    #expect(end.outcome == .failed(.invalidParameters), "our own")

    var negative = try begin()
    negative[64] ^= 0xFF
    end.receive(negative)
    #expect(end.outcome == .failed(.invalidParameters), "X alone counts")

    _ = try begin()
    end.receive(written { PairingPublicKey(.debug).write(to: &$0) })
    #expect(end.outcome == .failed(.invalidParameters), "the debug key")

    var beside = written { PairingPublicKey(.debug).write(to: &$0) }
    beside[1] ^= 1
    _ = try begin()
    end.receive(beside)
    #expect(end.outcome == .failed(.dhKeyCheckFailed), "no point of the curve")
    #expect(end.nextPDU() == [0x05, 0x0B])

    _ = try begin()
    end.receive([0x0C] + [UInt8](repeating: 0, count: 64))
    #expect(end.outcome == .failed(.dhKeyCheckFailed), "zeros")
  }

  @Test("Two pairings with a man between them show different numbers")
  func comparedNumbers() {
    let way = PairingCase.all[1]
    let one = way.pipe(seed: 1)
    let other = way.pipe(seed: 100)
    for pipe in [one, other] {
      pipe.answers = false
      pipe.run()
    }
    #expect(one.initiator.prompts.count == 1)
    #expect(other.responder.prompts.count == 1)
    #expect(one.initiator.prompts != other.responder.prompts)
  }
}
