import BallControl
import Expectations
import LinuxRadio

@testable import eightball

@Suite("Printing a ball's events")
struct EventsProgramTests {
  private final class Output {
    var lines: [String] = []
    var notes: [String] = []
  }

  private let output = Output()

  /// A program to which this has happened.
  private func program(
    follows: Bool = false, addsLayers: Bool = false, after events: [ControlClient.Event]
  ) -> EventsProgram {
    var program = EventsProgram(
      follows: follows, addsLayers: addsLayers, print: { [output] in output.lines.append($0) },
      note: { [output] in output.notes.append($0) })
    for event in events { program.take(event) }
    return program
  }

  private func line(_ text: String) -> ControlClient.Event { .line(Array(text.utf8)) }

  private let packet = #"{"event":"packet","time":1,"direction":"out","bytes":"01030c00"}"#

  @Test("It prints the lines until the ball ends")
  func untilTheEnd() {
    var program = program(after: [.connected(path: "/a"), line(packet), .ended(nil)])
    expect(program.ending, is: nil)
    program.take(.unreachable(.noBall(["/a"])))
    expect(program.ending, is: .ballEnded)
    expect(output.lines, is: [packet])
    expect(output.notes, is: [])
  }

  @Test("It adds the layers to a packet if asked")
  func layers() {
    _ = program(addsLayers: true, after: [.connected(path: "/a"), line(packet), line("{}")])
    expect(
      output.lines,
      is: [
        packet.dropLast() + #","layers":[{"layer":"HCI","bytes":"01030c00","text":"Reset"}],"#
          + #""kind":"setup"}"#, "{}",
      ])
  }

  @Test("Without a ball it says what to start, and ends")
  func noBall() {
    let program = program(after: [.unreachable(.noBall(["/a", "/b"]))])
    expect(program.ending, is: .failed(.noBall(["/a", "/b"])))
    expect(
      output.notes,
      is: ["Error: no ball runs: nothing listens at /a or /b. Start one: eightball run."])
  }

  @Test("A program that was too slow warns of missing lines, and continues")
  func tooSlow() {
    var program = program(after: [.connected(path: "/a"), .ended(nil), .connected(path: "/a")])
    expect(output.notes, is: [])
    program.take(line("{}"))
    program.take(line("{}"))
    expect(program.ending, is: nil)
    expect(output.lines, is: ["{}", "{}"])
    expect(
      output.notes,
      is: ["Warning: lines are missing: this program read too slowly, so the ball dropped it."])
  }

  @Test("With --follow it waits for the first ball and for the next")
  func follow() {
    let program = program(
      follows: true,
      after: [
        .unreachable(.noBall(["/a"])), .connected(path: "/a"), line("1"), .ended(nil),
        .unreachable(.noBall(["/a"])), .connected(path: "/a"), line("2"),
        .ended(.lineTooLong(65_536)),
      ])
    expect(program.ending, is: nil)
    expect(output.lines, is: ["1", "2"])
    expect(
      output.notes,
      is: [
        "Waiting for a ball at /a.", "Waiting for a ball at /a.",
        "Error: the ball sent a line of more than 65536 bytes; is there something else at its "
          + "socket?",
      ])
  }

  @Test("An error of the connection is printed, and ends the program")
  func broken() {
    let error = ControlError.broken(SystemError(.timedOut, "read from", "/a"))
    let program = program(after: [.connected(path: "/a"), .ended(error)])
    expect(program.ending, is: .failed(error))
    expect(output.notes, is: ["Error: cannot read from /a: Connection timed out."])
  }

  @Test("The socket, packets and following are options")
  func options() throws {
    let plain = try Events.parse([])
    expect(plain.control == nil && !plain.packets && !plain.follow)
    let full = try Events.parse(["--control", "/a", "--packets", "--follow"])
    expect(full.control == "/a" && full.packets && full.follow)
  }
}
