import BluetoothHost
import Expectations

@Suite("Interrupted pairing")
struct PairingLossTests {
  @Test(
    "A link that ends before a PDU arrives leaves no bond at its receiver",
    arguments: PairingCase.varied)
  func loss(way: PairingCase) {
    let whole = way.pipe().run()
    for lost in 0..<whole.log.count where !way.isRepeatedRound(at: lost) {
      let pipe = way.pipe()
      pipe.onPDU = { $0.number == lost ? nil : $0.bytes }
      pipe.run()
      expect(pipe.log.count, is: lost + 1)
      // The sender of the last key has finished; the key is lost.
      let isLast = lost == whole.log.count - 1
      expect(pipe.initiator.isPaired, is: isLast, "PDU \(lost)")
      expect(!pipe.responder.isPaired, "PDU \(lost)")
      for end in [pipe.initiator, pipe.responder] {
        expect(end.isPaired || end.outcome == .linkLost, "PDU \(lost)")
        expect(!end.isActive)
        expect(end.nextPDU(), is: nil, "the link has ended")
      }
    }
  }

  @Test("30 s without a PDU end the pairing at any point", arguments: PairingCase.varied)
  func timeout(way: PairingCase) {
    let whole = way.pipe().run()
    for stop in 0..<whole.log.count where !way.isRepeatedRound(at: stop) {
      let pipe = way.pipe()
      pipe.stopsBefore = { $0.number == stop }
      pipe.run()
      for end in [pipe.initiator, pipe.responder] where end.isActive {
        // Every PDU so far was at 0.
        expect(end.deadline, is: Instant(rawValue: 30_000))
        end.pairing.advance(to: Instant(rawValue: 29_999))
        end.collect()
        expect(end.isActive)
        end.pairing.advance(to: Instant(rawValue: 30_000))
        end.collect()
        expect(end.outcome, is: .timedOut, "before PDU \(stop)")
        expect(!end.isActive)
        expect(end.nextPDU(), is: nil, "SMP has ended on this link, without Pairing Failed")
      }
    }
  }

  @Test("A reserved code, or a Security Request while pairing, is ignored")
  func ignored() {
    let end = LoneEnd.initiator(response: [0x02, 3, 0, 0x01, 16, 0, 0])
    let deadline = end.deadline
    for code: UInt8 in [0x00, 0x0F, 0x10, 0xFF, 0x0B] {
      end.receive([code, 0x01], at: Instant(rawValue: 10_000))
      expect(end.isActive)
      expect(end.deadline, is: deadline)
    }
  }

  @Test("A failed encryption prevents the bond", arguments: PairingCase.all)
  func encryptionFails(way: PairingCase) {
    let pipe = way.pipe()
    pipe.encryptionStatus = .pinOrKeyMissing
    pipe.run()
    expect(pipe.initiator.outcome, is: .encryptionFailed(.pinOrKeyMissing))
    expect(pipe.responder.outcome, is: .encryptionFailed(.pinOrKeyMissing))
    expect(pipe.initiator.security == nil && pipe.responder.security == nil)
  }

  @Test("The peer's Pairing Failed is the outcome, and is not answered")
  func peerFails() {
    for reason: UInt8 in 0...255 {
      let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
      end.receive([0x05, reason])
      expect(end.outcome, is: .refused(PairingError(rawValue: reason)))
      expect(end.nextPDU(), is: nil)
    }
    for wrong: [UInt8] in [[0x05], [0x05, 1, 2]] {
      let end = LoneEnd.responder(request: [0x01, 3, 0, 0x09, 16, 0, 0])
      end.receive(wrong)
      expect(
        end.outcome, is: .refused(.unspecifiedReason),
        "a malformed Pairing Failed ends the pairing, too")
    }
  }

  @Test("A user's refusal ends the pairing")
  func userRefuses() {
    for (way, isInitiator) in [1, 2, 3, 6, 7].flatMap({
      [(PairingCase.all[$0], true), (PairingCase.all[$0], false)]
    }) {
      let pipe = way.pipe()
      let end = isInitiator ? pipe.initiator : pipe.responder
      let other = isInitiator ? pipe.responder : pipe.initiator
      // The users answer only below.
      pipe.answers = false
      pipe.run()
      switch end.prompts.last {
      case .compareNumber:
        expect(end.confirm(false))
        expect(end.outcome, is: .failed(.numericComparisonFailed))
      case .enterPasskey:
        expect(end.enterPasskey(nil))
        expect(end.outcome, is: .failed(.passkeyEntryFailed))
      default:
        // This device shows the passkey, and has no prompt.
        expect(!end.confirm(true))
        expect(!end.enterPasskey(1))
        continue
      }
      pipe.run()
      guard case .refused = other.outcome else {
        Issue.record("\(way), \(String(describing: other.outcome))")
        continue
      }
    }
  }

  @Test(
    "A wrong passkey prevents the bond", arguments: PairingCase.all.filter { $0.model.usesPasskey })
  func wrongPasskey(way: PairingCase) {
    // Each of the 20 bits is wrong once.
    for bit in 0..<20 {
      let pipe = way.pipe()
      pipe.answers = false
      pipe.run()
      var right: UInt32 = 0
      for case .showPasskey(let passkey) in pipe.initiator.prompts + pipe.responder.prompts {
        right = passkey
      }
      let wrong = right ^ (1 << UInt32(bit))
      guard wrong < 1_000_000 else { continue }
      for (index, end) in [pipe.initiator, pipe.responder].enumerated()
      where end.prompts.last == .enterPasskey {
        // Where both enter, they differ.
        expect(end.enterPasskey(way.model == .passkeyEnteredAtBoth && index == 0 ? right : wrong))
      }
      pipe.run()
      expect(!pipe.initiator.isPaired && !pipe.responder.isPaired)
      let outcomes = [pipe.initiator.outcome, pipe.responder.outcome]
      expect(outcomes.contains(.failed(.confirmValueFailed)), "bit \(bit)")
      expect(outcomes.contains(.refused(.confirmValueFailed)), "bit \(bit)")
    }
  }

  @Test("An unrequested or invalid answer of the user is refused")
  func strayAnswers() {
    let pipe = PairingCase.all[3].pipe()
    pipe.answers = false
    expect(!pipe.initiator.enterPasskey(1), "before the prompt")
    pipe.run()
    expect(pipe.initiator.prompts, is: [.enterPasskey])
    expect(!pipe.initiator.confirm(true))
    expect(!pipe.initiator.enterPasskey(1_000_000))
    expect(pipe.initiator.enterPasskey(999_999))
    expect(!pipe.initiator.enterPasskey(999_999), "only once")
  }
}
