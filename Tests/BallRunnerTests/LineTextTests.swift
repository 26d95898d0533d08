import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

/// Every text that a ball prints about an event, for people and for programs.
@Suite("The texts of lines")
struct LineTextTests {
  private static let central = DeviceAddress(kind: .random, bytes: [0x40, 0, 0, 0, 0, 0xC0])
  private static let identity = DeviceAddress(kind: .public, bytes: [0x41, 0, 0, 0, 0, 0xF0])

  /// An event, or a line, of a central or of none, with its texts.
  private struct Row<Event> {
    let event: Event
    let central: DeviceAddress?
    let words: String
    let json: String

    init(_ event: Event, of central: DeviceAddress? = nil, _ words: String, _ json: String) {
      self.event = event
      self.central = central
      self.words = words
      self.json = json
    }
  }

  // MARK: The ball

  @Test("Each event of the ball")
  func events() throws {
    let answer = try #require(Answer(rawValue: 0))
    let wording = written { answer.text.writePrefix(to: &$0) }
    let question = Array("Is it?".utf8)
    let (place, json) = (#""central":"C0:00:00:00:00:40","connection":3"#, #"{"event":"#)
    let rows: [Row<BallEvent>] = [
      Row(
        .connected(connectionIndex: 3, address: Self.central), "Connected: C0:00:00:00:00:40.",
        #"\#(json)"connected",\#(place)}"#),
      Row(
        .disconnected(
          connectionIndex: 3, address: Self.central, reason: .connectionTerminatedByLocalHost),
        "Disconnected: C0:00:00:00:00:40, by this side.",
        #"\#(json)"disconnected",\#(place),"reason":"by this side","code":22}"#),
      Row(.subscribed(connectionIndex: 3, true), "", #"\#(json)"subscribed",\#(place),"on":true}"#),
      Row(
        .subscribed(connectionIndex: 3, false), "", #"\#(json)"subscribed",\#(place),"on":false}"#),
      Row(
        .asked(connectionIndex: 3), "Question: Is it?",
        #"\#(json)"question","central":"C0:00:00:00:00:40","text":"Is it?"}"#),
      Row(
        .answered(connectionIndex: 3, answer), "Answer: \(wording)",
        #"\#(json)"answer","central":"C0:00:00:00:00:40","text":"\#(wording)"}"#),
      Row(
        .refused(connectionIndex: 3, .notUTF8), "Refused: not UTF-8.",
        #"\#(json)"refused","central":"C0:00:00:00:00:40","reason":"not UTF-8"}"#),
      Row(
        .refused(connectionIndex: 3, .tooLong), "Refused: longer than 512 bytes.",
        #"\#(json)"refused","central":"C0:00:00:00:00:40","reason":"longer than 512 bytes"}"#),
      Row(.missed(7), "(7 events were missed.)", #"\#(json)"missed","count":7}"#),
      Row(.radio(.silent), "", ""),
    ]
    for row in rows {
      expect(written { $0.writeWords(row.event, question.span) }, is: row.words)
      expect(written { $0.writeJSON(row.event, of: Self.central, question.span) }, is: row.json)
    }
  }

  @Test("Each other line")
  func lines() {
    let text = Array("Test Ball".utf8)
    let rows: [Row<BallLine>] = [
      Row(
        .advertising(Self.identity), "Advertising as “Test Ball” (F0:00:00:00:00:41).",
        #"{"event":"advertising","name":"Test Ball","address":"F0:00:00:00:00:41"}"#),
      Row(
        .omission(1, connectionIndex: 2), of: Self.central,
        "(1 line of C0:00:00:00:00:40 was left out.)",
        #"{"event":"omitted","central":"C0:00:00:00:00:40","connection":2,"count":1}"#),
      Row(
        .omission(2, connectionIndex: 2), "(2 lines of several centrals were left out.)",
        #"{"event":"omitted","connection":2,"count":2}"#),
      Row(
        .button(.shake, listeners: 0), "Shaken: no central that has asked is subscribed.",
        #"{"event":"button","action":"shake","centrals":0}"#),
      Row(
        .button(.shake, listeners: 1), "Shaken: 1 central gets a new answer.",
        #"{"event":"button","action":"shake","centrals":1}"#),
      Row(
        .button(.shake, listeners: 2), "Shaken: 2 centrals get a new answer.",
        #"{"event":"button","action":"shake","centrals":2}"#),
      Row(
        .button(.clear, listeners: 0), "Cleared: every question and answer is forgotten.",
        #"{"event":"button","action":"clear"}"#),
      Row(
        .button(.release, listeners: 0), "Clear was held: all disconnected.",
        #"{"event":"button","action":"release"}"#),
      Row(.text("Fixed."), "Fixed.", ""),
      Row(.state("radio", "lost"), "", #"{"event":"radio","state":"lost","detail":"Test Ball"}"#),
      Row(.error("radio"), "", #"{"event":"failed","reason":"radio","detail":"Test Ball."}"#),
      Row(
        .lights(ShownLights(status: true, answer: false)), "",
        #"{"event":"lights","status":true,"answer":false}"#),
      Row(
        .lights(ShownLights(status: nil, answer: true)), "",
        #"{"event":"lights","answer":true}"#),
      Row(
        .lights(ShownLights(status: false, answer: nil)), "",
        #"{"event":"lights","status":false}"#),
      Row(.current, "", #"{"event":"current"}"#),
      Row(.reply(nil), "", #"{"event":"done","request":"Test Ball"}"#),
      Row(
        .reply(.noLines), "",
        #"{"event":"error","request":"Test Ball","detail":"The lines of the board cannot be used now."}"#
      ),
    ]
    for row in rows {
      expect(written { $0.writeWords(row.event, of: row.central, text.span) }, is: row.words)
      expect(written { $0.writeJSON(row.event, of: row.central, text.span) }, is: row.json)
    }
    expect(
      written { $0.writeJSON(.state("radio", "ready"), of: nil, Span()) },
      is: #"{"event":"radio","state":"ready"}"#)
    expect(written { $0.writeLoss(1) }, is: "(1 line dropped: output was not read.)")
    expect(written { $0.writeLoss(2) }, is: "(2 lines dropped: output was not read.)")
    expect(written { $0.writeJSONLoss(2) }, is: #"{"event":"unread","count":2}"#)
  }

  @Test(
    "Each end of a connection",
    arguments: [
      (.remoteUserTerminatedConnection, "by the other side"),
      (.remoteDevicePoweredOff, "by the other side, which is switching off"),
      (.connectionTerminatedByLocalHost, "by this side"),
      (.connectionTimeout, "because no packets came from the other side"),
      (.hardwareFailure, "because the radio failed"), (.micFailure, "for HCI reason 0x3D"),
    ] as [(HCIErrorCode, String)])
  func ends(_ code: HCIErrorCode, _ words: String) {
    expect(written { code.writeEnding(to: &$0) }, is: words)
  }

  // MARK: Requests

  @Test("Each request of a program, and nothing else")
  func requests() {
    let rows: [(String, ControlRequest?)] = [
      ("down shake", .down(.shake)), ("down clear", .down(.clear)), ("up shake", .up(.shake)),
      ("up clear", .up(.clear)), ("packets", .packets(true)), ("packets off", .packets(false)),
      ("figures", .figures), ("", nil), ("down", nil), ("down  shake", nil), ("Down shake", nil),
      ("figures ", nil), ("packets on", nil),
    ]
    for (line, request) in rows {
      expect(ControlRequest(Array(line.utf8).span), is: request, "\(line)")
    }
  }

  @Test(
    "Each refusal of a request",
    arguments: [
      (
        .unknown,
        "The requests are down BUTTON, up BUTTON, packets, packets off and figures. The buttons are shake and clear."
      ),
      (.noMetrics, "This ball keeps no figures."),
      (.noBoard, "The ball has no buttons. Start one that has: eightball run --board virtual"),
      (
        .notAllowed,
        "Programs may not press the buttons of this board. Start the ball with --allow-remote-buttons."
      ),
      (.noButton(.shake), "The board has no button shake."),
      (.noButton(.clear), "The board has no button clear."),
      (.noLines, "The lines of the board cannot be used now."),
      (.isDown(.clear), "The button clear is held down."),
      (.isNotHeld(.shake), "This connection does not hold the button shake."),
    ] as [(ControlRequestError, String)])
  func refusals(_ refusal: ControlRequestError, _ words: String) {
    expect(written { refusal.write(to: &$0) }, is: words)
  }

  // MARK: Pairing

  private typealias Printer = BallPrinter<1_024, 1_024>

  @Test("Each event of pairing")
  func pairing() {
    let address = "C0:00:00:00:00:40"
    let rows: [Row<PairingEvent>] = [
      Row(
        .opened(seconds: 60), "Pairing is open for 60 s.",
        #"{"event":"pairing","state":"open","seconds":60}"#),
      Row(.closed, "Pairing is closed.", #"{"event":"pairing","state":"closed"}"#),
      Row(
        .prompt(.compareNumber(12_345), connectionIndex: 0), of: Self.central,
        "\(address) wants to pair. Does it show 012345? Press y or n.",
        #"{"event":"prompt","central":"\#(address)","kind":"compare","number":"012345"}"#),
      Row(
        .prompt(.showPasskey(900_001), connectionIndex: 0), of: Self.central,
        "\(address) wants to pair. Enter there: 900001.",
        #"{"event":"prompt","central":"\#(address)","kind":"passkey","number":"900001"}"#),
      Row(
        .prompt(.confirmPairing, connectionIndex: 0), of: Self.central,
        "\(address) wants to pair. Press y or n.",
        #"{"event":"prompt","central":"\#(address)","kind":"confirm"}"#),
      Row(
        .paired(connectionIndex: 0, identity: Self.identity, .none), of: Self.central,
        "Paired with \(address), without a check by a user.",
        #"{"event":"paired","central":"\#(address)","identity":"F0:00:00:00:00:41","authenticated":false,"secureConnections":false}"#
      ),
      Row(
        .paired(connectionIndex: 0, identity: Self.identity, .authenticated | .secureConnections),
        "Paired with F0:00:00:00:00:41, protected against a man in the middle.",
        #"{"event":"paired","identity":"F0:00:00:00:00:41","authenticated":true,"secureConnections":true}"#
      ),
      Row(
        .paired(connectionIndex: 0, identity: nil, .authenticated),
        "Paired, protected against a man in the middle.",
        #"{"event":"paired","authenticated":true,"secureConnections":false}"#),
      Row(
        .failed(connectionIndex: 0, .timeout), of: Self.central,
        "Not paired with \(address): the other side said nothing for 30 s.",
        #"{"event":"pairing","state":"failed","central":"\#(address)","reason":"the other side said nothing for 30 s"}"#
      ),
      Row(
        .failed(connectionIndex: 0, .linkLost), "Not paired: the connection was lost.",
        #"{"event":"pairing","state":"failed","reason":"the connection was lost"}"#),
      Row(
        .unencrypted(connectionIndex: 0), of: Self.central,
        "Not encrypted: \(address) has another key, or none.",
        #"{"event":"unencrypted","central":"\#(address)"}"#),
      Row(
        .forgotten(1), "Clear was held: 1 bond is forgotten.",
        #"{"event":"forgotten","count":1}"#),
      Row(
        .forgotten(2), "Clear was held: 2 bonds are forgotten.",
        #"{"event":"forgotten","count":2}"#),
    ]
    for row in rows {
      expect(written { Printer.writeWords(row.event, of: row.central, to: &$0) }, is: row.words)
      expect(written { Printer.writeJSON(row.event, of: row.central, to: &$0) }, is: row.json)
    }
  }

  @Test("Each reason of a failed pairing, by this side and by the other")
  func pairingFailures() {
    // Core Specification, Vol 3, Part H, 3.5.5.
    let reasons: [(code: UInt8, own: String?, peer: String)] = [
      (0x01, nil, "the passkey was not entered"), (0x02, nil, "there is no out-of-band data"),
      (
        0x03, "it cannot meet the required security",
        "this ball cannot meet its security requirements"
      ),
      (0x04, nil, "the passkey was wrong, or there is a man in the middle"),
      (0x05, nil, "pairing is not supported now"), (0x06, nil, "the key would be too short"),
      (0x07, nil, "a command is not supported"), (0x08, nil, "no reason is given"),
      (0x09, nil, "too many attempts; try again later"),
      (0x0A, nil, "a value was out of its range"), (0x0B, nil, "the check of the keys failed"),
      (0x0C, "the user said no", "the numbers differ"),
      (
        0x0F, "it did not prove that it has its bond; remove the bond first",
        "the key was rejected"
      ),
      (0x7E, nil, "reason 0x7E"),
    ]
    func words(_ fault: PairingEventError) -> String {
      written { Printer.writeWords(.failed(connectionIndex: 0, fault), of: nil, to: &$0) }
    }
    for (code, own, peer) in reasons {
      let failure = PairingError(rawValue: code)
      expect(words(.own(failure)), is: "Not paired: \(own ?? peer).")
      expect(words(.peer(failure)), is: "Not paired: the other side says: \(peer).")
    }
    expect(
      words(.encryption(.pinOrKeyMissing)),
      is: "Not paired: the radio could not encrypt, for HCI reason 0x06.")
  }

  @Test("A pairing number has six digits", arguments: [0, 9, 10, 99_999, 100_000, 999_999])
  func sixDigits(number: UInt32) {
    let digits = "\(number)"
    let zeros = String(repeating: "0", count: 6 - digits.count)
    expect(written { $0.write(sixDigits: number) }, is: zeros + digits)
  }

  // MARK: Queues and figures

  @Test("A line needs room for itself, for “…” and for its end: 4 bytes more than its text")
  func room() {
    for (count, isKept) in [(3, true), (4, true), (5, false)] {
      var queue = LineQueue<16>()
      // 7 + 1 bytes, so 16 - 8 - 4 = 4 are free for a text.
      queue.append { $0.write(text: "1234567") }
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
      queue.append { $0.write(text.span) }
      expect(queue.lostLines, is: isKept ? 0 : 1)
      expect(queue.pending.count, is: 8 + (isKept ? count + 1 : 0))
    }
    // With at most 4 free bytes, not even an empty line is added.
    for (count, isKept) in [(11, true), (12, false)] {
      var queue = LineQueue<17>()
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
      queue.append { $0.write(text.span) }
      queue.append { _ in }
      expect(queue.lostLines, is: isKept ? 0 : 1)
    }
  }

  @Test("While a single byte of a line waits, a line that is too long is left out, and not cut")
  func lastByte() {
    var queue = LineQueue<16>()
    queue.append { $0.write(text: "one") }
    queue.remove(3)
    let text = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
    queue.append { $0.write(text.span) }
    let waiting = (queue.pending.count, queue.lostLines)
    expect(waiting == (1, 1))
  }

  @Test("Lines that are lost and reported in the same turn are counted as unread")
  func lostInOneTurn() throws {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.outputRoom = 0
    // 8,192 bytes wait at most.
    for number in 0..<400 { bench.ask("Is it \(number)?", at: 100 + UInt64(number) * 100) }
    let before = bench.figures[.linesUnread]
    // The question and its answer are lost, and then there is room for all that waits.
    bench.machine.outputRoom = nil
    bench.ask("Is it?", at: 50_000)
    let report = bench.machine.outputLines.first { $0.contains("not read") }
    let lost = bench.figures[.linesUnread]
    expect(before > 0 && lost == before + 2)
    expect(report, is: "(\(lost) lines dropped: output was not read.)")
  }

  @Test("Figures differ if one of them does")
  func figures() {
    var index = 0
    while let figure = Figure(rawValue: index) {
      var figures = BallFigures()
      expect(figures, is: BallFigures())
      figures.count(figure)
      expect(figures != BallFigures())
      index += 1
    }
    expect(index, is: Figure.count)
  }
}
