import BluetoothHost
import Foundation

/// A central that is connected to this device.
open class CBCentral: CBPeer, @unchecked Sendable {
  /// How many bytes of a value can be told to it at once: its MTU less 3, 20 to 512.
  public internal(set) var maximumUpdateValueLength: Int {
    get { maximum.withLock { $0 } }
    set { maximum.withLock { $0 = newValue } }
  }

  /// The identifier, and how long a value may be that is notified.
  open override var description: String {
    printed(" identifier = \(identifier), MTU = \(maximumUpdateValueLength)")
  }

  // 23, the least MTU, less 3 of header.
  private let maximum = Locked(20)

  init(address: DeviceAddress) {
    super.init(identifier: UUID(address))
  }
}
