// `ask-benchmark RADIO COUNT`: asks the first ball COUNT questions, one after another, by the SDK:
// subscribes, writes, waits for the answer, and unsubscribes each time. Prints one JSON object.
import CoreBluetooth
import Dispatch
import EightBallKit
import Foundation

guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]), count > 0 else {
  FileHandle.standardError.write(Data("usage: ask-benchmark RADIO COUNT\n".utf8))
  exit(64)
}
let radio = try CBRadio(CommandLine.arguments[1])
var options = BallCentral.Options()
options.rssiRange = nil
options.answerTimeout = 10
let central = BallCentral(
  options: options, queue: DispatchQueue(label: "ask-benchmark"),
  makeManager: { CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
for await event in central.events {
  guard case .discovered(let ball) = event else { continue }
  let clock = ContinuousClock()
  var times: [Duration] = []
  let start = clock.now
  for number in 0..<count {
    let begin = clock.now
    _ = try await ball.ask("Is this number \(number)?")
    times.append(clock.now - begin)
  }
  let total = clock.now - start
  let median = times.sorted()[count / 2]
  print(
    "{\"client\":\"EightBallKit\",\"asks\":\(count),\"seconds\":\(total / .seconds(1)),"
      + "\"median_microseconds\":\(Int(median / .microseconds(1)))}")
  break
}
radio.close()
