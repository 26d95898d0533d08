import BallTestSupport
import BluetoothHost
import Expectations

/// One way to pair: a generation and an association model.
struct PairingCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let isSecureConnections: Bool
  let model: AssociationModel
  var initiator: PairingPolicy
  var responder: PairingPolicy

  init(
    _ label: String, legacy: Bool = false, _ model: AssociationModel, _ initiator: IOCapability,
    _ responder: IOCapability
  ) {
    testDescription = (legacy ? "legacy, " : "Secure Connections, ") + label
    isSecureConnections = !legacy
    self.model = model
    // The initiator selects the generation; the responder supports both.
    self.initiator = PairingPolicy(
      ioCapability: initiator, secureConnections: legacy ? .notOffered : .wherePossible)
    self.responder = PairingPolicy(ioCapability: responder)
  }

  /// All ways.
  static let all = [
    PairingCase("Just Works", .justWorks, .keyboardDisplay, .noInputNoOutput),
    PairingCase("numeric comparison", .numericComparison, .keyboardDisplay, .displayYesNo),
    PairingCase(
      "passkey shown by the initiator", .passkeyShownByInitiator, .displayYesNo, .keyboardOnly),
    PairingCase(
      "passkey shown by the responder", .passkeyShownByResponder, .keyboardDisplay, .displayOnly),
    PairingCase("passkey entered at both", .passkeyEnteredAtBoth, .keyboardOnly, .keyboardOnly),
    PairingCase("Just Works", legacy: true, .justWorks, .displayYesNo, .displayYesNo),
    PairingCase(
      "passkey shown by the initiator", legacy: true, .passkeyShownByInitiator, .keyboardDisplay,
      .keyboardDisplay),
    PairingCase(
      "passkey shown by the responder", legacy: true, .passkeyShownByResponder, .keyboardDisplay,
      .displayYesNo),
    PairingCase(
      "passkey entered at both", legacy: true, .passkeyEnteredAtBoth, .keyboardOnly, .keyboardOnly),
  ]

  /// All but passkey entry with Secure Connections, which has 80 more PDUs.
  static let short = all.filter { !$0.isSecureConnections || !$0.model.usesPasskey }

  /// The short ones, and one with 80 PDUs more.
  static let varied = short + [all[4]]

  /// Two devices; the initiator has begun.
  func pipe(
    seed: UInt64 = 7, checksCurve: Bool = true, request: (([UInt8]) -> [UInt8])? = nil
  ) -> PairingPipe<TestAgreement, FixedRandom> {
    let initiator = PairingEnd(TestAgreement(checksCurve: checksCurve), FixedRandom(seed: seed))
    let responder = PairingEnd(
      TestAgreement(checksCurve: checksCurve), FixedRandom(seed: seed &+ 1))
    return begin(initiator, responder, request: request)
  }

  /// The pipe between two devices; the initiator begins.
  func begin<Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator>(
    _ initiator: PairingEnd<Agreement, Random>, _ responder: PairingEnd<Agreement, Random>,
    request change: (([UInt8]) -> [UInt8])? = nil
  ) -> PairingPipe<Agreement, Random> {
    let pipe = PairingPipe(initiator: initiator, responder: responder)
    for end in [initiator, responder] {
      end.prompts = []
      end.outcome = nil
    }
    guard let request = initiator.initiate(self.initiator, identity: initiatorIdentity) else {
      return pipe
    }
    responder.respond(self.responder, identity: responderIdentity, to: change?(request) ?? request)
    return pipe
  }
}
