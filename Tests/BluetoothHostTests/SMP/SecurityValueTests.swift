import BallTestSupport
import Expectations

@testable import BluetoothHost

private func bond(_ isAuthenticated: Bool, _ isSecureConnections: Bool, _ role: PairingRole) -> Bond
{
  Bond(
    identityAddress: initiatorAddress, longTermKey: .zero, isAuthenticated: isAuthenticated,
    isSecureConnections: isSecureConnections, role: role)
}

@Suite("Values of security")
struct SecurityValueTests {
  @Test("Each flag has its bit: Vol 3, Part H, 3.5.1 and 3.6.1")
  func bits() {
    expect(
      [AuthenticationRequirements.none, .bonding, .mitm, .secureConnections].map(\.rawValue),
      is: [0, 0x01, 0x04, 0x08])
    expect(
      [KeyDistribution.none, .encryptionKey, .identityKey, .signatureKey, .linkKey].map(\.rawValue),
      is: [0, 0x01, 0x02, 0x04, 0x08])
    expect(
      [LinkSecurity.none, .encrypted, .authenticated, .secureConnections, .bonded].map(\.rawValue),
      is: [0, 0x01, 0x02, 0x04, 0x08])
    expect(
      [IOCapability.displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay]
        .map(\.rawValue), is: [0, 1, 2, 3, 4])
  }

  @Test("Flags are combined bit by bit")
  func flags() {
    for left: UInt8 in 0...15 {
      for right: UInt8 in 0...15 {
        let (one, other) = (KeyDistribution(rawValue: left), KeyDistribution(rawValue: right))
        expect((one | other).rawValue, is: left | right)
        expect((one & other).rawValue, is: left & right)
        expect(one.subtracting(other).rawValue, is: left & ~right)
        expect(one.contains(other), is: left | right == left)
      }
    }
  }

  @Test("The security, the links and the strength of a bond")
  func bonds() {
    let all = [false, true].flatMap { isAuthenticated in
      [false, true].flatMap { isSecure in
        [PairingRole.initiator, .responder].map { bond(isAuthenticated, isSecure, $0) }
      }
    }
    for one in all {
      expect(one.security.contains(.encrypted | .bonded))
      expect(one.security.contains(.authenticated), is: one.isAuthenticated)
      expect(one.security.contains(.secureConnections), is: one.isSecureConnections)
      for role in [PairingRole.initiator, .responder] {
        expect(one.serves(role), is: one.isSecureConnections || one.role == role)
      }
      for other in all {
        let loses = other.security.subtracting(one.security) != .none
        expect(one.isWeaker(than: other), is: loses)
      }
    }
    expect(Bond.keySize, is: 16)
  }

  @Test("The defaults of the policies")
  func policies() {
    let pairing = PairingPolicy()
    expect(pairing.isOpen && pairing.bonds && !pairing.confirmsJustWorks)
    expect(pairing.ioCapability, is: .noInputNoOutput)
    expect(pairing.authentication, is: .wherePossible)
    expect(pairing.secureConnections, is: .wherePossible)
    let privacy = PrivacyPolicy()
    expect(!privacy.hidesIdentity && !privacy.admitsBondedOnly)
    expect(privacy.renewalInterval, is: 900)
  }

  @Test("A device without security refuses to pair, and answers nothing else")
  func refusal() {
    for code: UInt8 in 0...255 {
      for pdu in [[code], [code, 1, 2]] {
        let answer = written { NoSecurity.respond(to: pdu.span, response: &$0) }
        let expected: [UInt8] =
          switch code {
          case 0x01, 0x0B: [0x05, 0x05]
          case 0x05, 0x00, 0x0F...0xFF: []
          default: [0x05, 0x07]
          }
        expect(answer, is: expected, "\(code)")
      }
    }
    let empty: [UInt8] = []
    expect(written { NoSecurity.respond(to: empty.span, response: &$0) }, is: [])
  }

  @Test("A host without security has neither commands, PDUs, bonds nor private addresses")
  func noSecurity() {
    var none = NoSecurity()
    expect(!NoSecurity.isPresent)
    none.opened(.initiator, at: 0)
    none.keyRequested(encryptedDiversifier: 0, randomNumber: 0, at: 0, at: Instant(rawValue: 0))
    none.encryptionChanged(.success, isEncrypted: true, at: 0, at: Instant(rawValue: 0))
    none.noteActivity(of: ConnectionSet(0))
    none.encrypt(at: 0)
    none.takeRandomNumber(1)
    none.controllerStarted(features: .max)
    none.advance(to: Instant(rawValue: 1_000_000))
    let (hasCommand, isRequired) = (none.hasCommand(at: 0), none.requiresEncryption(at: 0))
    expect(!hasCommand && !isRequired)
    expect(
      [none.needsRandomNumber, none.hasPrivacyCommand, none.filtersConnections],
      is: [false, false, false])
    expect(none.deadline, is: nil)
    expect(none.security(at: 0), is: .none)
    expect(none.activeClients, is: .none)
    let start = none.takeEncryption(at: 0, at: Instant(rawValue: 0))
    let reply = none.takeKeyReply(at: 0)
    let recognition = none.takeRecognition(at: 0)
    let isChanged = none.takeChange(of: ClientState(), at: 0)
    let failure = none.takeEncryptionFailure(at: 0)
    expect(start == nil && reply == nil && recognition == nil && !isChanged && failure == nil)
    let address = none.makeAddress()
    let command = none.takePrivacyCommand()
    let accepted = none.finishPrivacyCommand(.leSetRandomAddress, .success, value: 0)
    expect(address == nil && command == nil && accepted == nil)
    // Every device may connect, and has the address that it uses.
    expect(none.admits(initiatorAddress), is: true)
    expect(none.identityAddress(of: initiatorAddress), is: initiatorAddress)
    expect(none.noteAdvertiser(initiatorAddress), is: initiatorAddress)
    expect(none.linkAddress(of: initiatorAddress), is: initiatorAddress)
    none.closed(at: 0)
  }
}
