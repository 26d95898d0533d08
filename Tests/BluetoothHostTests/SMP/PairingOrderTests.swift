import BallTestSupport
import BluetoothHost
import Expectations

/// A PDU of the right length for each code, with random contents.
func randomPDU(_ code: UInt8, _ random: inout FixedRandom) -> [UInt8] {
  let lengths: [Int] = [1, 7, 7, 17, 17, 2, 17, 11, 17, 8, 17, 2, 65, 17, 2, 9]
  let length = lengths[Int(min(code, 15))]
  return [code] + (1..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
}

/// The required result of a PDU in place of the `expected` one, or of none.
private enum Verdict: Equatable {
  case ignored
  case accepted
  case refused
  case failed(PairingError)

  init(_ code: UInt8, to role: PairingRole, expected: UInt8?) {
    switch code {
    case 0x00, 0x0F: self = .ignored
    case 0x05: self = .refused
    // A central ignores a Security Request while pairing: 2.4.6.
    case 0x0B where role == .initiator: self = .ignored
    case 0x0A, 0x0E, 0x0B: self = .failed(.commandNotSupported)
    case 0x01 where role == .initiator: self = .failed(.commandNotSupported)
    case 0x02 where role == .responder: self = .failed(.commandNotSupported)
    // The peripheral accepts no long term key of the central.
    case 0x06 where role == .responder: self = .failed(.commandNotSupported)
    case 0x07 where role == .responder: self = .failed(.commandNotSupported)
    case expected: self = .accepted
    default: self = .failed(.unspecifiedReason)
    }
  }
}

@Suite("Pairing PDUs out of order")
struct PairingOrderTests {
  @Test("Each code is handled at each point of a pairing", arguments: PairingCase.varied)
  func sweep(way: PairingCase) {
    let whole = way.pipe().run()
    var random = FixedRandom(seed: 11)
    for stop in 0..<whole.log.count where !way.isAfterFirstRound(at: stop) {
      let next = stop + 1 < whole.log.count ? whole.log[stop + 1] : nil
      for code: UInt8 in 0x00...0x0F {
        for isReceiver in [true, false] {
          let pipe = way.pipe()
          pipe.stopsBefore = { $0.number == stop }
          pipe.run()
          guard let held = pipe.stopped else { continue }
          let toInitiator = (held.sender == .initiator) != isReceiver
          let end = toInitiator ? pipe.initiator : pipe.responder
          guard end.isActive else { continue }
          // The receiver expects the held PDU; the sender expects an answer if one is next.
          let expected: UInt8? =
            isReceiver
            ? held.bytes[0] : next.flatMap { $0.sender != held.sender ? $0.bytes[0] : nil }
          check(
            Verdict(code, to: toInitiator ? .initiator : .responder, expected: expected), end, pipe,
            randomPDU(code, &random), "\(code) at PDU \(stop), receiver \(isReceiver)")
        }
      }
    }
  }

  private func check(
    _ verdict: Verdict, _ end: LoneEnd, _ pipe: PairingPipe<TestAgreement, FixedRandom>,
    _ pdu: [UInt8], _ comment: Comment
  ) {
    end.receive(pdu)
    switch verdict {
    case .ignored:
      expect(end.isActive, comment)
      pipe.goOn()
      expect(pipe.initiator.isPaired && pipe.responder.isPaired, comment)
      return
    case .accepted:
      // The right PDU is now the second one.
      break
    case .refused:
      expect(end.outcome, is: .refused(PairingError(rawValue: pdu[1])), comment)
    case .failed(let reason):
      expect(end.outcome, is: .failed(reason), comment)
    }
    pipe.goOn()
    expect(!end.isPaired, comment)
    expect(!end.isActive || verdict == .accepted, comment)
  }

  @Test("A repeated PDU ends the pairing", arguments: PairingCase.varied)
  func repeated(way: PairingCase) {
    let whole = way.pipe().run()
    for number in 0..<whole.log.count where !way.isAfterFirstRound(at: number) {
      let pipe = way.pipe()
      pipe.stopsBefore = { $0.number == number }
      pipe.run()
      guard let pdu = pipe.stopped else { continue }
      let end = pdu.sender == .initiator ? pipe.responder : pipe.initiator
      end.receive(pdu.bytes)
      let isOver = !end.isActive
      pipe.goOn()
      // After the last PDU the pairing is complete.
      expect(!end.isPaired || isOver, "PDU \(number)")
    }
  }

  @Test("A PDU of a wrong length ends the pairing", arguments: PairingCase.varied)
  func malformed(way: PairingCase) {
    let whole = way.pipe().run()
    for pdu in whole.log where !way.isAfterFirstRound(at: pdu.number) {
      for wrong in truncations(of: pdu.bytes).dropFirst() + [pdu.bytes + [0]] {
        let pipe = way.pipe()
        pipe.onPDU = { $0.number == pdu.number ? wrong : $0.bytes }
        pipe.run()
        let receiver = pdu.sender == .initiator ? pipe.responder : pipe.initiator
        expect(
          receiver.outcome, is: .failed(.invalidParameters),
          "PDU \(pdu.number), \(wrong.count) bytes")
      }
    }
  }

  @Test("A PDU before the pending response is refused")
  func hasty() {
    // The response is pending when a public key arrives.
    let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
    var random = FixedRandom(seed: 5)
    end.receive(randomPDU(0x0C, &random))
    expect(end.outcome, is: .failed(.unspecifiedReason))
  }

  @Test("A second public key is refused")
  func secondPublicKey() {
    let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
    _ = end.nextPDU()
    for privateKey: UInt32 in [1, 2] {
      var number = Number256.zero
      number.words[0] = privateKey
      let key = TestAgreement.publicKey(for: number)
      end.receive(written { PairingPublicKey(key).write(to: &$0) })
    }
    expect(end.outcome, is: .failed(.unspecifiedReason))
  }
}

extension PairingCase {
  /// Whether the PDU belongs to a round of passkey entry between the first and the last, which are
  /// alike.
  func isRepeatedRound(at number: Int) -> Bool {
    // Response, two public keys, then four PDUs a round.
    isSecureConnections && model.usesPasskey && number >= 3 + 4 && number < 3 + 19 * 4
  }

  /// Whether the PDU follows the first round of passkey entry: the PDUs after the last round are
  /// the same without a passkey.
  func isAfterFirstRound(at number: Int) -> Bool {
    isSecureConnections && model.usesPasskey && number >= 3 + 4
  }
}
