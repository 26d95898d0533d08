import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

/// What must not outlive a pairing, and what must: events in their order, and the questions of other
/// connections.
@Suite("The control of pairing")
struct PairingGateTests {
  private let comparison = PairingPrompt.compareNumber(123_456)

  /// Each way in which a pairing ends.
  private static let outcomes: [PairingOutcome] = [
    .paired(nil), .failed(.numericComparisonFailed), .noRoom, .refused(.unspecifiedReason),
    .timedOut, .linkLost, .encryptionFailed(.connectionTimeout),
  ]

  @Test("A question ends with its pairing", arguments: outcomes)
  func questionEnds(outcome: PairingOutcome) {
    var control = PairingGate(.authenticated)
    for prompt in [comparison, .confirmPairing] {
      control.show(prompt, at: 2)
      expect(control.question?.prompt, is: prompt)
      expect(control.question?.connectionIndex, is: 2)
      control.pairingEnded(outcome, at: 2)
      expect(control.question == nil)
    }
  }

  @Test("A question stays while the pairing of another connection ends", arguments: outcomes)
  func otherConnection(outcome: PairingOutcome) {
    var control = PairingGate(.authenticated)
    control.show(comparison, at: 2)
    control.pairingEnded(outcome, at: 1)
    expect(control.question?.connectionIndex, is: 2)
    control.promptIsOver()
    expect(control.question == nil)
  }

  @Test("A passkey to show needs no answer")
  func passkey() {
    var control = PairingGate(.authenticated)
    for prompt in [PairingPrompt.showPasskey(1), .enterPasskey] {
      control.show(prompt, at: 0)
      expect(control.question == nil)
    }
  }

  @Test("Events are taken in their order, and the oldest of nine is dropped")
  func order() {
    var control = PairingGate(.encrypted)
    for count in 1...9 { control.append(.forgotten(count)) }
    for count in 2...9 {
      expect(control.hasEvents)
      expect(control.nextEvent(), is: .forgotten(count))
    }
    expect(!control.hasEvents)
    expect(control.nextEvent(), is: nil)
  }

  @Test("Each outcome is an event of its connection")
  func outcomeEvents() {
    let bond = Bond(
      identityAddress: DeviceAddress(kind: .public, bytes: [1, 2, 3, 4, 5, 6]),
      longTermKey: .zero, isAuthenticated: true, isSecureConnections: false, role: .responder)
    var control = PairingGate(.encrypted)
    for outcome in [.paired(bond)] + Self.outcomes { control.pairingEnded(outcome, at: 3) }
    let expected: [PairingEvent] = [
      .paired(connectionIndex: 3, identity: bond.identityAddress, bond.security),
      .paired(connectionIndex: 3, identity: nil, .encrypted),
      .failed(connectionIndex: 3, .own(.numericComparisonFailed)),
      .failed(connectionIndex: 3, .noRoom),
      .failed(connectionIndex: 3, .peer(.unspecifiedReason)),
      .failed(connectionIndex: 3, .timeout), .failed(connectionIndex: 3, .linkLost),
      .failed(connectionIndex: 3, .encryption(.connectionTimeout)),
    ]
    for event in expected { expect(control.nextEvent(), is: event) }
    expect(!control.hasEvents)
  }

  @Test("Closed pairing is not closed again")
  func closing() {
    var control = PairingGate(.encrypted)
    control.close()
    expect(!control.hasEvents)
    control.open(at: Instant(rawValue: 5))
    expect(control.closing, is: Instant(rawValue: 60_005))
    control.close()
    control.close()
    expect(control.nextEvent(), is: .opened(seconds: 60))
    expect(control.nextEvent(), is: .closed)
    expect(control.nextEvent(), is: nil)
    expect(control.deadline, is: nil)
  }

  @Test("A ball is never a central")
  func role() {
    expect(!PairingGate.isEverCentral)
    expect(PairingGate.keepsPrivacy)
  }

  @Test(
    "A button acts once, at the end of its time and not a millisecond earlier",
    arguments: [(FrontPanelAction.shake, UInt32(3_000)), (.clear, 10_000)])
  func hold(action: FrontPanelAction, time: UInt32) {
    let start = Instant(rawValue: 7)
    let end = start.advanced(by: time)
    let result: PairingGate.Action = action == .shake ? .open : .forget
    var control = PairingGate(.encrypted)
    func hold(at now: Instant, isDown: Bool = true) -> PairingGate.Action? {
      control.hold(shake: isDown && action == .shake, clear: isDown && action == .clear, at: now)
    }
    control.press(action, at: start)
    expect(control.deadline, is: end)
    expect(hold(at: end.advanced(by: UInt32.max)), is: result, "Late is not too late.")
    expect(control.deadline, is: nil)
    expect(hold(at: end), is: nil, "Once.")

    control.press(action, at: start)
    expect(hold(at: Instant(rawValue: end.rawValue - 1)), is: nil)
    // The panel acts on clear when it has been held for some time; the button is still down.
    control.press(.release, at: start.advanced(by: 2_999))
    expect(control.deadline, is: end)
    expect(hold(at: end), is: result)

    control.press(action, at: start)
    expect(hold(at: Instant(rawValue: end.rawValue - 1), isDown: false), is: nil)
    expect(control.deadline, is: nil)
    expect(hold(at: end), is: nil, "It was released.")
  }

  @Test("Of two buttons held long enough the bonds come first; the earliest deadline counts")
  func both() {
    let start = Instant(rawValue: 0)
    var control = PairingGate(.encrypted)
    control.open(at: start)
    expect(control.deadline, is: Instant(rawValue: 60_000))
    control.press(.clear, at: start)
    expect(control.deadline, is: Instant(rawValue: 10_000))
    control.press(.shake, at: start)
    expect(control.deadline, is: Instant(rawValue: 3_000))
    let late = Instant(rawValue: 10_000)
    expect(control.hold(shake: true, clear: true, at: late), is: .forget)
    expect(control.hold(shake: true, clear: true, at: late), is: .open)
    expect(control.hold(shake: true, clear: true, at: late), is: nil)
    expect(control.deadline, is: Instant(rawValue: 60_000))
  }

  @Test("Without protection no button and no failed encryption matters")
  func unprotected() {
    var control = PairingGate(.none)
    for action in [FrontPanelAction.shake, .clear, .release] {
      control.press(action, at: Instant(rawValue: 0))
      expect(control.deadline, is: nil)
    }
    control.encryptionFailed(.connectionTimeout, at: 1)
    expect(!control.hasEvents)
    for protection in [BallProtection.encrypted, .authenticated] {
      control = PairingGate(protection)
      control.encryptionFailed(.connectionTimeout, at: 1)
      expect(control.nextEvent(), is: .unencrypted(connectionIndex: 1))
    }
  }

  @Test("Seven events keep their order while others are taken")
  func events() {
    var control = PairingGate(.encrypted)
    var next = 1
    for count in 1...40 {
      control.append(.forgotten(count))
      // Between 1 and 8 wait.
      guard count % 8 == 0 || count % 3 == 0 else { continue }
      expect(control.nextEvent(), is: .forgotten(next))
      next += 1
      if count % 8 == 0 {
        while control.hasEvents {
          expect(control.nextEvent(), is: .forgotten(next))
          next += 1
        }
      }
    }
    expect(next, is: 41)
  }
}
