// Run by scripts/check embedded: prints the bytes of one more connection of a client, of a
// peripheral, and of a host in both roles, and of a key agreement.

import BluetoothHost
import EightBall

@main
enum State {
  static func main() {
    print(
      (MemoryLayout<Central<4, Application>>.stride - MemoryLayout<Central<1, Application>>.stride)
        / 3,
      (MemoryLayout<BallHost<4>>.stride - MemoryLayout<BallHost<1>>.stride) / 3,
      (MemoryLayout<BothRoles<4>>.stride - MemoryLayout<BothRoles<1>>.stride) / 3,
      MemoryLayout<P256KeyAgreement>.stride)
  }
}
