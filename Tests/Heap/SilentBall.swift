// The ball on the radio that the first argument names, watched by nobody: all that `eightball run`
// does for a question, but for printing it. Linked by scripts/check-heap with the modules of a build.

import BluetoothHost
import EightBall
import LinuxBoard
import LinuxSystem

struct Nobody: BallObserver {
  mutating func radioWasLost(_ error: RadioError) {}

  mutating func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {}
}

@main
struct SilentBall {
  static func main() throws {
    let configuration = HostConfiguration(
      name: DeviceName(StaticText("8-Ball")), service: .ballService, address: .public)
    var ball = BallProgram(
      configuration: configuration, seed: 8, style: .text, observer: Nobody())
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    var radio = try Radio(try RadioName(CommandLine.arguments[1]), loop: loop)
    try RadioLoop.run(&ball, on: &radio, in: loop, endedBy: signals)
    radio.close()
  }
}
