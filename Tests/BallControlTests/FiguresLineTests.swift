import BallControl
import BallRunner
import BluetoothHost
import Testing

@Suite("The event of the figures")
struct FiguresLineTests {
  @Test("The figures that a ball sends are read back")
  func figures() throws {
    var figures = BallFigures()
    for number in 0..<Figure.count {
      Figure(rawValue: number).map { figures[$0] = UInt64(1_000 + number) }
    }
    var line = ByteBuffer<2_048>()
    line.write { $0.writeJSON(figures) }
    let bytes = line.span.indices.map { line.span[$0] }
    let read = try #require(FiguresLine(bytes))
    #expect(read.event == "figures")
    #expect(read.version == "0.2.0")
    #expect(read.balls == 1)
    #expect(read.figures == figures)
    // Truncated at any byte, it is refused.
    for count in bytes.indices {
      #expect(FiguresLine(Array(bytes.prefix(count))) == nil)
    }
  }

  @Test(
    "Figures that a ball lacks are 0, and unknown figures are ignored")
  func otherVersions() throws {
    let text = #"{"event":"figures","version":"9.0.0","questions":8,"wishes":3}"#
    let read = try #require(FiguresLine(Array(text.utf8)))
    var expected = BallFigures()
    expected[.questions] = 8
    #expect(read.figures == expected)
  }

  @Test("What follows the object is refused, except white space")
  func ends() {
    for text in [#"{"event":"a"}x"#, #"{"event":"a"}{}"#, "{}}", "{} 1"] {
      #expect(ControlLine(Array(text.utf8)) == nil)
    }
    #expect(ControlLine(Array("{\"event\":\"a\"} \r\n".utf8))?.event == "a")
    #expect(ControlLine(Array("{} ".utf8)) != nil)
  }

  @Test("A refused request says why, and a swarm says of how many balls its figures are")
  func others() throws {
    let refusal = #"{"event":"error","request":"figures","detail":"This ball keeps no figures."}"#
    let refused = try #require(FiguresLine(Array(refusal.utf8)))
    #expect(refused.event == "error" && refused.request == "figures")
    #expect(refused.detail == "This ball keeps no figures.")
    let text = #"{"event":"figures","balls":20,"version":"0.2.0","questions":8}"#
    let swarm = try #require(FiguresLine(Array(text.utf8)))
    #expect(swarm.balls == 20 && swarm.figures[.questions] == 8)
  }
}
