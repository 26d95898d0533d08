import Expectations

@testable import eightball

@Suite("The names of a swarm")
struct NamePatternTests {
  @Test(
    "%d is the number of the ball, with leading zeros if it has a width",
    arguments: [
      ("Ball %d", 7, "Ball 7"), ("Ball %03d", 7, "Ball 007"), ("Ball %03d", 1_234, "Ball 1234"),
      ("%d", 1, "1"), ("%d. Ball", 12, "12. Ball"), ("Kugel №%02d!", 3, "Kugel №03!"),
      ("100 %% Ball %d", 8, "100 % Ball 8"), ("%d %%d", 8, "8 %d"), ("Ball", 8, "Ball"),
      ("50 %%", 1, "50 %"), ("%00d", 1, "1"),
    ])
  func names(pattern: String, ball: Int, name: String) throws {
    expect(try NamePattern(pattern).name(of: ball), is: name)
  }

  @Test("Without a number all names are the same")
  func same() throws {
    expect(try NamePattern("Ball").isSame)
    expect(try NamePattern("%%d").isSame)
    expect(try !NamePattern("Ball %d").isSame)
  }

  @Test(
    "Any other percent sign is an error, and so is a second number",
    arguments: ["%", "Ball %", "%s", "%3d", "%-d", "%0003d", "%0", "% d", "%D", "%1$d", "%٣d"])
  func otherPercentSigns(pattern: String) {
    #expect(throws: NamePatternError.percentSign(pattern)) { try NamePattern(pattern) }
    #expect(throws: NamePatternError.secondNumber("%d of %d")) { try NamePattern("%d of %d") }
  }

  @Test("Each name has 1 to 29 bytes of UTF-8, including the last")
  func lengths() throws {
    // 27 letters and 2 digits are 29 bytes; a third digit is one too many.
    let letters = String(repeating: "x", count: 27)
    try NamePattern(letters + "%d").validate(count: 99)
    #expect(throws: NamePatternError.length(name: letters + "100", ball: 100)) {
      try NamePattern(letters + "%d").validate(count: 100)
    }
    // 10 signs of 3 bytes are 30 bytes.
    let signs = String(repeating: "№", count: 10)
    #expect(throws: NamePatternError.length(name: signs, ball: 1)) {
      try NamePattern(signs).validate(count: 5)
    }
    #expect(throws: NamePatternError.length(name: "", ball: 1)) {
      try NamePattern("").validate(count: 1)
    }
  }

  @Test("An error says what to write instead")
  func words() {
    expect(
      NamePatternError.percentSign("50%").description,
      is:
        "“50%” has a percent sign that stands for no number: write %d for the number of the ball, %03d for "
        + "three digits, or %% for a percent sign")
    expect(
      NamePatternError.length(name: String(repeating: "x", count: 30), ball: 100).description
        .hasSuffix("is 30 bytes long in UTF-8; an advertisement holds at most 29. Shorten --name"))
  }
}
