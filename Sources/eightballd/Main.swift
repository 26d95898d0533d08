import BallRunner
import BluetoothHost
import Boards
import CLinuxPort
import EightBall
import LinuxPort

@c(main)
public func main(
  count: Int32, arguments: UnsafePointer<UnsafePointer<CChar>?>
) -> Int32 {
  guard count > 1, let text = unsafe arguments[1] else { return 64 }
  let t = unsafe ProgramText(text)
  guard let choice = try? RadioChoice(t.span) else { return 64 }
  guard let port = try? LinuxPort(choice, board: nil) else { return 1 }
  let c = BallConfiguration(
    host: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .automatic(orRandom: .staticRandom([1,2,3,4,5,6]))), seed: 8)
  var runner = BallRunner<4, 2_053, 8_192, LinuxPort>(c, on: port)
  return runner.run() == .asked ? 0 : 69
}
