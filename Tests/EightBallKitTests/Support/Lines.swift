@testable import EightBallKit

/// What was called, in order.
final class Lines: Sendable {
  private let lines = Locked<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

final class Recorder: BallCentralObserver, BallPeripheralObserver, Sendable {
  let lines: Lines

  init(_ lines: Lines = Lines()) { self.lines = lines }

  func ballManagerDidUpdateState(_ manager: BallManager) {
    lines.note("powered \(manager.isPoweredOn ? "on" : "off")")
  }

  func ballManager(
    _ manager: BallManager, didFailWith error: BallError, for device: (any BallDevice)?
  ) {
    lines.note("failed \(error.words)\(device == nil ? ", no device" : "")")
  }

  func ballCentral(_ central: BallCentral, didDiscover ball: Ball) { lines.note("discovered") }
  func ballCentral(_ central: BallCentral, didAsk ball: Ball) {
    lines.note("asked \(ball.question ?? "-")")
  }
  func ballCentral(_ central: BallCentral, didReceiveAnswerFrom ball: Ball) {
    lines.note("answered \(ball.answer ?? "-")")
  }
  func ballCentral(_ central: BallCentral, didLose ball: Ball) { lines.note("lost") }

  func ballPeripheral(_ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker)
  {
    lines.note("asked \(question)")
  }
  func ballPeripheral(
    _ peripheral: BallPeripheral, didSend answer: String, to asker: BallAsker, question: String
  ) {
    lines.note("sent \(answer) to \(question)")
  }
}
