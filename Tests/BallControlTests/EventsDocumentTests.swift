import BluetoothHost
import EightBall
import Expectations
import LinuxTestSupport

@testable import BallControl
@testable import BallRunner

/// docs/events.md shows each event of a control socket in its exact form: the same members in the
/// same order.
@Suite("docs/events.md")
struct EventsDocumentTests {
  @Test("The document has every event that the ball sends, and no other")
  func events() throws {
    var collector = Collector()
    collector.reportEvents()
    collector.reportStates()
    collector.reportSecurity()
    let packet = PacketLine(
      microseconds: 1, direction: .received, packet: [0x04, 0x13, 5, 1, 0x40, 0, 1, 0])
    let shapes =
      Set(collector.lines.map(Shape.init)).union(Self.replies.map(Shape.init))
      .union(Self.packets(packet).map(Shape.init)).union(Self.state.map(Shape.init))
      .union([Shape(Self.figures)])
    let lines = try Repository.text(of: "docs/events.md").split(separator: "\n")
    let documented = Set(lines.filter { $0.hasPrefix("{\"event\"") }.map { Shape(String($0)) })
    expect(shapes.subtracting(documented).map(\.text).sorted(), is: [], "not documented")
    expect(
      documented.subtracting(shapes).map(\.text).sorted(), is: [], "documented, and never sent")
  }

  /// The events of the state and the replies to requests, which BallRunnerTests' ControlTests check
  /// line by line, and those about a virtual board's parts and the clock, which VirtualBoardTests' VirtualPartsTests,
  /// Tests/Peers/test_terminal_screen.py and Tests/Peers/test_simulated_time.py check.
  private static let state = [
    #"{"event":"ball","version":"","name":"","radio":"","board":"","connections":4,"presses":true}"#,
    #"{"event":"radio","state":"starting"}"#, #"{"event":"answer","text":""}"#,
    #"{"event":"current"}"#, #"{"event":"movable"}"#, #"{"event":"time","clock":""}"#,
    #"{"event":"screen","brightness":"","pixels":""}"#,
    #"{"event":"screen","brightness":"","lines":["",""]}"#,
  ]
  private static let replies = [
    #"{"event":"done","request":""}"#, #"{"event":"error","request":"","detail":""}"#,
  ]

  private static var figures: String {
    var line = ByteBuffer<2_048>()
    line.write { $0.writeJSON(BallFigures()) }
    return String(decoding: line.span.indices.map { line.span[$0] }, as: UTF8.self)
  }

  private static func packets(_ line: PacketLine) -> [String] {
    let layers = PacketLayers()
    let credit = layers.layers(of: line.packet.span, line.direction)
    let disconnection = PacketLine(
      microseconds: 1, direction: .received, packet: [0x04, 0x05, 4, 0, 0x40, 0, 0x13])
    let event = layers.layers(of: disconnection.packet.span, disconnection.direction)
    return [line.text(), line.text(credit), disconnection.text(event)].map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// The name of an event and its members, and the value of `state`, `kind` or `action`.
private struct Shape: Hashable {
  var text: String

  /// The members of the JSON object in a line, including those within arrays.
  init(_ line: String) {
    // In `"name":"event"` a string is a name if a colon follows.
    var names: [String] = []
    var strings: [String] = []
    var rest = line[...]
    while let start = rest.firstIndex(of: "\"") {
      rest = rest[rest.index(after: start)...]
      var string = ""
      while let character = rest.popFirst(), character != "\"" {
        string.append(character)
        if character == "\\", let escaped = rest.popFirst() { string.append(escaped) }
      }
      if rest.first == ":" {
        names.append(string)
      } else if ["event", "state"].contains(names.last ?? "") {
        strings.append(string)
      }
    }
    let members = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    text = strings.joined(separator: " ") + ": " + members.joined(separator: ",")
  }
}

/// The lines that a ball prints for listeners.
private struct Collector: ~Copyable {
  private var printer = BallPrinter<0, 8_192>(
    name: DeviceName(StaticText("Magic 8-Ball")), format: .none)
  private(set) var lines: [String] = []
  private let central = DeviceAddress(kind: .random, bytes: [0x40, 0, 0, 0, 0, 0xC0])

  init() { printer.isWatched = true }

  mutating func reportEvents() {
    var random = RandomSource(seed: 8)
    let answer = Answer.random(from: &random)
    let events: [BallEvent] = [
      .radio(.advertising), .connected(connectionIndex: 0, address: central),
      .subscribed(connectionIndex: 0, true),
      .asked(connectionIndex: 0), .answered(connectionIndex: 0, answer),
      .refused(connectionIndex: 0, .statement),
      .disconnected(connectionIndex: 0, address: central, reason: .remoteUserTerminatedConnection),
      .missed(3),
    ]
    let question = Array("Why?".utf8)
    for event in events {
      printer.report(event, own: central, central: central, question: question.span)
    }
    printer.reportOmission(of: 5, at: 0, of: central)
    printer.reportOmission(of: 5, at: 0, of: nil)
    for action in [FrontPanelAction.shake, .clear, .release] {
      printer.report(action, listeners: 1)
    }
    for (status, answer) in [(true, true), (true, nil), (nil, false)] as [(Bool?, Bool?)] {
      printer.watch(.lights(ShownLights(status: status, answer: answer)))
    }
    printer.watch { $0.writeJSONLoss(5) }
    take()
  }

  mutating func reportStates() {
    let reason = Array("it has gone".utf8)
    printer.reportRadioLost(reason.span)
    printer.report(.radio(.silent), own: central, central: nil, question: Span())
    printer.reportError(reason.span, kind: "radio")
    printer.reportLinesLost(reason.span)
    printer.reportLinesReady()
    for part in [BoardPart.motion, .display] {
      printer.report(part, isLost: true, reason.span)
      printer.report(part, isLost: false, Span())
    }
    printer.reportBondsLost(reason.span)
    printer.reportBondsKept()
    take()
  }

  mutating func reportSecurity() {
    let events: [PairingEvent] = [
      .opened(seconds: 60), .closed, .prompt(.compareNumber(12_345), connectionIndex: 0),
      .prompt(.confirmPairing, connectionIndex: 0),
      .paired(connectionIndex: 0, identity: central, .encrypted),
      .paired(connectionIndex: 0, identity: nil, .encrypted), .failed(connectionIndex: 0, .timeout),
      .unencrypted(connectionIndex: 0), .forgotten(1),
    ]
    for event in events { printer.report(event, of: central) }
    take()
  }

  private mutating func take() {
    var port = Listener()
    printer.sendWatched(to: &port, nil)
    lines += port.text.split(separator: "\n").map(String.init)
  }
}

private struct Listener: ControlPort, ~Copyable {
  var text = ""

  mutating func send(_ lines: Span<UInt8>, to listener: Int?) {
    text += String(decoding: lines.indices.map { lines[$0] }, as: UTF8.self)
  }
}
