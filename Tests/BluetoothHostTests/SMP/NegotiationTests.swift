import BallTestSupport
import BluetoothHost
import Expectations

/// One device, whose peer is the test.
typealias LoneEnd = PairingEnd<TestAgreement, FixedRandom>

extension PairingEnd where Agreement == TestAgreement, Random == FixedRandom {
  /// A responder that has received this Pairing Request.
  static func responder(
    _ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity? = responderIdentity,
    request: [UInt8]
  ) -> LoneEnd {
    let end = LoneEnd(TestAgreement(), FixedRandom(seed: 3))
    end.respond(policy, identity: identity, to: request)
    return end
  }

  /// An initiator that has sent its Pairing Request and received this Pairing Response.
  static func initiator(
    _ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity? = initiatorIdentity,
    response: [UInt8]
  ) -> LoneEnd {
    let end = LoneEnd(TestAgreement(), FixedRandom(seed: 4))
    end.initiate(policy, identity: identity, response: response)
    return end
  }
}

/// A peer's features (IO, OOB, AuthReq, key size, initiator's keys, responder's keys), why they are
/// refused, or `nil` if pairing goes on, and this device's policy.
private typealias FeatureOffer = (features: [UInt8], failure: PairingError?, policy: PairingPolicy)

private let usual = PairingPolicy()
private let secureOnly = PairingPolicy(secureConnections: .required)
private let authenticated = PairingPolicy(ioCapability: .displayYesNo, authentication: .required)

private let offers: [Row<FeatureOffer>] = [
  Row("a phone: Secure Connections", ([4, 0, 0x0D, 16, 0x02, 0x03], nil, usual)),
  Row("legacy", ([4, 0, 0x05, 16, 0x02, 0x03], nil, usual)),
  Row("reserved bits", ([4, 0, 0xCD, 16, 0x02, 0x03], nil, usual)),
  Row("a key of 15 bytes", ([4, 0, 0x0D, 15, 0, 0], .encryptionKeySize, usual)),
  Row("a key of 7 bytes", ([4, 0, 0x01, 7, 0, 0], .encryptionKeySize, usual)),
  Row("a key of 6 bytes", ([4, 0, 0x01, 6, 0, 0], .invalidParameters, usual)),
  Row("a key of 17 bytes", ([4, 0, 0x01, 17, 0, 0], .invalidParameters, usual)),
  Row("a reserved IO capability", ([5, 0, 0x01, 16, 0, 0], .invalidParameters, usual)),
  Row("a reserved OOB data flag", ([3, 2, 0x01, 16, 0, 0], .invalidParameters, usual)),
  Row("one byte too few", ([3, 0, 0x01, 16, 0], .invalidParameters, usual)),
  Row("one byte too many", ([3, 0, 0x01, 16, 0, 0, 0], .invalidParameters, usual)),
  Row(
    "OOB data of this device, which it never gave",
    ([3, 1, 0x0D, 16, 0, 0], .oobNotAvailable, usual)),
  Row("OOB data with legacy pairing, which needs both", ([3, 1, 0x05, 16, 0, 0], nil, usual)),
  Row(
    "legacy, though Secure Connections are required",
    ([3, 0, 0x01, 16, 0, 0], .authenticationRequirements, secureOnly)),
  Row("Secure Connections only", ([3, 0, 0x09, 16, 0, 0], nil, secureOnly)),
  Row(
    "no IO, though authentication is required",
    ([3, 0, 0x0D, 16, 0, 0], .authenticationRequirements, authenticated)),
  Row(
    "a display, though authentication is required", ([1, 0, 0x09, 16, 0, 0], nil, authenticated)),
  Row(
    "legacy with two displays, which gives Just Works",
    ([1, 0, 0x05, 16, 0, 0], .authenticationRequirements, authenticated)),
]

@Suite("Pairing features")
struct NegotiationTests {
  @Test("A Pairing Request is accepted or refused", arguments: offers)
  fileprivate func request(row: Row<FeatureOffer>) {
    let offer = row.value
    let end = LoneEnd.responder(offer.policy, request: [0x01] + offer.features)
    expect(end.outcome, is: offer.failure.map { .failed($0) })
    let answer = end.nextPDU()
    expect(answer?.first, is: offer.failure == nil ? 0x02 : 0x05)
    if let failure = offer.failure { expect(answer, is: [0x05, failure.rawValue]) }
    expect(end.isActive, is: offer.failure == nil)
  }

  @Test("A Pairing Response is accepted or refused", arguments: offers)
  fileprivate func response(row: Row<FeatureOffer>) {
    let offer = row.value
    let end = LoneEnd.initiator(offer.policy, response: [0x02] + offer.features)
    expect(end.outcome, is: offer.failure.map { .failed($0) })
    expect(end.isActive, is: offer.failure == nil)
    if let failure = offer.failure {
      expect(end.nextPDU(), is: [0x05, failure.rawValue])
      expect(end.nextPDU(), is: nil)
    }
  }

  /// Vol 3, Part H, 3.6.1: four of the eight bits are reserved, and ignored.
  @Test("A response with keys that were not requested is refused", arguments: 0...255)
  func keysOfResponse(keys: UInt8) throws {
    // The request offers the initiator's IdKey, and requests EncKey and IdKey.
    for (initiators, responders): (UInt8, UInt8) in [(keys, 0x03), (0x02, keys)] {
      let end = LoneEnd.initiator(response: [0x02, 3, 0, 0x09, 16, initiators, responders])
      let isRight = initiators & 0x0D == 0 && responders & 0x0C == 0
      expect(end.isActive, is: isRight)
      expect(end.outcome, is: isRight ? nil : .failed(.invalidParameters))
    }
  }

  @Test("The responder chooses keys that both devices use")
  func keysAnswered() throws {
    // AuthReq, keys of the initiator and of the responder; the same of the response.
    let cases: [(UInt8, UInt8, UInt8, UInt8, UInt8)] = [
      // Secure Connections: no EncKey, and never SignKey or LinkKey.
      (0x0D, 0x0F, 0x0F, 0x02, 0x02), (0x0D, 0x00, 0x00, 0x00, 0x00), (0x0D, 0x01, 0x01, 0, 0),
      // Legacy: EncKey of the responder, which is the peripheral.
      (0x05, 0x0F, 0x0F, 0x02, 0x03), (0x05, 0x01, 0x01, 0x00, 0x01),
      // No bonding: no keys.
      (0x0C, 0x0F, 0x0F, 0x00, 0x00), (0x04, 0x0F, 0x0F, 0x00, 0x00),
    ]
    for (requirements, initiators, responders, expectedInitiators, expectedResponders) in cases {
      let end = LoneEnd.responder(request: [0x01, 3, 0, requirements, 16, initiators, responders])
      expect(
        end.nextPDU(), is: [0x02, 3, 0, 0x09, 16, expectedInitiators, expectedResponders],
        "\(requirements), \(initiators), \(responders)")
    }
  }

  @Test("A device without an identity requests only the peer's")
  func withoutIdentity() {
    let end = LoneEnd.responder(identity: nil, request: [0x01, 3, 0, 0x0D, 16, 0x03, 0x03])
    expect(end.nextPDU(), is: [0x02, 3, 0, 0x09, 16, 0x02, 0x00])
  }

  @Test("AuthReq follows the policy")
  func requirements() {
    let policies: [(PairingPolicy, UInt8)] = [
      (PairingPolicy(), 0x09),
      (PairingPolicy(ioCapability: .displayYesNo), 0x0D),
      (PairingPolicy(ioCapability: .displayYesNo, authentication: .optional), 0x09),
      (PairingPolicy(ioCapability: .noInputNoOutput, authentication: .required), 0x0D),
      (PairingPolicy(secureConnections: .notOffered), 0x01),
      (PairingPolicy(bonds: false), 0x08),
    ]
    for (policy, byte) in policies {
      let end = LoneEnd(TestAgreement(), FixedRandom(seed: 1))
      let request = end.initiate(policy)
      expect(request?[3], is: byte, "\(policy)")
      expect(request?[5], is: 0x00, "no identity, no keys of the initiator")
      expect(request?[6], is: policy.bonds ? 0x03 : 0x00)
    }
  }

  @Test("Without bonding on both sides, the link is encrypted and no bond is kept")
  func noBonding() {
    for (one, other) in [(true, false), (false, true), (false, false)] {
      var way = PairingCase.all[0]
      way.initiator.bonds = one
      way.responder.bonds = other
      let pipe = way.pipe().run()
      expect(pipe.initiator.outcome, is: .paired(nil))
      expect(pipe.responder.outcome, is: .paired(nil))
      expect(pipe.log.allSatisfy { !$0.isEncrypted }, "no keys are distributed")
      expect(pipe.initiator.security, is: .encrypted | .secureConnections)
    }
  }
}
