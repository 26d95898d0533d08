import BluetoothHost
import LinuxSystem
import Testing

@testable import eightball

@Suite("Security and bonds on the command line")
struct SecurityOptionTests {
  @Test("--security names what a link must be; the default is an open ball")
  func names() throws {
    #expect(try Run.parse([]).security.protection == nil)
    #expect(try Run.parse(["--security", "none"]).security.protection == nil)
    #expect(try Run.parse(["--security", "encrypted"]).security.protection == .encrypted)
    #expect(throws: (any Error).self) { try Run.parse(["--security", "secret"]) }
  }

  @Test("--security authenticated needs printed lines")
  func quiet() {
    let error = #expect(throws: (any Error).self) {
      try Run.parse(["--security", "authenticated", "--quiet"])
    }
    let words = error.map { Run.message(for: $0) } ?? ""
    #expect(words.contains("there is none with --quiet"), "\(words)")
  }

  @Test("--pairing-window requires --security")
  func pairingWindow() throws {
    #expect(try !Run.parse(["--security", "encrypted"]).keepsPairingOpen)
    #expect(try Run.parse(["--security", "encrypted", "--pairing-window"]).keepsPairingOpen)
    for wrong in [["--pairing-window"], ["--pairing-window", "--security", "none"]] {
      let error = #expect(throws: (any Error).self) { try Run.parse(wrong) }
      let words = error.map { Run.message(for: $0) } ?? ""
      #expect(words.contains("add --security"), "\(words)")
    }
  }

  @Test("--private requires --security, and excludes --address")
  func privacy() throws {
    #expect(try Run.parse(["--private", "--security", "encrypted"]).isPrivate)
    for (wrong, reason) in [
      (["--private"], "add --security"),
      (["--private", "--security", "encrypted", "--address", "random"], "exclude each other"),
    ] {
      let error = #expect(throws: (any Error).self) { try Run.parse(wrong) }
      let words = error.map { Run.message(for: $0) } ?? ""
      #expect(words.contains(reason), "\(words)")
    }
  }

  @Test("--remove takes an address, or all")
  func removal() throws {
    #expect(try Bonds.parse(["--remove", "c0:00:00:00:00:01"]).remove == "c0:00:00:00:00:01")
    #expect(try Bonds.parse(["--remove", "all"]).remove == "all")
    for wrong in ["", "x", "C0:00:00:00:00", "C0:00:00:00:00:0", "C0:00:00:00:00:01:02", "All"] {
      #expect(throws: (any Error).self, "\(wrong)") { try Bonds.parse(["--remove", wrong]) }
    }
    #expect(throws: (any Error).self) { try Bonds.parse(["--of-ask", "--file", "/tmp/x"]) }
    #expect(throws: (any Error).self) { try Bonds.parse(["--file", ""]) }
  }

  @Test("A key answers only while a question is pending")
  func keys() {
    let user = PairingUser()
    user.press("y")
    #expect(user.takeAnswer() == nil)
    user.question = .compareNumber(1)
    user.press("x")
    #expect(user.takeAnswer() == nil)
    user.press("y")
    #expect(user.takeAnswer() == true)
    #expect(user.takeAnswer() == nil)
    user.press("N")
    #expect(user.takeAnswer() == false)
  }
}
