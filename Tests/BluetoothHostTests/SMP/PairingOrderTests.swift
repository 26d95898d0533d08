import BluetoothHost
import Testing

/// A PDU of the right length for each code, with random contents.
func randomPDU(_ code: UInt8, _ random: inout FixedRandom) -> [UInt8] {
  let lengths: [Int] = [1, 7, 7, 17, 17, 2, 17, 11, 17, 8, 17, 2, 65, 17, 2, 9]
  let length = lengths[Int(min(code, 15))]
  return [code] + (1..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
}

/// What has to come of a PDU that comes where `expected` should come, or nothing.
private enum Verdict: Equatable {
  case ignored
  case accepted
  case refused
  case failed(PairingFailure)

  init(_ code: UInt8, to role: PairingRole, expected: UInt8?) {
    switch code {
    case 0x00, 0x0F: self = .ignored
    case 0x05: self = .refused
    // A central that pairs ignores a Security Request: 2.4.6.
    case 0x0B where role == .initiator: self = .ignored
    case 0x0A, 0x0E, 0x0B: self = .failed(.commandNotSupported)
    case 0x01 where role == .initiator: self = .failed(.commandNotSupported)
    case 0x02 where role == .responder: self = .failed(.commandNotSupported)
    // The peripheral takes no long term key of the central.
    case 0x06 where role == .responder: self = .failed(.commandNotSupported)
    case 0x07 where role == .responder: self = .failed(.commandNotSupported)
    case expected: self = .accepted
    default: self = .failed(.unspecifiedReason)
    }
  }
}

@Suite("PDUs of pairing out of order")
struct PairingOrderTests {
  @Test("Each code, at each moment, at both ends", arguments: PairingCase.varied)
  func sweep(way: PairingCase) {
    let whole = way.pipe()
    whole.run()
    var random = FixedRandom(seed: 11)
    for stop in 0..<whole.log.count where !way.isLikeOthers(at: stop) {
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
          // The receiver waits for the PDU that was held; the sender for an answer, if one comes next.
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
      #expect(end.isActive, comment)
      pipe.goOn()
      #expect(pipe.initiator.isPaired && pipe.responder.isPaired, comment)
      return
    case .accepted:
      // Whatever it said, the right one is now the second.
      break
    case .refused:
      #expect(end.outcome == .refused(PairingFailure(rawValue: pdu[1])), comment)
    case .failed(let reason):
      #expect(end.outcome == .failed(reason), comment)
    }
    pipe.goOn()
    #expect(!end.isPaired, comment)
    #expect(!end.isActive || verdict == .accepted, comment)
  }

  @Test("Each PDU twice: the second ends it", arguments: PairingCase.varied)
  func repeated(way: PairingCase) {
    let whole = way.pipe()
    whole.run()
    for number in 0..<whole.log.count where !way.isLikeOthers(at: number) {
      let pipe = way.pipe()
      pipe.stopsBefore = { $0.number == number }
      pipe.run()
      guard let pdu = pipe.stopped else { continue }
      let end = pdu.sender == .initiator ? pipe.responder : pipe.initiator
      end.receive(pdu.bytes)
      let isOver = !end.isActive
      pipe.goOn()
      // After the last one the pairing is complete, and what comes is about nothing.
      #expect(!end.isPaired || isOver, "PDU \(number)")
    }
  }

  @Test("Each PDU cut short at each length, and too long", arguments: PairingCase.varied)
  func malformed(way: PairingCase) {
    let whole = way.pipe()
    whole.run()
    for pdu in whole.log where !way.isLikeOthers(at: pdu.number) {
      for wrong in truncations(of: pdu.bytes).dropFirst() + [pdu.bytes + [0]] {
        let pipe = way.pipe()
        pipe.onPDU = { $0.number == pdu.number ? wrong : $0.bytes }
        pipe.run()
        let receiver = pdu.sender == .initiator ? pipe.responder : pipe.initiator
        #expect(
          receiver.outcome == .failed(.invalidParameters), "PDU \(pdu.number), \(wrong.count) bytes"
        )
      }
    }
  }

  @Test("Nothing is taken before the PDUs owed have been sent")
  func hasty() {
    // The response waits for room; a public key comes already.
    let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
    var random = FixedRandom(seed: 5)
    end.receive(randomPDU(0x0C, &random))
    #expect(end.outcome == .failed(.unspecifiedReason))
  }

  @Test("A second public key, while the first one waits for ours to be made")
  func secondPublicKey() {
    let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
    _ = end.nextPDU()
    for privateKey: UInt32 in [1, 2] {
      var number = Number256.zero
      number.words[0] = privateKey
      let key = TestAgreement.publicKey(for: number)
      end.receive(written { PairingPublicKey(key).write(to: &$0) })
    }
    #expect(end.outcome == .failed(.unspecifiedReason))
  }

  @Test("No key for the controller before the peer has the last PDU that it needs")
  func hastyEncryption() {
    let request: [UInt8] = [3, 0, 0x01, 16, 0, 0]
    let end = LoneEnd.responder(request: [0x01] + request)
    _ = end.nextPDU()
    let nonce = Number128(words: [1, 2, 3, 4])
    let confirm = PairingFunctions.c1(
      k: .zero, r: nonce, preq: [0x01, 3, 0, 0x01, 16, 0, 0], pres: [0x02, 3, 0, 0x09, 16, 0, 0],
      initiator: initiatorAddress, responder: responderAddress)
    end.receive(written { PairingConfirm(confirmValue: confirm).write(to: &$0) })
    #expect(end.nextPDU()?.first == 0x03)
    end.receive(written { PairingRandom(randomValue: nonce).write(to: &$0) })
    // The key is known here, and not yet there: Pairing Random waits for room.
    let early = end.pairing.keyForRequest()
    #expect(early == nil)
    #expect(end.nextPDU()?.first == 0x04)
    let key = end.pairing.keyForRequest()
    #expect(key != nil)
  }
}

extension PairingCase {
  /// Whether the PDU belongs to the rounds of passkey entry after the first and before the last, which
  /// are like those.
  func isMonotonous(at number: Int) -> Bool {
    // Response, two public keys, then four PDUs a round.
    isSecureConnections && model.usesPasskey && number >= 3 + 4 && number < 3 + 19 * 4
  }

  /// Whether the PDU comes after the first round of passkey entry: what follows the last one is as
  /// without a passkey.
  func isLikeOthers(at number: Int) -> Bool {
    isSecureConnections && model.usesPasskey && number >= 3 + 4
  }
}
