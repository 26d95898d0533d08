import BluetoothHost
import EightBall
import Expectations

private struct Question: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  let refusal: QuestionError?

  init(_ label: String, _ bytes: [UInt8], _ refusal: QuestionError?) {
    testDescription = label
    self.bytes = bytes
    self.refusal = refusal
  }

  init(_ text: String, _ refusal: QuestionError?) {
    self.init(text, Array(text.utf8), refusal)
  }
}

private let questions = [
  Question("Will it rain?", nil),
  Question("?", nil),
  Question("Wird es schön?", nil),
  Question("🎱?", nil),
  Question("A\nB\0?", nil),
  Question("nothing", [], .statement),
  Question("It will rain.", .statement),
  Question("Will it rain? ", .statement),
  Question("Will it rain?\n", .statement),
  Question("a question mark of full width", Array("Is it so？".utf8), .statement),
  Question("a Greek question mark, U+037E", Array("Is it so\u{037E}".utf8), .statement),
  Question("not UTF-8", [0xFF, 0x3F], .notUTF8),
  Question("not UTF-8, and no question either", [0xC3], .notUTF8),
  Question("a question mark after an incomplete character", [0xE2, 0x80, 0x3F], .notUTF8),
  Question("512 bytes", [UInt8](repeating: 0x61, count: 511) + [0x3F], nil),
  Question("513 bytes", [UInt8](repeating: 0x61, count: 512) + [0x3F], .tooLong),
  Question("513 bytes that are not UTF-8", [UInt8](repeating: 0xFF, count: 513), .tooLong),
]

@Suite("The question rule")
struct QuestionRuleTests {
  @Test("A question is UTF-8 that ends in a question mark", arguments: questions)
  fileprivate func rule(question: Question) {
    expect(QuestionRule.error(in: question.bytes.span), is: question.refusal)
  }

  @Test("Each refusal has its error code")
  func codes() {
    expect(QuestionError.statement.code.rawValue, is: 0x0E)
    expect(QuestionError.notUTF8.code.rawValue, is: 0x80)
    expect(QuestionError.tooLong.code.rawValue, is: 0x0D)
  }
}
