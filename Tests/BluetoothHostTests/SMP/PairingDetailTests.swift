import BallTestSupport
import BluetoothHost
import Expectations

/// A key agreement with these results of its steps.
private struct ScriptedAgreement: KeyAgreement, ~Copyable {
  /// The results, `nil` for a step without one.
  var results: [KeyAgreementResult?] = []
  var isBusy = false
  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    if privateKey == .zero { throw .privateKey }
  }
  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {}
  mutating func step() -> KeyAgreementResult? { results.isEmpty ? nil : results.removeFirst() }
}

extension PairingEnd where Agreement: ~Copyable {
  fileprivate var hasPDU: Bool { pairing.hasPDU }
  fileprivate var needsStep: Bool { pairing.needsStep }
  fileprivate var isEncryptionPending: Bool { pairing.isEncryptionPending }
}

@Suite("Details of pairing")
struct PairingDetailTests {
  /// Legacy Just Works with a responder that uses these random numbers, up to the keys.
  private func legacyKeys(_ random: [UInt32], responderKeys: UInt8 = 0x01) -> [[UInt8]] {
    let nonce: [UInt32] = [1, 2, 3, 4]
    let end = PairingEnd(TestAgreement(), ListedRandom(nonce + random))
    end.respond(identity: responderIdentity, to: [0x01, 3, 0, 0x01, 16, 0, responderKeys])
    let response = end.nextPDU() ?? []
    expect(response, is: [0x02, 3, 0, 0x09, 16, 0, responderKeys])
    var bytes = InlineArray<7, UInt8>(repeating: 0)
    for index in 0..<7 { bytes[index] = response[index] }
    end.receive(
      pdu(
        0x03,
        PairingFunctions.c1(
          k: .zero, r: .zero, preq: [0x01, 3, 0, 0x01, 16, 0, responderKeys], pres: bytes,
          initiator: initiatorAddress, responder: responderAddress)))
    _ = end.nextPDU()
    end.receive(pdu(0x04, .zero))
    expect(end.pairing.keyForRequest(), is: nil, "before the last PDU was sent")
    _ = end.nextPDU()
    expect(end.pairing.keyForRequest() != nil, is: true)
    end.encrypted()
    var pdus: [[UInt8]] = []
    while let pdu = end.nextPDU() { pdus.append(pdu) }
    expect(end.isPaired)
    return pdus
  }

  @Test("A legacy key, EDIV and Rand are random; Rand is never 0")
  func legacyIdentifier() {
    let key = pdu(0x06, Number128(words: [5, 6, 7, 8]))
    for (number, rand): (UInt32, UInt8) in [(9, 9), (0, 1), (1, 1), (2, 2)] {
      expect(
        legacyKeys([5, 6, 7, 8, 0x000A_2345, number]),
        is: [key, [0x07, 0x45, 0x23, rand, 0, 0, 0, 0, 0, 0, 0]])
    }
    expect(
      legacyKeys([5, 6, 7, 8, 1, 2], responderKeys: 0x02),
      is: [
        pdu(0x08, responderIdentity.identityResolvingKey),
        [0x09, 0x01, 0xC1, 0xCF, 0x2D, 0x70, 0x13, 0xE7],
      ])
  }

  @Test("Of four random numbers, one has to be a private key")
  func privateKeys() {
    for zeros in 0...4 {
      let end = PairingEnd(
        TestAgreement(),
        ListedRandom([UInt32](repeating: 0, count: 8 * zeros) + [UInt32](repeating: 1, count: 8)))
      end.initiate(response: [0x02, 3, 0, 0x09, 16, 0, 0])
      expect(end.outcome, is: zeros < 4 ? nil : .failed(.unspecifiedReason), "\(zeros)")
      expect(end.needsStep, is: zeros < 4, "\(zeros)")
    }
  }

  @Test("A key agreement that stops, or has another result, fails the pairing")
  func agreement() {
    let key = TestAgreement.publicKey(for: Number256(words: [1, 0, 0, 0, 0, 0, 0, 0]))
    // The results of three steps, whether it is busy, and the code of the next PDU.
    let cases: [(label: String, [KeyAgreementResult?], isBusy: Bool, code: UInt8?)] = [
      ("it computes", [nil, nil, .publicKey(key)], true, 0x0C),
      ("it still computes", [nil, nil, nil], true, nil),
      ("it has stopped", [nil, nil, nil], false, 0x05),
      ("it has a shared key before the peer's key", [.sharedKey(.zero)], true, 0x05),
    ]
    for (label, results, isBusy, code) in cases {
      let end = PairingEnd(
        ScriptedAgreement(results: results, isBusy: isBusy), FixedRandom(seed: 1))
      end.initiate(response: [0x02, 3, 0, 0x09, 16, 0, 0])
      for time: UInt64 in 1...3 {
        end.pairing.step(at: at(time))
        end.collect()
      }
      expect(end.outcome, is: code == 0x05 ? .failed(.unspecifiedReason) : nil, "\(label)")
      expect(end.nextPDU()?.first, is: code, "\(label)")
    }
  }

  @Test("Only Just Works asks whether to pair, only by policy, and waits for the answer")
  func confirmation() {
    for way in PairingCase.all {
      for confirms in [false, true] {
        var careful = way
        careful.initiator.confirmsJustWorks = confirms
        careful.responder.confirmsJustWorks = confirms
        let pipe = careful.pipe().run()
        expect(pipe.initiator.isPaired && pipe.responder.isPaired, "\(way)")
        for end in [pipe.initiator, pipe.responder] {
          expect(
            end.prompts.contains(.confirmPairing), is: confirms && way.model == .justWorks,
            "\(way)")
        }
      }
    }
  }

  @Test("The timer restarts at each PDU that is received or queued, and not when one is sent")
  func timer() {
    let end = LoneEnd(TestAgreement(), FixedRandom(seed: 4))
    end.pairing.begin(.initiator, policy: PairingPolicy(), identity: nil, at: at(100))
    expect(end.deadline, is: at(30_100))
    _ = end.nextPDU(at: at(200))
    expect(end.deadline, is: at(30_100))
    end.receive([0x02, 3, 0, 0x09, 16, 0, 0], at: at(300))
    expect(end.deadline, is: at(30_300))
    end.work(at: at(400))
    expect(end.deadline, is: at(30_400), "the public key is queued")
    _ = end.nextPDU(at: at(500))
    expect(end.deadline, is: at(30_400))
    end.pairing.advance(to: at(30_399))
    expect(end.isActive)
    end.pairing.advance(to: at(30_400))
    expect(!end.isActive)
    expect(end.deadline, is: nil)
  }

  @Test("Encryption that ends while keys are distributed fails the pairing")
  func lostEncryption() {
    let events: [(HCIErrorCode, Bool, PairingOutcome?)] = [
      (.success, true, nil), (.success, false, .failed(.unspecifiedReason)),
      (.connectionTimeout, false, .failed(.unspecifiedReason)),
      (.connectionTimeout, true, .failed(.unspecifiedReason)),
    ]
    for (status, isEncrypted, outcome) in events {
      let pipe = PairingCase.all[0].pipe()
      pipe.stopsBefore = { $0.isEncrypted }
      pipe.run()
      expect(pipe.stopped != nil)
      let isConcerned = pipe.initiator.pairing.encryptionChanged(
        status, isEncrypted: isEncrypted, at: at(0))
      pipe.initiator.collect()
      expect(!isConcerned, "the key has been used already")
      expect(pipe.initiator.outcome, is: outcome)
    }
  }

  @Test("The keys after encryption restart the timer")
  func timerOfKeys() {
    let pipe = PairingCase.all[5].pipe()
    pipe.stopsBefore = { $0.bytes[0] == 0x04 && $0.sender == .responder }
    pipe.run()
    let key = pipe.responder.pairing.keyForRequest()
    expect(key != nil)
    expect(
      pipe.responder.pairing.encryptionChanged(.success, isEncrypted: true, at: at(5_000)), is: true
    )
    expect(pipe.responder.deadline, is: at(35_000))
    // Each sent key queues the next one.
    expect(pipe.responder.nextPDU(at: at(6_000))?.first, is: 0x06)
    expect(pipe.responder.deadline, is: at(36_000))
  }

  @Test("Secure Connections ignores the bit EncKey of a response")
  func ignoredKeys() {
    let pipe = PairingCase.all[0].pipe()
    // The initiator has requested EncKey and IdKey.
    pipe.onPDU = { pdu in pdu.bytes[0] == 0x02 ? Array(pdu.bytes.dropLast()) + [0x03] : pdu.bytes }
    pipe.run()
    expect(pipe.initiator.isPaired && pipe.responder.isPaired)
    expect(pipe.initiator.bond?.longTermKey, is: pipe.responder.bond?.longTermKey)
    expect(!pipe.log.contains { $0.bytes[0] == 0x06 })
  }

  @Test("A non-resolvable private address fits every identity")
  func nonresolvable() {
    let central = SecurityStation(identity: initiatorIdentity, seed: 1)
    let peripheral = SecurityStation(identity: responderIdentity, seed: 2)
    central.pairs(with: peripheral, from: DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 6]))
    expect(peripheral.bond()?.identityAddress, is: initiatorAddress)
    expect(peripheral.manager.security(at: 0).contains(.encrypted | .bonded))
  }

  @Test("Before its key is given, encryption does not concern the pairing")
  func earlyEncryption() {
    for role in [PairingRole.initiator, .responder] {
      let pipe = PairingCase.all[0].pipe()
      // After the last check, the controllers encrypt.
      pipe.stopsBefore = { $0.bytes[0] == 0x0D && $0.sender == .responder }
      pipe.run()
      let end = role == .initiator ? pipe.initiator : pipe.responder
      for (status, isEncrypted): (HCIErrorCode, Bool) in [
        (.success, true), (.success, false), (.pinOrKeyMissing, false),
      ] {
        expect(
          end.pairing.encryptionChanged(status, isEncrypted: isEncrypted, at: at(0)), is: false)
      }
      pipe.goOn()
      expect(pipe.initiator.isPaired && pipe.responder.isPaired)
    }
  }

  @Test("A key is pending for the initiator's controller once, and never for the responder's")
  func pendingKey() {
    let pipe = PairingCase.all[0].pipe()
    pipe.stopsBefore = { $0.bytes[0] == 0x0D && $0.sender == .responder }
    pipe.run()
    guard let check = pipe.stopped else {
      Issue.record("no check")
      return
    }
    expect(!pipe.initiator.isEncryptionPending)
    expect(pipe.initiator.pairing.takeEncryptionKey(), is: nil)
    pipe.initiator.receive(check.bytes)
    expect(pipe.initiator.isEncryptionPending)
    expect(!pipe.responder.isEncryptionPending)
    expect(pipe.initiator.pairing.keyForRequest(), is: nil)
    expect(pipe.responder.pairing.takeEncryptionKey(), is: nil)
    let key = pipe.initiator.pairing.takeEncryptionKey()
    expect(key != nil)
    expect(pipe.responder.pairing.keyForRequest(), is: key)
    expect(!pipe.initiator.isEncryptionPending)
    expect(pipe.initiator.pairing.takeEncryptionKey(), is: nil)
  }

  @Test(
    "A PDU waits until there is room for it", arguments: [PairingCase.all[0], PairingCase.all[5]])
  func room(way: PairingCase) {
    let whole = way.pipe().run()
    for pdu in whole.log {
      let pipe = way.pipe()
      pipe.stopsBefore = { $0.number == pdu.number - 1 }
      pipe.run()
      guard let last = pipe.stopped, last.sender != pdu.sender else { continue }
      let end = pdu.sender == .initiator ? pipe.initiator : pipe.responder
      end.receive(last.bytes)
      end.work()
      guard end.hasPDU else { continue }
      let short = written(capacity: pdu.bytes.count - 1) {
        expect(end.pairing.writePDU(to: &$0, at: at(0)), is: false)
      }
      expect(short == [] && end.hasPDU, "PDU \(pdu.number)")
      let bytes = written(capacity: pdu.bytes.count) {
        expect(end.pairing.writePDU(to: &$0, at: at(0)), is: true)
      }
      expect(bytes, is: pdu.bytes, "PDU \(pdu.number)")
    }
  }

  @Test("A bond needs both to store keys, a key, and a way to recognise the peer")
  func bonds() {
    let resolvable = resolvableAddress(of: initiatorIdentity, prand: 9)
    let nonresolvable = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 6])
    // The initiator's address, and whether it pairs with Secure Connections and bonds; the bond.
    let cases: [(label: String, DeviceAddress, isSecure: Bool, bonds: Bool, hasBond: Bool)] = [
      ("Secure Connections, an identity address", initiatorAddress, true, true, true),
      ("Secure Connections, resolvable", resolvable, true, true, false),
      ("Secure Connections, non-resolvable", nonresolvable, true, true, false),
      ("legacy, an identity address", initiatorAddress, false, true, true),
      ("legacy, resolvable", resolvable, false, true, true),
      ("Secure Connections, no bonding", initiatorAddress, true, false, false),
      ("legacy, no bonding", initiatorAddress, false, false, false),
    ]
    for (label, address, isSecure, bonds, hasBond) in cases {
      let initiator = LoneEnd(TestAgreement(), FixedRandom(seed: 1))
      let responder = LoneEnd(TestAgreement(), FixedRandom(seed: 2))
      let pipe = PairingPipe(initiator: initiator, responder: responder)
      let request = initiator.initiate(
        PairingPolicy(secureConnections: isSecure ? .wherePossible : .notOffered, bonds: bonds),
        on: PairingLink(role: .initiator, ownAddress: address, peerAddress: responderAddress))
      responder.respond(
        on: PairingLink(role: .responder, ownAddress: responderAddress, peerAddress: address),
        to: request ?? [])
      pipe.run()
      expect(initiator.isPaired && responder.isPaired, "\(label)")
      expect((responder.bond != nil), is: hasBond, "\(label)")
    }
  }
}
