import BluetoothHost
import Expectations

@Suite("Pairing of two devices")
struct PairingTests {
  @Test("Both ends have the same key and each other's identity", arguments: PairingCase.all)
  func pair(way: PairingCase) throws {
    let pipe = way.pipe().run()
    let initiator = try #require(
      pipe.initiator.bond, "\(String(describing: pipe.initiator.outcome))")
    let responder = try #require(
      pipe.responder.bond, "\(String(describing: pipe.responder.outcome))")
    expect(initiator.longTermKey, is: responder.longTermKey)
    expect(initiator.longTermKey != .zero)
    expect(initiator.encryptedDiversifier, is: responder.encryptedDiversifier)
    expect(initiator.randomNumber, is: responder.randomNumber)
    expect((initiator.randomNumber == 0), is: way.isSecureConnections)
    expect(initiator.identityAddress, is: responderAddress)
    expect(responder.identityAddress, is: initiatorAddress)
    expect(initiator.identityResolvingKey, is: responderIdentity.identityResolvingKey)
    expect(responder.identityResolvingKey, is: initiatorIdentity.identityResolvingKey)
    for (bond, role) in [(initiator, PairingRole.initiator), (responder, .responder)] {
      expect(bond.isAuthenticated, is: way.model != .justWorks)
      expect(bond.isSecureConnections, is: way.isSecureConnections)
      expect(bond.role, is: role)
    }
    let security = try #require(pipe.initiator.security)
    expect(security, is: pipe.responder.security)
    expect(security.contains(.authenticated), is: way.model != .justWorks)
    expect(security.contains(.secureConnections), is: way.isSecureConnections)
    expect(!pipe.initiator.isActive && !pipe.responder.isActive)
    expect(pipe.initiator.deadline, is: nil, "the timer has stopped")
  }

  @Test("The PDUs come in the specification's order", arguments: PairingCase.all)
  func order(way: PairingCase) {
    let pipe = way.pipe().run()
    // Appendix C.2: legacy; public keys, then the responder's commitment alone, or rounds of both.
    var expected: [(PairingRole, UInt8)] = [(.responder, 0x02)]
    let round: [(PairingRole, UInt8)] = [
      (.initiator, 0x03), (.responder, 0x03), (.initiator, 0x04), (.responder, 0x04),
    ]
    if way.isSecureConnections {
      expected += [(.initiator, 0x0C), (.responder, 0x0C)]
      if way.model.usesPasskey {
        for _ in 0..<20 { expected += round }
      } else {
        expected += round.dropFirst()
      }
      expected += [(.initiator, 0x0D), (.responder, 0x0D)]
    } else {
      expected += round
      expected += [(.responder, 0x06), (.responder, 0x07)]
    }
    expected += [(.responder, 0x08), (.responder, 0x09), (.initiator, 0x08), (.initiator, 0x09)]
    expect(pipe.log.map { $0.bytes[0] }, is: expected.map { $0.1 })
    expect(pipe.log.map { $0.sender }, is: expected.map { $0.0 })
    expect(pipe.log.filter { $0.isEncrypted }.allSatisfy { $0.bytes[0] >= 0x06 })
  }

  @Test("Each association model has its prompts", arguments: PairingCase.all)
  func prompts(way: PairingCase) throws {
    let pipe = way.pipe().run()
    func kinds(_ prompts: [PairingPrompt]) -> [String] {
      prompts.map { String("\($0)".prefix { $0.isLetter }) }
    }
    let expected: ([String], [String]) =
      switch way.model {
      case .justWorks: ([], [])
      case .numericComparison: (["compareNumber"], ["compareNumber"])
      case .passkeyShownByInitiator: (["showPasskey"], ["enterPasskey"])
      case .passkeyShownByResponder: (["enterPasskey"], ["showPasskey"])
      case .passkeyEnteredAtBoth: (["enterPasskey"], ["enterPasskey"])
      }
    expect(kinds(pipe.initiator.prompts), is: expected.0)
    expect(kinds(pipe.responder.prompts), is: expected.1)
    if way.model == .numericComparison {
      expect(pipe.initiator.prompts, is: pipe.responder.prompts, "both show the same number")
    }
  }

  @Test("Every pairing has new keys, nonces and passkeys")
  func fresh() {
    let way = PairingCase.all[2]
    let pipe = way.pipe().run()
    let first = pipe.log
    let firstPrompts = pipe.initiator.prompts
    // The same two devices again.
    let again = way.begin(pipe.initiator, pipe.responder)
    again.run()
    expect(pipe.initiator.isPaired)
    expect(pipe.initiator.prompts.last != firstPrompts.last)
    for (one, other) in zip(first, again.log) where [0x03, 0x04, 0x0C, 0x0D].contains(one.bytes[0])
    {
      expect(one.bytes != other.bytes, "PDU \(one.number)")
    }
    let nonces = first.filter { $0.bytes[0] == 0x04 }.map(\.bytes)
    expect(Set(nonces).count, is: 40, "20 rounds, two nonces each")
  }

  @Test("A user can refuse Just Works, for which the pairing waits", arguments: [true, false])
  func refusal(isLegacy: Bool) {
    var way = PairingCase(
      "Just Works", legacy: isLegacy, .justWorks, .noInputNoOutput, .displayYesNo)
    way.responder.confirmsJustWorks = true
    let pipe = way.pipe()
    let (initiator, responder) = (pipe.initiator, pipe.responder)
    while let pdu = responder.nextPDU() { initiator.receive(pdu) }
    initiator.work()
    while let pdu = initiator.nextPDU() { responder.receive(pdu) }
    responder.work()
    expect(responder.prompts, is: [.confirmPairing])
    expect(responder.confirm(false))
    expect(responder.outcome, is: .failed(.unspecifiedReason))
    pipe.run()
    expect(!initiator.isPaired && !responder.isPaired)
    expect(responder.prompts, is: [.confirmPairing])
  }
}
