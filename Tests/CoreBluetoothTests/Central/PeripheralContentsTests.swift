import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// The calls of a program come at any time, and the reports of the radio's thread later.
@Suite("The links of a peripheral, as its manager sees them")
struct PeripheralContentsTests {
  /// A call, its result as text, and the state after it.
  struct Step: Sendable {
    let call: @Sendable (inout CBPeripheral.Contents) -> String
    let result: String
    let state: CBPeripheralState

    static func want(_ result: Bool, _ state: CBPeripheralState) -> Step {
      Step(call: { "\($0.wantLink())" }, result: "\(result)", state: state)
    }
    static func cancel(_ result: Bool, _ state: CBPeripheralState) -> Step {
      Step(call: { "\($0.cancelLink())" }, result: "\(result)", state: state)
    }
    static func open(_ result: Bool, _ state: CBPeripheralState) -> Step {
      Step(call: { "\($0.linkOpened(.maximum))" }, result: "\(result)", state: state)
    }
    static func lose(_ result: Bool, _ state: CBPeripheralState) -> Step {
      Step(call: { "\($0.beginReconnecting())" }, result: "\(result)", state: state)
    }
    static func end(_ result: String, _ state: CBPeripheralState) -> Step {
      Step(call: { text($0.linkEnded()) }, result: result, state: state)
    }
    static func endReconnecting(_ result: String, _ state: CBPeripheralState) -> Step {
      Step(call: { text($0.linkEnded(isReconnecting: true)) }, result: result, state: state)
    }
    static func forget(_ state: CBPeripheralState) -> Step {
      Step(call: { "\($0.forgetLinks())" }, result: "()", state: state)
    }

    private static func text(_ end: (wasOpen: Bool, wasCancelled: Bool)) -> String {
      (end.wasOpen ? "open" : "closed") + (end.wasCancelled ? ", cancelled" : "")
    }
  }

  struct Life: CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]

    init(_ label: String, _ steps: Step...) { (testDescription, self.steps) = (label, steps) }
  }

  static let lives = [
    Life(
      "a link that the peer ends",
      .want(true, .connecting), .want(false, .connecting), .open(true, .connected),
      .want(false, .connected), .end("open", .disconnected), .want(true, .connecting)),
    Life(
      "a link that is cancelled",
      .want(true, .connecting), .open(true, .connected), .cancel(true, .disconnecting),
      .cancel(false, .disconnecting), .end("open, cancelled", .disconnected)),
    Life(
      "an attempt that is cancelled, and a late report of the link",
      .want(true, .connecting), .cancel(true, .disconnecting), .open(false, .disconnecting),
      .end("closed, cancelled", .disconnected)),
    Life("an attempt that fails", .want(true, .connecting), .end("closed", .disconnected)),
    Life(
      "a second request before the end of the first", .want(true, .connecting),
      .cancel(true, .disconnecting), .want(true, .disconnecting), .want(false, .disconnecting),
      .end("closed, cancelled", .connecting), .open(true, .connected), .end("open", .disconnected)),
    Life(
      "a cancellation of the link that is made again", .want(true, .connecting),
      .open(true, .connected), .lose(true, .connected), .cancel(true, .disconnecting),
      .endReconnecting("open", .disconnecting), .end("closed, cancelled", .disconnected)),
    Life(
      "a link that is made again",
      .want(true, .connecting), .open(true, .connected), .lose(true, .connected),
      .endReconnecting("open", .connecting), .open(true, .connected), .end("open", .disconnected)),
    Life(
      "reports without a request", .cancel(false, .disconnected), .open(false, .disconnected),
      .lose(false, .disconnected), .end("closed", .disconnected), .want(true, .connecting)),
    Life(
      "the release of the manager", .want(true, .connecting), .open(true, .connected),
      .forget(.disconnected), .cancel(false, .disconnected), .end("closed", .disconnected)),
    Life(
      "the release of the manager after a cancellation", .want(true, .connecting),
      .cancel(true, .disconnecting), .forget(.disconnected), .want(true, .connecting),
      .open(true, .connected)),
  ]

  @Test("its state follows requests, reports and cancellations", arguments: lives)
  func states(life: Life) {
    var contents = CBPeripheral.Contents()
    expect(contents.state, is: .disconnected)
    for (index, step) in life.steps.enumerated() {
      expect(step.call(&contents), is: step.result, "step \(index)")
      expect(contents.state, is: step.state, "step \(index)")
    }
  }

  @Test("what was known of the server ends with the link")
  func forgotten() {
    for (label, end) in [
      ("the end", { _ = $0.linkEnded() }), ("the manager's release", { $0.forgetLinks() }),
    ] as [(String, (inout CBPeripheral.Contents) -> Void)] {
      var contents = CBPeripheral.Contents()
      _ = contents.wantLink()
      _ = contents.linkOpened(.maximum)
      expect(contents.mtu, is: .maximum)
      contents.rssi = -40
      contents.heard(KnownName(text: "Name", isRead: false))
      _ = contents.readName("Longer name")
      for _ in 0..<20 { _ = contents.beginWrite() }
      end(&contents)
      expect(contents.mtu, is: .minimum, "\(label)")
      expect(contents.rssi, is: nil, "\(label)")
      expect(contents.unsent, is: 0, "\(label)")
      expect(!contents.mustReportReady, "\(label)")
      // The late end of a write is not reported, and the name is kept.
      expect(!contents.endWrite(), "\(label)")
      expect(contents.unsent, is: 0, "\(label)")
      expect(contents.name, is: "Longer name", "\(label)")
    }
  }

  @Test("a name that was read counts more than an advertised one")
  func names() {
    var contents = CBPeripheral.Contents()
    expect(contents.name, is: nil)
    contents.heard(KnownName(text: "A", isRead: false))
    expect(contents.name, is: "A")
    contents.heard(KnownName(text: "B", isRead: false))
    expect(contents.name, is: "B")
    // `readName` reports a name that was read.
    contents.heard(KnownName(text: "R", isRead: true))
    expect(contents.name, is: "B")
    expect(!contents.readName("B"))
    contents.heard(KnownName(text: "C", isRead: false))
    expect(contents.name, is: "B")
    expect(contents.readName("D"))
    expect(contents.name, is: "D")
    expect(!contents.readName("D"))
  }

  @Test("16 writes fill the room, 1,024 wait at most, and room is reported once at 8")
  func writes() {
    var contents = CBPeripheral.Contents()
    for _ in 0..<15 { expect(contents.beginWrite()) }
    expect(!contents.mustReportReady)
    for _ in 0..<15 { expect(!contents.endWrite()) }
    for count in 1...1_025 {
      expect(contents.beginWrite(), is: count <= 1_024)
      expect(contents.mustReportReady, is: count >= 16)
    }
    expect(contents.unsent, is: 1_024)
    for left in (0..<1_024).reversed() { expect(contents.endWrite(), is: left == 8) }
    expect(contents.unsent, is: 0)
  }
}
