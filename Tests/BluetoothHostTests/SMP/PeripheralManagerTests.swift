import BallTestSupport
import BluetoothHost
import Expectations

private let request: [UInt8] = [0x01, 3, 0, 0x09, 16, 0, 0]

private let bond = Bond(
  identityAddress: initiatorAddress, longTermKey: Number128(words: [1, 2, 3, 4]),
  isAuthenticated: false, isSecureConnections: true, role: .responder)

/// A delegate of a device that is never the central, and has no private addresses.
private struct PeripheralDelegate: PairingDelegate {
  static var isEverCentral: Bool { false }
  static var keepsPrivacy: Bool { false }
  var outcomes: [PairingOutcome] = []
  mutating func show(_ prompt: PairingPrompt, at index: Int) {}
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) { outcomes.append(outcome) }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {}
}

private typealias Manager<Random: SecureRandomNumberGenerator> = SecurityManager<
  1, TestAgreement, Random, BondTable<2>, PeripheralDelegate
>

private func makeManager<Random: SecureRandomNumberGenerator>(
  _ random: Random, _ bonds: consuming BondTable<2> = BondTable()
) -> Manager<Random> {
  Manager(
    policy: PairingPolicy(), identity: initiatorIdentity, bonds: bonds,
    delegate: PeripheralDelegate(), agreement: TestAgreement(), random: random)
}

@Suite("Parts of the Security Manager that a device leaves out")
struct PeripheralManagerTests {
  @Test("A device that is never the central keeps neither lists nor private addresses")
  func peripheral() {
    var bonds = BondTable<2>()
    bonds.store(bond)
    var manager = makeManager(FixedRandom(seed: 1), bonds)
    manager.privacy = PrivacyPolicy(hidesIdentity: true, admitsBondedOnly: true)
    expect(manager.makeAddress(), is: nil)
    manager.controllerStarted(features: .max)
    expect(manager.hasPrivacyCommand, is: false)
    expect(manager.takePrivacyCommand(), is: nil)
    expect(manager.finishPrivacyCommand(.leSetRandomAddress, .success, value: 0), is: nil)
    expect(manager.filtersConnections, is: false)
    expect(manager.admits(responderAddress), is: true)
    expect(manager.deadline, is: nil)
    manager.advance(to: at(1_000_000))
    expect(manager.deadline, is: nil)
    manager.removeBond(at: 0)
    expect(manager.hasPrivacyCommand, is: false)
  }

  @Test("It pairs only as the peripheral")
  func role() {
    var bonds = BondTable<2>()
    bonds.store(bond)
    var manager = makeManager(FixedRandom(seed: 1), bonds)
    manager.opened(
      PairingLink(role: .initiator, ownAddress: responderAddress, peerAddress: initiatorAddress),
      at: 0)
    expect(manager.requiresEncryption(at: 0), is: false)
    expect(manager.secure(at: 0, at: at(0)), is: true)
    expect(manager.hasCommand(at: 0), is: false)
    expect(manager.takeEncryption(at: 0, at: at(0)), is: nil)
    let securityRequest: [UInt8] = [0x0B, 0x01]
    manager.receive(securityRequest.span, at: 0, at: at(0))
    let pdu = written { _ = manager.writePDU(at: 0, to: &$0, at: at(0)) }
    expect(pdu, is: [0x05, 0x07])
  }

  @Test("Without random numbers no peer can pair, until the controller has given four")
  func seed() {
    // The controller's numbers, `nil` for a refusal; whether more are needed, and a peer can pair.
    let cases: [([UInt64?], needs: Bool, pairs: Bool)] = [
      ([], true, false), ([1, 2, 3], true, false), ([1, 2, 3, 4], false, true),
      ([1, 2, 3, 4, nil], false, true), ([nil], false, false), ([1, 2, nil], false, false),
      ([1, 1], false, false), ([1, 2, 3, 3], false, false), ([0, 1, 2, 3], false, true),
    ]
    for (numbers, needs, pairs) in cases {
      var manager = makeManager(CounterRandom())
      manager.opened(.responder, at: 0)
      for number in numbers { manager.takeRandomNumber(number) }
      expect(manager.needsRandomNumber, is: needs, "\(numbers)")
      manager.receive(request.span, at: 0, at: at(0))
      let pdu = written { _ = manager.writePDU(at: 0, to: &$0, at: at(0)) }
      expect(pdu.first, is: pairs ? 0x02 : 0x05, "\(numbers)")
      expect(pairs || pdu == [0x05, 0x05], "\(numbers)")
      // A reset controller may have random numbers.
      manager.controllerStarted(features: 0)
      expect(manager.needsRandomNumber, is: !pairs, "\(numbers)")
    }
  }
}
