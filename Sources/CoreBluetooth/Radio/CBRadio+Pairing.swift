import BluetoothHost
import Foundation

extension CBRadio {
  /// How the radio pairs; `CBPairing.automatic` unless a program sets it. Pairings that have begun go on
  /// as they were.
  public var pairing: CBPairing {
    get { engine.program.device.pairing.settings.withLock(\.self) }
    set {
      engine.program.device.pairing.settings.withLock { $0 = newValue }
      engine.performIfServing { program, _ in program.device.updatePolicy() }
    }
  }

  /// The identifiers of the peers that the radio has a bond with, that of the bond used last first.
  public var bondedPeers: [UUID] { engine.program.device.bonds.peers.map { UUID($0) } }

  /// Forgets the bond with a peer, which then pairs anew. A link that is encrypted stays so until its end.
  /// Nothing happens if there is no bond.
  public func removeBond(with identifier: UUID) {
    guard let peer = DeviceAddress(identifier) else { return }
    let isTaken = engine.performIfServing { program, _ in program.device.removeBond(peer) }
    guard !isTaken else { return }
    // No thread uses the bonds now.
    engine.program.device.bonds.remove(peer)
    engine.program.device.bonds.keep(as: nil)
  }
}
