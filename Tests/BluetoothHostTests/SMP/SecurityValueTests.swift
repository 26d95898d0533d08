import BallTestSupport
import Testing

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
    #expect(
      [AuthenticationRequirements.none, .bonding, .mitm, .secureConnections].map(\.rawValue)
        == [0, 0x01, 0x04, 0x08])
    #expect(
      [KeyDistribution.none, .encryptionKey, .identityKey, .signatureKey, .linkKey].map(\.rawValue)
        == [0, 0x01, 0x02, 0x04, 0x08])
    #expect(
      [LinkSecurity.none, .encrypted, .authenticated, .secureConnections, .bonded].map(\.rawValue)
        == [0, 0x01, 0x02, 0x04, 0x08])
    #expect(
      [IOCapability.displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay]
        .map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test("Flags are combined bit by bit")
  func flags() {
    for left: UInt8 in 0...15 {
      for right: UInt8 in 0...15 {
        let (one, other) = (KeyDistribution(rawValue: left), KeyDistribution(rawValue: right))
        #expect((one | other).rawValue == left | right)
        #expect((one & other).rawValue == left & right)
        #expect(one.subtracting(other).rawValue == left & ~right)
        #expect(one.contains(other) == (left | right == left))
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
      #expect(one.security.contains(.encrypted | .bonded))
      #expect(one.security.contains(.authenticated) == one.isAuthenticated)
      #expect(one.security.contains(.secureConnections) == one.isSecureConnections)
      for role in [PairingRole.initiator, .responder] {
        #expect(one.serves(role) == (one.isSecureConnections || one.role == role))
      }
      for other in all {
        let loses = other.security.subtracting(one.security) != .none
        #expect(one.isWeaker(than: other) == loses)
      }
    }
    #expect(Bond.keySize == 16)
  }

  @Test("Numbers beyond the last bond change nothing")
  func numbersOfBonds() {
    var table = BondTable<3>()
    for role in [PairingRole.initiator, .responder] {
      var bond = bond(true, true, role)
      if role == .responder { bond.identityAddress = responderAddress }
      table.store(bond)
    }
    let (first, second) = (table.bond(at: 0), table.bond(at: 1))
    table.markKept()
    for index in [-1, 0, 2, 3, Int.max, Int.min] {
      table.markUsed(at: index)
      if index != 0 { table.remove(at: index) }
      let (one, other) = (table.bond(at: 0), table.bond(at: 1))
      #expect(one == first && other == second, "\(index)")
      let (count, isChanged) = (table.count, table.isChanged)
      #expect(count == 2 && !isChanged, "\(index)")
    }
    table.markUsed(at: 1)
    let (one, other) = (table.bond(at: 0), table.bond(at: 1))
    #expect(one == second && other == first)
  }

  @Test("The defaults of the policies")
  func policies() {
    let pairing = PairingPolicy()
    #expect(pairing.isOpen && pairing.bonds && !pairing.confirmsJustWorks)
    #expect(pairing.ioCapability == .noInputNoOutput)
    #expect(pairing.authentication == .wherePossible)
    #expect(pairing.secureConnections == .wherePossible)
    let privacy = PrivacyPolicy()
    #expect(!privacy.hidesIdentity && !privacy.admitsBondedOnly)
    #expect(privacy.renewalInterval == 900)
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
        #expect(answer == expected, "\(code)")
      }
    }
    let empty: [UInt8] = []
    #expect(written { NoSecurity.respond(to: empty.span, response: &$0) } == [])
  }

  @Test("A host without security has neither commands, PDUs, bonds nor private addresses")
  func noSecurity() {
    var none = NoSecurity()
    #expect(!NoSecurity.isPresent)
    none.opened(.initiator, at: 0)
    none.keyRequested(
      encryptedDiversifier: 0, randomNumber: 0, at: 0, at: Instant(rawValue: 0))
    none.encryptionChanged(.success, isEncrypted: true, at: 0, at: Instant(rawValue: 0))
    none.noteActivity(of: ConnectionSet(0))
    none.encrypt(at: 0)
    none.takeRandomNumber(1)
    none.controllerStarted(features: .max)
    none.advance(to: Instant(rawValue: 1_000_000))
    let (hasCommand, isRequired) = (none.hasCommand(at: 0), none.requiresEncryption(at: 0))
    #expect(!hasCommand && !isRequired)
    let flags = [none.needsRandomNumber, none.hasPrivacyCommand, none.filtersConnections]
    #expect(flags == [false, false, false])
    #expect(none.deadline == nil)
    #expect(none.security(at: 0) == .none)
    #expect(none.activeClients == .none)
    let start = none.takeEncryption(at: 0, at: Instant(rawValue: 0))
    let reply = none.takeKeyReply(at: 0)
    let recognition = none.takeRecognition(at: 0)
    let isChanged = none.takeChange(of: ClientState(), at: 0)
    let failure = none.takeEncryptionFailure(at: 0)
    #expect(start == nil && reply == nil && recognition == nil && !isChanged && failure == nil)
    let address = none.makePrivateAddress()
    let command = none.takePrivacyCommand()
    let accepted = none.finishPrivacyCommand(.leSetRandomAddress, .success, value: 0)
    #expect(address == nil && command == nil && accepted == nil)
    // Every device may connect, and has the address that it uses.
    let isAdmitted = none.admits(initiatorAddress)
    #expect(isAdmitted)
    #expect(none.identityAddress(of: initiatorAddress) == initiatorAddress)
    let noted = none.noteAdvertiser(initiatorAddress)
    #expect(noted == initiatorAddress)
    #expect(none.linkAddress(of: initiatorAddress) == initiatorAddress)
    none.closed(at: 0)
  }
}

@Suite("Which failing devices are remembered")
struct AttemptMemoryTests {
  private func address(_ number: UInt8) -> DeviceAddress {
    .staticRandom([number, 0, 0, 0, 0, 0])
  }

  private func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

  @Test("In a full limiter the device whose delay ends first is replaced, at any place")
  func replaced() {
    // The times of the failures of the devices 1, 2 and 3, and the device that is forgotten.
    let cases: [(times: [UInt64], forgotten: UInt8)] = [
      ([0, 1, 2], 1), ([1, 0, 2], 2), ([2, 1, 0], 3), ([1, 2, 0], 3), ([2, 0, 1], 2),
      ([0, 2, 1], 1), ([5, 5, 5], 1), ([6, 5, 5], 2),
    ]
    for (times, forgotten) in cases {
      var limiter = AttemptLimiter<3>()
      for number: UInt8 in 1...3 {
        limiter.noteFailure(address(number), at: at(times[Int(number) - 1]))
      }
      limiter.noteFailure(address(4), at: at(6))
      for number: UInt8 in 1...4 {
        #expect(
          limiter.isAllowed(address(number), at: at(6)) == (number == forgotten),
          "\(times), \(number)")
      }
    }
  }

  @Test("A success makes room, so that no failing device is forgotten")
  func freed() {
    for succeeded: UInt8 in 1...3 {
      var limiter = AttemptLimiter<3>()
      for number: UInt8 in 1...3 { limiter.noteFailure(address(number), at: at(0)) }
      limiter.noteSuccess(address(succeeded))
      limiter.noteSuccess(address(9))
      limiter.noteFailure(address(4), at: at(0))
      for number: UInt8 in 1...4 {
        #expect(limiter.isAllowed(address(number), at: at(999)) == (number == succeeded))
        #expect(limiter.isAllowed(address(number), at: at(1_000)))
      }
    }
  }

  @Test("Failures beyond the seventh are not counted, and quiet minutes forget one each")
  func forgotten() {
    // After ten failures at 0 the delay ends at 64 s. The quiet minutes, and the next delay.
    for (minutes, wait): (UInt64, UInt64) in [
      (0, 64_000), (1, 64_000), (2, 32_000), (3, 16_000), (5, 4_000), (6, 2_000), (7, 1_000),
      (8, 1_000),
    ] {
      var limiter = AttemptLimiter<1>()
      for _ in 0..<10 { limiter.noteFailure(address(1), at: at(0)) }
      #expect(!limiter.isAllowed(address(1), at: at(63_999)))
      let time = 64_000 + minutes * 60_000
      limiter.noteFailure(address(1), at: at(time))
      #expect(!limiter.isAllowed(address(1), at: at(time + wait - 1)), "\(minutes)")
      #expect(limiter.isAllowed(address(1), at: at(time + wait)), "\(minutes)")
    }
  }
}
