import BallTestSupport
import BluetoothHost
import EightBall
import Expectations

@Suite("Answers")
struct AnswerTests {
  @Test("There are exactly twenty answers")
  func count() {
    expect(Answer.count == 20 && answerTexts.count == 20)
    expect(Answer(rawValue: 19) != nil && Answer(rawValue: 20) == nil)
    expect(Answer(rawValue: 255), is: nil)
  }

  @Test("Each answer has an English text and a slug", arguments: 0..<20)
  func wording(index: Int) throws {
    let answer = try #require(Answer(rawValue: UInt8(index)))
    expect(text(answer), is: answerTexts[index])
    expect(text(answer, .slug), is: "SLUG-ANSWER-" + (index < 10 ? "0" : "") + "\(index)")
    expect(answer.text.byteCount, is: answerTexts[index].utf8.count)
  }

  @Test("An answer is cut to what fits, with the least MTU 20 bytes, and never within a character")
  func cut() {
    for index in 0..<20 {
      guard let answer = Answer(rawValue: UInt8(index)) else { continue }
      expect(text(answer, capacity: 20), is: String(answerTexts[index].prefix(20)))
      // 12 + 2 = 14 bytes
      expect(text(answer, .slug, capacity: 20).utf8.count, is: 14)
    }
  }

  @Test("Each answer is as likely as the others")
  func uniform() {
    var source = RandomSource(seed: 2026)
    var counts = [Int](repeating: 0, count: 20)
    for _ in 0..<100_000 { counts[Int(Answer.random(from: &source).rawValue)] += 1 }
    // 100,000 / 20 = 5,000 are expected of each. With 20 − 1 = 19 degrees of freedom, chi-square
    // is above 43.82 in one of 1,000 runs of a fair source.
    let chiSquare = counts.reduce(0.0) { sum, count in
      let difference = Double(count) - 5_000
      return sum + difference * difference / 5_000
    }
    expect(chiSquare < 43.82)
  }

  @Test("Each pair of successive answers is as likely as the others")
  func independent() {
    var source = RandomSource(seed: 2027)
    var counts = [Int](repeating: 0, count: 400)
    for _ in 0..<100_000 {
      let first = Int(Answer.random(from: &source).rawValue)
      counts[first * 20 + Int(Answer.random(from: &source).rawValue)] += 1
    }
    // 250 of each; with 399 degrees of freedom, 0.001 lies at about
    // 399 × (1 − 2 / (9 × 399) + 3.09 × √(2 / (9 × 399)))³ = 491.
    let chiSquare = counts.reduce(0.0) { sum, count in
      let difference = Double(count) - 250
      return sum + difference * difference / 250
    }
    expect(chiSquare < 491)
  }

  @Test("The database's hash is that of its attributes, which fill its room")
  func database() {
    let database = EightBallProfile.makeDatabase()
    expect(database.hash, is: DatabaseHash(of: database.attributes))
    let attributes = database.attributes
    let isFull = !attributes[attributes.count - 1].isVacant
    expect(isFull, "EightBallProfile.Database has too large a capacity")
  }
}

@Suite("Random numbers")
struct RandomSourceTests {
  @Test("SplitMix64 agrees with its authors' program")
  func reference() {
    var source = RandomSource(seed: 1_234_567)
    let reference: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    for number in reference { expect(source.next(), is: UInt32(number >> 32)) }
  }

  @Test("The same seed gives the same numbers, another seed others", arguments: [0, 1, 8, .max])
  func repeatable(seed: UInt64) {
    var first = RandomSource(seed: seed)
    var second = RandomSource(seed: seed)
    var other = RandomSource(seed: seed ^ 1)
    let numbers = (0..<100).map { _ in first.next() }
    expect(numbers, is: (0..<100).map { _ in second.next() })
    expect(numbers != (0..<100).map { _ in other.next() })
  }

  @Test(
    "Numbers below a bound are below it",
    arguments: [1, 2, 3, 20, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, .max])
  func bound(bound: UInt32) {
    var source = RandomSource(seed: 3)
    for _ in 0..<1_000 {
      if source.next(below: bound) >= bound { Issue.record("not below \(bound)") }
    }
  }

  @Test("Below 0 the number is 0, and no number is used up")
  func bound0() {
    var source = RandomSource(seed: 3)
    var untouched = source
    expect(source.next(below: 0), is: 0)
    expect(source.next(), is: untouched.next())
  }

  @Test("Small numbers are as likely as large ones")
  func noBias() {
    // Of 2³² numbers, the last quarter would repeat the first third of 3 × 2³⁰: by a plain
    // remainder half of all would lie there, instead of a third.
    var source = RandomSource(seed: 4)
    var low = 0
    for _ in 0..<30_000 where source.next(below: 0xC000_0000) < 0x4000_0000 { low += 1 }
    // 10,000; the standard deviation is √(30,000 × 1/3 × 2/3) = 82.
    expect(abs(low - 10_000) < 4 * 82)
  }
}
