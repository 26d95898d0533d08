import BluetoothHost
import Foundation

extension CBRadio {
  /// How the radio pairs; `CBPairing.automatic` by default. A change does not affect a pairing that
  /// has begun.
  public var pairing: CBPairing {
    get { engine.program.device.pairing.settings.withLock(\.self) }
    set {
      engine.program.device.pairing.settings.withLock { $0 = newValue }
      engine.performIfServing { program, _ in program.device.updatePolicy() }
    }
  }

  /// The identifiers of the peers with a bond, the most recently used bond first.
  public var bondedPeers: [UUID] { engine.program.device.bonds.peers.map { UUID($0) } }

  /// Deletes the bond with a peer, which then has to pair again. An encrypted link stays encrypted.
  /// Has no effect if there is no bond.
  public func removeBond(with identifier: UUID) {
    guard let peer = DeviceAddress(identifier) else { return }
    let isTaken = engine.performIfServing { program, _ in program.device.removeBond(peer) }
    guard !isTaken else { return }
    // No thread uses the bonds now.
    engine.program.device.bonds.remove(peer)
    engine.program.device.bonds.keep(as: nil)
  }
}
