import Testing

@testable import eightball

@Suite("A time on the command line")
struct TimeOptionTests {
  @Test(
    "Each command takes seconds or milliseconds, with or without the unit",
    arguments: [
      ("2", 2_000), ("2s", 2_000), ("0.5", 500), ("0.5s", 500), ("250ms", 250), ("1ms", 1),
      ("0.0014", 1), ("60s", 60_000), ("60000ms", 60_000),
    ])
  func right(text: String, milliseconds: UInt32) throws {
    #expect(try Ask.parse(["Is it?", "--timeout", text]).timeout?.milliseconds == milliseconds)
    #expect(try ListDevices.parse(["--timeout", text]).timeout.milliseconds == milliseconds)
    #expect(try Press.parse(["shake", "--hold", text]).hold.milliseconds == milliseconds)
  }

  @Test(
    "Anything else is refused with the right form",
    arguments: [
      "s", "ms", "2 s", "2m", "2S", "two", "0", "0ms", "0.0009", "-1s", "nan", "inf", "infs",
    ])
  func wrong(text: String) throws {
    try expectRefusal(of: Ask.self, ["Is it?", "--timeout=\(text)"], longest: 3_600)
    try expectRefusal(of: ListDevices.self, ["--timeout=\(text)"], longest: 3_600)
    try expectRefusal(of: Press.self, ["shake", "--hold=\(text)"], longest: 60)
  }

  @Test("A command waits an hour at most; a button is held for a minute at most")
  func longest() throws {
    #expect(try Ask.parse(["Is it?", "--timeout", "3600s"]).timeout?.milliseconds == 3_600_000)
    try expectRefusal(of: Ask.self, ["Is it?", "--timeout", "3600.001"], longest: 3_600)
    try expectRefusal(of: ListDevices.self, ["--timeout", "3600001ms"], longest: 3_600)
    try expectRefusal(of: Press.self, ["clear", "--hold", "60001ms"], longest: 60)
  }

  private func expectRefusal<Asked: Command>(
    of command: Asked.Type, _ arguments: [String], longest: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: (any Error).self, sourceLocation: location) {
      try Asked.parse(arguments)
    }
    let message = Asked.message(for: try #require(error, sourceLocation: location))
    #expect(
      message.hasSuffix("expected a time such as 3s or 250ms, up to \(longest)s"),
      sourceLocation: location)
  }
}
