import BallRunner
import EightBall
import Expectations

/// A scripted control socket: programs join, send requests and leave, and what the ball sends is
/// recorded.
final class TestControl {
  var allowsRemoteButtons = true
  var pressResult = PressResult.done
  var lights: [LightName] = [.status, .answer]
  /// The presses that the ball has made.
  var presses: [String] = []
  /// Which listeners want packets.
  var packets: [Int: Bool] = [:]

  private(set) var events: [(ControlEvent, String)] = []
  private var texts: [Int: String] = [:]

  /// A program joins.
  func join(_ listener: Int) {
    texts[listener] = ""
    events.append((.joined(listener), ""))
  }

  /// A program sends a line.
  func ask(_ line: String, as listener: Int) { events.append((.request(listener), line)) }

  /// A program leaves.
  func leave(_ listener: Int) {
    texts[listener] = nil
    events.append((.left(listener), ""))
  }

  /// Takes the lines that were sent to a program.
  func takeLines(of listener: Int) -> [String] {
    defer { texts[listener] = "" }
    return (texts[listener] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map(String.init)
  }

  var hasListeners: Bool { !texts.isEmpty }
  func takeEvent() -> (ControlEvent, String)? { events.isEmpty ? nil : events.removeFirst() }

  func send(_ lines: [UInt8], to listener: Int?) {
    expect(lines.last, is: UInt8(ascii: "\n"), "The ball sends whole lines.")
    for key in listener.map({ [$0] }) ?? Array(texts.keys) {
      texts[key]? += String(decoding: lines, as: UTF8.self)
    }
  }
}
