import ArgumentParser
import BluetoothHost
import LinuxSystem
import Testing

@testable import eightball

@Suite("What a ball wants of a link, and its bonds, on the command line")
struct SecurityOptionTests {
  @Test("Names what a link must have, and nothing unless given")
  func names() throws {
    #expect(try Run.parse([]).security.protection == nil)
    #expect(try Run.parse(["--security", "none"]).security.protection == nil)
    #expect(try Run.parse(["--security", "encrypted"]).security.protection == .encrypted)
    #expect(throws: (any Error).self) { try Run.parse(["--security", "secret"]) }
  }

  @Test("A number cannot be compared where nothing is printed")
  func quiet() {
    let error = #expect(throws: (any Error).self) {
      try Run.parse(["--security", "authenticated", "--quiet"])
    }
    let words = error.map { Run.message(for: $0) } ?? ""
    #expect(words.contains("there is no terminal for that with --quiet"), "\(words)")
  }

  @Test("Private addresses take pairing, and are no other address")
  func privacy() throws {
    #expect(try Run.parse(["--private", "--security", "encrypted"]).isPrivate)
    for (wrong, reason) in [
      (["--private"], "takes --security"),
      (["--private", "--security", "encrypted", "--address", "random"], "exclude each other"),
    ] {
      let error = #expect(throws: (any Error).self) { try Run.parse(wrong) }
      let words = error.map { Run.message(for: $0) } ?? ""
      #expect(words.contains(reason), "\(words)")
    }
  }

  @Test("A bond is named by an address, or all of them at once")
  func removal() throws {
    #expect(try Bonds.parse(["--remove", "c0:00:00:00:00:01"]).remove == "c0:00:00:00:00:01")
    #expect(try Bonds.parse(["--remove", "all"]).remove == "all")
    for wrong in ["", "x", "C0:00:00:00:00", "C0:00:00:00:00:0", "C0:00:00:00:00:01:02", "All"] {
      #expect(throws: (any Error).self, "\(wrong)") { try Bonds.parse(["--remove", wrong]) }
    }
    #expect(throws: (any Error).self) { try Bonds.parse(["--of-ask", "--file", "/tmp/x"]) }
    #expect(throws: (any Error).self) { try Bonds.parse(["--file", ""]) }
  }

  @Test("A key is an answer only while something is asked")
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

  @Test("A ball whose bonds have no place runs without a file, and says so")
  func noPlace() {
    var keeper = BondKeeper(nil)
    #expect(keeper.notice == "neither HOME nor XDG_STATE_HOME says where to keep them")
    let isKept = keeper.keep(Span())
    #expect(!isKept)
    let impossible = BondKeeper("/dev/null/ball.bonds")
    #expect(impossible.notice?.contains("/dev/null") == true)
    #expect(impossible.trouble == impossible.notice)
  }
}
