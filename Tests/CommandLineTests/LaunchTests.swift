import Expectations

@testable import eightball

@Suite("The command line is read, or the mistake is explained")
struct LaunchTests {
  @Test(
    "An unknown command is explained once, without the usage",
    arguments: [
      (["scna"], "There is no command “scna”. Did you mean scan?"),
      (["help", "nothing"], "There is no command “nothing”."),
      (["Will it rain?"], "To ask a ball: eightball ask \"Will it rain?\""),
    ])
  func mistakes(arguments: [String], explanation: String) throws {
    let text = try #require(Launch.mistake(in: arguments))
    expect(text.contains(explanation), "\(text)")
    expect(!text.contains("Usage:"))
    expect(text.contains(" --help"))
  }

  @Test("An argument that is not UTF-8 is a mistake, and is named by its number")
  func notUTF8() {
    expect(Launch.mistake(in: ["ask", nil])?.hasPrefix("Argument 2 is not valid UTF-8"), is: true)
  }

  @Test(
    "Commands are taken",
    arguments: [
      ["run"], [], ["--seed", "8"], ["ask", "Will it rain?"], ["ask", "-"], ["ask", "--stay"],
      ["ask", "--stay", "--random"], ["swarm", "--name=-x"],
    ])
  func commands(arguments: [String]) {
    guard case .command = Launch.read(arguments) else {
      Issue.record("\(arguments) is refused")
      return
    }
  }

  @Test("A question in bytes has at most 512, and is UTF-8")
  func questions() throws {
    expect(try QuestionInputError.question(of: Array("Why?".utf8)), is: "Why?")
    #expect(throws: QuestionInputError.empty) { try QuestionInputError.question(of: []) }
    #expect(throws: QuestionInputError.notUTF8) {
      try QuestionInputError.question(of: [0xFF, 0x3F])
    }
    let longest = [UInt8](repeating: 0x61, count: 512)
    #expect(throws: Never.self) { try QuestionInputError.question(of: longest) }
    #expect(throws: QuestionInputError.tooLong) {
      try QuestionInputError.question(of: longest + [0x3F])
    }
  }

  @Test("--timeout is the limit of the search, the preparation and the answer, and of all of them")
  func timeouts() throws {
    func request(_ arguments: String...) throws -> AskRequest {
      try Ask.parse(arguments).request(AskPrinter(isJSON: true))
    }
    var asked = try request("Why?", "--timeout", "1s")
    expect(asked.limits.whole, is: 1_000)
    expect(asked.limits.search == 1_000 && asked.answerTimeout == 1_000)
    asked = try request("Why?")
    expect(asked.limits.whole == nil && asked.limits.search == 5_000)
    asked = try request("--stay", "--timeout", "1s")
    expect(asked.limits.whole == nil && asked.answerTimeout == 1_000)
    asked = try request("Why?", "--pair")
    expect(asked.answerTimeout == 60_000 && asked.pairs)
  }
}
