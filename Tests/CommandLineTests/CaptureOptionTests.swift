import LinuxSystem
import Testing

@testable import eightball

@Suite("The file that packets are kept in")
struct CaptureOptionTests {
  @Test("One that cannot be made says what was tried, where, and what to do")
  func impossible() throws {
    let options = try RadioOptions.parse(["--capture", "/no/such/folder/ball.btsnoop"])
    let error = #expect(throws: SystemError.self) { try options.sinks() }
    #expect(
      error?.description
        == "cannot keep packets in /no/such/folder/ball.btsnoop: No such file or directory. Name "
        + "with --capture a file in a folder that there is, and that you may write to")
  }
}
