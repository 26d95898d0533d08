import BluetoothHost
import Foundation

/// A central that is connected to this device.
open class CBCentral: CBPeer, @unchecked Sendable {
  /// The longest value that one notification to it carries: its MTU less 3, 20 to 512 bytes.
  public internal(set) var maximumUpdateValueLength: Int {
    get { maximum.withLock { $0 } }
    set { maximum.withLock { $0 = newValue } }
  }

  /// The identifier and the longest value that can be notified.
  open override var description: String {
    printed(" identifier = \(identifier), MTU = \(maximumUpdateValueLength)")
  }

  // 23, the least MTU, less 3 of header.
  private let maximum = Locked(20)

  init(address: DeviceAddress) {
    super.init(identifier: UUID(address))
  }
}
