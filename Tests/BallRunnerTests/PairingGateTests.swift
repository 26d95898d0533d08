import BluetoothHost
import EightBall
import Testing

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
      #expect(control.question?.prompt == prompt)
      #expect(control.question?.connectionIndex == 2)
      control.pairingEnded(outcome, at: 2)
      #expect(control.question == nil)
    }
  }

  @Test("A question stays while the pairing of another connection ends", arguments: outcomes)
  func otherConnection(outcome: PairingOutcome) {
    var control = PairingGate(.authenticated)
    control.show(comparison, at: 2)
    control.pairingEnded(outcome, at: 1)
    #expect(control.question?.connectionIndex == 2)
    control.promptIsOver()
    #expect(control.question == nil)
  }

  @Test("A passkey to show needs no answer")
  func passkey() {
    var control = PairingGate(.authenticated)
    for prompt in [PairingPrompt.showPasskey(1), .enterPasskey] {
      control.show(prompt, at: 0)
      #expect(control.question == nil)
    }
  }

  @Test("Events are taken in their order, and the oldest of nine is dropped")
  func order() {
    var control = PairingGate(.encrypted)
    for count in 1...9 { control.append(.forgotten(count)) }
    for count in 2...9 {
      #expect(control.hasEvents)
      #expect(control.nextEvent() == .forgotten(count))
    }
    #expect(!control.hasEvents)
    #expect(control.nextEvent() == nil)
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
    for event in expected { #expect(control.nextEvent() == event) }
    #expect(!control.hasEvents)
  }

  @Test("Closed pairing is not closed again")
  func closing() {
    var control = PairingGate(.encrypted)
    control.close()
    #expect(!control.hasEvents)
    control.open(at: Instant(rawValue: 5))
    #expect(control.closing == Instant(rawValue: 60_005))
    control.close()
    control.close()
    #expect(control.nextEvent() == .opened(seconds: 60))
    #expect(control.nextEvent() == .closed)
    #expect(control.nextEvent() == nil)
    #expect(control.deadline == nil)
  }
}
