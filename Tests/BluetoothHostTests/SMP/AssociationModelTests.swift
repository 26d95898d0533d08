import BluetoothHost
import Expectations

private let capabilities: [IOCapability] = [
  .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
]

/// Table 2.8 of Vol 3, Part H, 2.3.5.1: a line for each responder, a column for each initiator,
/// both in the order DisplayOnly, DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay.
///
/// J is Just Works, N numeric comparison, B a passkey entered at both; I and R are a passkey that
/// the initiator or the responder displays. Of two letters, the first is for legacy pairing.
private let table = [
  // DO  DYN  KO  NINO KD
  ["J", "J", "R", "J", "R"],
  ["J", "JN", "R", "J", "RN"],
  ["I", "I", "B", "J", "I"],
  ["J", "J", "J", "J", "J"],
  ["I", "IN", "R", "J", "IN"],
]

private func model(_ letter: Character?) -> AssociationModel? {
  switch letter {
  case "J": .justWorks
  case "N": .numericComparison
  case "B": .passkeyEnteredAtBoth
  case "I": .passkeyShownByInitiator
  case "R": .passkeyShownByResponder
  default: nil
  }
}

private func features(_ io: IOCapability, mitm: Bool, secureConnections: Bool) -> PairingFeatures {
  var requirements = AuthenticationRequirements.bonding
  if mitm { requirements = requirements | .mitm }
  if secureConnections { requirements = requirements | .secureConnections }
  return PairingFeatures(
    ioCapability: io, authenticationRequirements: requirements, initiatorKeys: .none,
    responderKeys: .none)
}

@Suite("Association models")
struct AssociationModelTests {
  @Test("Every pair of IO capabilities has the model of table 2.8; without MITM it is Just Works")
  func tableOfModels() throws {
    var count = 0
    for (row, responder) in capabilities.enumerated() {
      for (column, initiator) in capabilities.enumerated() {
        let cell = table[row][column]
        for isSecure in [false, true] {
          for (own, other) in [(true, true), (true, false), (false, true), (false, false)] {
            let found = AssociationModel(
              initiator: features(initiator, mitm: own, secureConnections: isSecure),
              responder: features(responder, mitm: other, secureConnections: isSecure))
            let letter = own || other ? (isSecure ? cell.last : cell.first) : "J"
            let expected = try #require(model(letter))
            expect(found, is: expected, "\(initiator), \(responder), SC \(isSecure)")
            count += 1
          }
        }
      }
    }
    // 5 × 5 pairs, two generations, four ways to require MITM.
    expect(count, is: 200)
  }

  @Test("The model is that of legacy pairing unless both sides support Secure Connections")
  func mixed() {
    for (one, other) in [(true, false), (false, true)] {
      expect(
        AssociationModel(
          initiator: features(.displayYesNo, mitm: true, secureConnections: one),
          responder: features(.displayYesNo, mitm: true, secureConnections: other)), is: .justWorks)
    }
  }

  @Test("All models but Just Works authenticate")
  func protection() {
    expect(!AssociationModel.justWorks.isAuthenticated)
    for model: AssociationModel in [
      .numericComparison, .passkeyShownByInitiator, .passkeyShownByResponder, .passkeyEnteredAtBoth,
    ] {
      expect(model.isAuthenticated)
      expect(model.usesPasskey, is: model != .numericComparison)
    }
  }
}
