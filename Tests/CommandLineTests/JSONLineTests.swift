import BluetoothHost
import EightBall
import Expectations

@testable import eightball

@Suite("One JSON object per line")
struct JSONLineTests {
  // How each text is escaped, and what is replaced, is in WordTests of BallRunnerTests.
  @Test("Members keep the order in which they are added, and texts are escaped")
  func order() {
    var line = JSONLine(event: "first")
    line.add("number", -120)
    line.add("missing", nil as Int?)
    line.add("missing", nil as String?)
    line.add("truth", true)
    line.add("text", "a\"b\n\u{7}🎱")
    line.add("texts", texts: ["180A", "1800"])
    line.add(
      "address", DeviceAddress(kind: .public, bytes: [0x01, 0, 0, 0, 0, 0xF0]) as DeviceAddress?)
    expect(
      line.text,
      is: #"{"event":"first","number":-120,"truth":true,"text":"a\"b\n\u0007🎱","#
        + #""texts":["180A","1800"],"address":"F0:00:00:00:00:01"}"#)
  }

  @Test("A text from the air does not control the terminal")
  func printableText() {
    expect(printable("a\u{1B}[2Jb👩\u{200D}🚀"), is: "a\u{FFFD}[2Jb👩\u{200D}🚀")
  }
}
