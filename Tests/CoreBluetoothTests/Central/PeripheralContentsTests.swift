import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// The calls of a program come at any time, and the reports of the radio's thread later.
@Suite("The links of a peripheral, as its manager sees them")
struct PeripheralContentsTests {
  private enum Step {
    case want, cancel, open, lose, end, endReconnecting, forget

    /// The result of the call as text.
    func take(_ contents: inout CBPeripheral.Contents) -> String {
      switch self {
      case .want: return "\(contents.wantLink())"
      case .cancel: return "\(contents.cancelLink())"
      case .open: return "\(contents.linkOpened(.maximum))"
      case .lose: return "\(contents.beginReconnecting())"
      case .end: return Self.text(contents.linkEnded())
      case .endReconnecting: return Self.text(contents.linkEnded(isReconnecting: true))
      case .forget:
        contents.forgetLinks()
        return "-"
      }
    }

    private static func text(_ end: (wasOpen: Bool, wasCancelled: Bool)) -> String {
      (end.wasOpen ? "open" : "closed") + (end.wasCancelled ? ", cancelled" : "")
    }
  }

  /// Each row is a life: a step, its result and the state after it.
  @Test("its state follows requests, reports and cancellations")
  func states() {
    let lives: [(String, [(Step, String, CBPeripheralState)])] = [
      (
        "a link that the peer ends",
        [
          (.want, "true", .connecting), (.want, "false", .connecting),
          (.open, "true", .connected), (.want, "false", .connected),
          (.end, "open", .disconnected), (.want, "true", .connecting),
        ]
      ),
      (
        "a link that is cancelled",
        [
          (.want, "true", .connecting), (.open, "true", .connected),
          (.cancel, "true", .disconnecting), (.cancel, "false", .disconnecting),
          (.end, "open, cancelled", .disconnected),
        ]
      ),
      (
        "an attempt that is cancelled, and a late report of the link",
        [
          (.want, "true", .connecting), (.cancel, "true", .disconnecting),
          (.open, "false", .disconnecting), (.end, "closed, cancelled", .disconnected),
        ]
      ),
      (
        "an attempt that fails",
        [(.want, "true", .connecting), (.end, "closed", .disconnected)]
      ),
      (
        "a second request before the end of the first",
        [
          (.want, "true", .connecting), (.cancel, "true", .disconnecting),
          (.want, "true", .disconnecting), (.want, "false", .disconnecting),
          (.end, "closed, cancelled", .connecting), (.open, "true", .connected),
          (.end, "open", .disconnected),
        ]
      ),
      (
        "two cancelled requests",
        [
          (.want, "true", .connecting), (.cancel, "true", .disconnecting),
          (.want, "true", .disconnecting), (.cancel, "true", .disconnecting),
          (.end, "closed, cancelled", .disconnecting),
          (.end, "closed, cancelled", .disconnected),
        ]
      ),
      (
        "a link that is made again",
        [
          (.want, "true", .connecting), (.open, "true", .connected),
          (.lose, "true", .connected), (.endReconnecting, "open", .connecting),
          (.open, "true", .connected), (.end, "open", .disconnected),
        ]
      ),
      (
        "a cancellation of the link that is made again",
        [
          (.want, "true", .connecting), (.open, "true", .connected),
          (.lose, "true", .connected), (.cancel, "true", .disconnecting),
          (.endReconnecting, "open", .disconnecting),
          (.end, "closed, cancelled", .disconnected),
        ]
      ),
      (
        "a cancellation before the loss",
        [
          (.want, "true", .connecting), (.open, "true", .connected),
          (.cancel, "true", .disconnecting), (.lose, "false", .disconnecting),
          (.end, "open, cancelled", .disconnected),
        ]
      ),
      (
        "reports without a request",
        [
          (.cancel, "false", .disconnected), (.open, "false", .disconnected),
          (.lose, "false", .disconnected), (.end, "closed", .disconnected),
          (.want, "true", .connecting),
        ]
      ),
      (
        "the release of the manager",
        [
          (.want, "true", .connecting), (.open, "true", .connected),
          (.forget, "-", .disconnected), (.cancel, "false", .disconnected),
          (.end, "closed", .disconnected),
        ]
      ),
      (
        "the release of the manager after a cancellation",
        [
          (.want, "true", .connecting), (.cancel, "true", .disconnecting),
          (.forget, "-", .disconnected), (.want, "true", .connecting),
          (.open, "true", .connected),
        ]
      ),
    ]
    for (label, steps) in lives {
      var contents = CBPeripheral.Contents()
      #expect(contents.state == .disconnected)
      for (index, (step, result, state)) in steps.enumerated() {
        let taken = step.take(&contents)
        #expect(taken == result, "\(label), step \(index)")
        #expect(contents.state == state, "\(label), step \(index)")
      }
    }
  }

  /// Contents whose calls can be written in an expectation.
  private final class Life {
    private(set) var now = CBPeripheral.Contents()

    func take<Result>(_ body: (inout CBPeripheral.Contents) -> Result) -> Result { body(&now) }
  }

  @Test("what was known of the server ends with the link")
  func forgotten() {
    for (label, end) in [
      ("the end", { (life: Life) in _ = life.take { $0.linkEnded() } }),
      ("the manager's release", { life in life.take { $0.forgetLinks() } }),
    ] {
      let contents = Life()
      _ = contents.take { $0.wantLink() }
      _ = contents.take { $0.linkOpened(.maximum) }
      #expect(contents.now.mtu == .maximum)
      contents.take { $0.rssi = -40 }
      contents.take { $0.heard(KnownName(text: "Name", isRead: false)) }
      _ = contents.take { $0.readName("Longer name") }
      for _ in 0..<20 { _ = contents.take { $0.beginWrite() } }
      end(contents)
      #expect(contents.now.mtu == .minimum, "\(label)")
      #expect(contents.now.rssi == nil, "\(label)")
      #expect(contents.now.unsent == 0, "\(label)")
      #expect(!contents.now.mustReportReady, "\(label)")
      // The late end of a write is not reported, and the name is kept.
      #expect(!contents.take { $0.endWrite() }, "\(label)")
      #expect(contents.now.unsent == 0, "\(label)")
      #expect(contents.now.name == "Longer name", "\(label)")
    }
  }

  @Test("a name that was read counts more than an advertised one")
  func names() {
    let contents = Life()
    #expect(contents.now.name == nil)
    contents.take { $0.heard(KnownName(text: "A", isRead: false)) }
    #expect(contents.now.name == "A")
    contents.take { $0.heard(KnownName(text: "B", isRead: false)) }
    #expect(contents.now.name == "B")
    // `readName` reports a name that was read.
    contents.take { $0.heard(KnownName(text: "R", isRead: true)) }
    #expect(contents.now.name == "B")
    #expect(!contents.take { $0.readName("B") })
    contents.take { $0.heard(KnownName(text: "C", isRead: false)) }
    #expect(contents.now.name == "B")
    #expect(contents.take { $0.readName("D") })
    #expect(contents.now.name == "D")
    #expect(!contents.take { $0.readName("D") })
  }

  @Test("16 writes fill the room, 1,024 wait at most, and room is reported once at 8")
  func writes() {
    let contents = Life()
    for _ in 0..<15 { #expect(contents.take { $0.beginWrite() }) }
    #expect(!contents.now.mustReportReady)
    for _ in 0..<15 { #expect(!contents.take { $0.endWrite() }) }
    for count in 1...1_025 {
      #expect(contents.take { $0.beginWrite() } == (count <= 1_024))
      #expect(contents.now.mustReportReady == (count >= 16))
    }
    #expect(contents.now.unsent == 1_024)
    for left in (0..<1_024).reversed() { #expect(contents.take { $0.endWrite() } == (left == 8)) }
    #expect(contents.now.unsent == 0)
  }
}
