// A ball of the SDK. It answers with the SDK's answers, or with those in its arguments.
//   be-a-ball [NAME [ANSWER…]]
import EightBallKit
import Foundation

let arguments = CommandLine.arguments.dropFirst()
let answers = arguments.dropFirst()
var options = BallPeripheral.Options()
options.localName = arguments.first ?? "SDK 8-Ball"
options.answersByItself = answers.isEmpty

let ball = BallPeripheral(options: options, queue: DispatchQueue(label: "ball"))
for await event in ball.events {
  switch event {
  case .advertising:
    say("Advertising")
  case .asked(let asker, let question):
    say("Question: \(question)")
    if let answer = answers.randomElement() { asker.send(answer) }
  case .answered(_, let answer, _):
    say("Answer: \(answer)")
  case .failed(let error, _):
    say("Error: \(error.localizedDescription)")
  case .stateUpdated:
    continue
  }
}

/// Prints a line at once, also into a pipe.
func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
