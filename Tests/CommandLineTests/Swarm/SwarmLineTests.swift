import BallControl
import BallRunner
import BluetoothHost
import Expectations
import LinuxRadio

@testable import eightball

@Suite("The lines of a swarm")
struct SwarmLineTests {
  @Test(
    "A JSON object gets the number of its ball after the event's name",
    arguments: [
      (
        #"{"event":"answer","central":"C0:00","text":"Yes."}"#,
        #"{"event":"answer","ball":7,"central":"C0:00","text":"Yes."}"#
      ),
      (
        #"{"event":"question","text":"\"a\", or {b}?"}"#,
        #"{"event":"question","ball":7,"text":"\"a\", or {b}?"}"#
      ),
      (#"{"event":"missed","count":3}"#, #"{"event":"missed","ball":7,"count":3}"#),
    ])
  func json(line: String, expected: String) {
    var storage = [UInt8](repeating: 0, count: 200)
    var writer = ByteWriter(storage.mutableSpan)
    SwarmLines.write(Array(line.utf8).span, of: 7, to: &writer)
    let count = writer.count
    expect(String(decoding: storage.prefix(count), as: UTF8.self), is: expected)
  }

  private func configuration(_ count: Int, _ name: String) throws -> SwarmConfiguration {
    SwarmConfiguration(count: count, names: try NamePattern(name), seed: SwarmSeed(rawValue: 8))
  }

  @Test("The first line has the number of balls, their names, and their seed")
  func begun() throws {
    let hundred = SwarmNotice.begun(try configuration(100, "Ball %03d"))
    expect(hundred.line(.words), is: "100 balls advertise: “Ball 001” to “Ball 100” (--seed 8).")
    expect(
      hundred.line(.json),
      is:
        #"{"event":"swarm","count":100,"first":"Ball 001","last":"Ball 100","connections":1,"seed":8}"#
    )
    expect(hundred.line(.none), is: nil)
    expect(
      SwarmNotice.begun(try configuration(20, "“8\"")).line(.words),
      is: "20 balls advertise as ““8\"” (--seed 8).")
    expect(
      SwarmNotice.begun(try configuration(20, "8\"")).line(.json)?.contains(#""first":"8\"","#),
      is: true)
    expect(
      SwarmNotice.begun(try configuration(1, "Ball %d")).line(.words),
      is: "1 ball advertises as “Ball 1” (--seed 8).")
  }

  @Test("A name cannot control the terminal")
  func printable() throws {
    let notice = SwarmNotice.begun(try configuration(1, "8\u{1B}[31m"))
    expect(notice.line(.words)?.contains("\u{1B}"), is: false)
  }

  @Test("A storm reports how many connections it ended")
  func storm() {
    expect(SwarmNotice.storm(dropped: 1).line(.words), is: "1 connection was ended.")
    expect(SwarmNotice.storm(dropped: 37).line(.words), is: "37 connections were ended at once.")
    expect(SwarmNotice.storm(dropped: 37).line(.json), is: #"{"event":"storm","dropped":37}"#)
  }

  @Test("A radio for one controller is refused with the radios that can be used")
  func radios() throws {
    for name in ["virtual", "unix:/tmp/air", "tcp-client:127.0.0.1:7300"] {
      expect(SwarmConfiguration.error(for: try RadioAddress(name)), is: nil)
    }
    for name in ["hci0", "serial:/dev/ttyUSB0", "tcp-server:127.0.0.1:7300"] {
      let refusal = SwarmConfiguration.error(for: try RadioAddress(name))
      expect(refusal?.contains("use virtual, unix:PATH or tcp-client:HOST:PORT"), is: true)
    }
  }

  @Test("A full air names the command that makes room for the swarm and its test clients")
  func full() {
    expect(
      SwarmError.airIsFull(.virtual, count: 100).description,
      is:
        "the virtual air has no room for 100 balls. Host an air with more room before you start the "
        + "others: eightball radio --limit 200")
    expect(
      SwarmError.airIsFull(.unix(path: "/tmp/air"), count: 1_000).description
        .hasSuffix("eightball radio --listen unix:/tmp/air --limit 1100"))
    expect(
      SwarmError.airIsFull(.virtual, count: 10_000).description
        .hasSuffix("eightball radio --limit 10000"))
  }
}

@Suite("What a swarm answers at its control socket")
struct SwarmReplyTests {
  @Test("The figures are the event of a ball, with the number of balls")
  func figures() throws {
    var sum = BallFigures()
    for number in 0..<Figure.count {
      // The longest numbers that the event has.
      Figure(rawValue: number).map { sum[$0] = UInt64(Int.max) - UInt64(number) }
    }
    let line = SwarmReply.line(to: Array("figures".utf8), with: (sum, 10_000))
    expect(line.last, is: UInt8(ascii: "\n"))
    let text = String(decoding: line, as: UTF8.self)
    expect(text.hasPrefix(#"{"event":"figures","balls":10000,"version":"0.2.0","radio_ready":"#))
    let read = try #require(FiguresLine(line))
    expect(read.balls == 10_000 && read.figures == sum)
  }

  @Test(
    "Another request is refused",
    arguments: ["", "figure", "figures ", "down shake", "\"\u{1}"])
  func others(request: String) throws {
    let line = SwarmReply.line(to: Array(request.utf8), with: (BallFigures(), 1))
    expect(line.last, is: UInt8(ascii: "\n"))
    let read = try #require(FiguresLine(line))
    expect(read.event == "error" && read.request == request)
    expect(read.detail, is: "The only request to a swarm is figures.")
  }
}
