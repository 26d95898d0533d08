import LinuxSystem
import Testing

@testable import eightball

@Suite("The capture file")
struct CaptureOptionTests {
  @Test("An error says what failed, where, and what to do")
  func impossible() throws {
    let options = try ListDevices.parse(["--capture", "/no/such/folder/ball.btsnoop"]).radioOptions
    let error = #expect(throws: SystemError.self) { try options.sinks() }
    #expect(
      error?.description
        == "cannot keep packets in /no/such/folder/ball.btsnoop: No such file or directory. Give "
        + "--capture a file in a folder that exists and that you may write to")
  }
}
