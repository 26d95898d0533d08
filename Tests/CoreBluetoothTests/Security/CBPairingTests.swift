import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("Answers of users to a pairing")
struct CBPairingTests {
  private typealias Answer = CBPairingRequest.Answer

  /// What `body` makes of a request with this prompt.
  private func answers(
    to prompt: CBPairing.Prompt, _ body: (CBPairingRequest) -> Void
  ) -> [Answer] {
    let answers = Locked<[Answer]>([])
    let request = CBPairingRequest(peer: UUID(), prompt: prompt) { answer in
      answers.withLock { $0.append(answer) }
    }
    body(request)
    return answers.withLock(\.self)
  }

  @Test("yes and no answer the prompts that ask for them, and no refuses a passkey")
  func confirmations() {
    let cases: [(CBPairing.Prompt, Bool, [Answer])] = [
      (.confirm, true, [.confirmed(true)]), (.confirm, false, [.confirmed(false)]),
      (.compare("000001"), true, [.confirmed(true)]),
      (.compare("000001"), false, [.confirmed(false)]),
      (.enterPasskey, true, []), (.enterPasskey, false, [.passkey(nil)]),
      (.showPasskey("000001"), true, []), (.showPasskey("000001"), false, []),
    ]
    for (prompt, isConfirmed, expected) in cases {
      expect(
        answers(to: prompt) { $0.answer(isConfirmed) }, is: expected, "\(prompt) \(isConfirmed)")
    }
  }

  @Test("a passkey has six digits")
  func passkeys() {
    let cases: [(String, UInt32?)] = [
      ("000000", 0), ("000001", 1), ("123456", 123_456), ("999999", 999_999), ("", nil),
      ("12345", nil), ("1234567", nil), ("+12345", nil), ("-12345", nil), ("12345a", nil),
      (" 12345", nil), ("12345 ", nil), ("/12345", nil), (":12345", nil), ("１２", nil),
    ]
    for (text, number) in cases {
      let expected: [Answer] = number.map { [.passkey($0)] } ?? []
      var isTaken = false
      expect(answers(to: .enterPasskey) { isTaken = $0.enter(text) }, is: expected, "“\(text)”")
      expect(isTaken, is: number != nil, "“\(text)”")
    }
    for prompt in [CBPairing.Prompt.confirm, .compare("123456"), .showPasskey("123456")] {
      var isTaken = true
      let entered = answers(to: prompt) { isTaken = $0.enter("123456") }
      expect(!isTaken && entered.isEmpty, "\(prompt)")
    }
  }

  @Test("the first answer counts")
  func once() {
    let confirmed = answers(to: .confirm) {
      $0.answer(false)
      $0.answer(true)
    }
    expect(confirmed, is: [.confirmed(false)])
    let passkey = answers(to: .enterPasskey) {
      // Neither of these is an answer.
      $0.answer(true)
      expect(!$0.enter("12345"))
      expect($0.enter("123456"))
      expect($0.enter("654321"))
      $0.answer(false)
    }
    expect(passkey, is: [.passkey(123_456)])
  }

  @Test("the settings decide which pairings begin and what they ask")
  func policies() {
    var rows = [(CBPairing.automatic, true), (.refused, false)].map { settings, isOpen in
      (
        settings,
        PairingPolicy(
          isOpen: isOpen, ioCapability: .noInputNoOutput, authentication: .wherePossible,
          confirmsJustWorks: false)
      )
    }
    let abilities: [(CBPairing.Ability, IOCapability)] = [
      (.none, .noInputNoOutput), (.display, .displayOnly), (.displayYesNo, .displayYesNo),
      (.keyboard, .keyboardOnly), (.keyboardDisplay, .keyboardDisplay),
    ]
    for (ability, capability) in abilities {
      for requiresUser in [false, true] {
        let policy = PairingPolicy(
          isOpen: true, ioCapability: capability,
          authentication: requiresUser ? .required : .wherePossible, confirmsJustWorks: true)
        rows.append((CBPairing(ability: ability, requiresUser: requiresUser) { _ in }, policy))
      }
    }
    func text(_ policy: PairingPolicy) -> String {
      "\(policy.isOpen) \(policy.ioCapability) \(policy.authentication) \(policy.confirmsJustWorks)"
    }
    for (settings, policy) in rows {
      let device = LocalDevice(address: .automatic(orRandom: .zero))
      device.setPairing(settings)
      expect(text(device.host.security.policy), is: text(policy))
    }
  }
}
