import BallControl
import BallRunner
import Testing

@testable import BallSwarm

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
    #expect(line.last == UInt8(ascii: "\n"))
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.hasPrefix(#"{"event":"figures","balls":10000,"version":"0.2.0","radio_ready":"#))
    let read = try #require(FiguresLine(line))
    #expect(read.balls == 10_000 && read.figures == sum)
  }

  @Test(
    "Another request is refused",
    arguments: ["", "figure", "figures ", "down shake", "\"\u{1}"])
  func others(request: String) throws {
    let line = SwarmReply.line(to: Array(request.utf8), with: (BallFigures(), 1))
    #expect(line.last == UInt8(ascii: "\n"))
    let read = try #require(FiguresLine(line))
    #expect(read.event == "error" && read.request == request)
    #expect(read.detail == "The only request to a swarm is figures.")
  }
}
