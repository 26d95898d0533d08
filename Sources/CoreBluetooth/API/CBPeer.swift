import BluetoothHost
import Foundation

/// A device on the other side of a link.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
  /// Identifies the device. It is made from the address, so it is the same in every run.
  public let identifier: UUID

  init(identifier: UUID) {
    self.identifier = identifier
    super.init()
  }

  /// Itself.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension UUID {
  /// The identifier of the device with `address`: version 8 (RFC 9562, 5.8), with the kind of the
  /// address and its six bytes at the end, as people write them.
  init(_ address: DeviceAddress) {
    let b = address.bytes
    self.init(
      uuid: (
        0x42, 0x4C, 0x45, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, address.kind.rawValue, b[5], b[4],
        b[3], b[2], b[1], b[0]
      ))
  }
}

extension DeviceAddress {
  /// The address that `identifier` was made from; `nil` if it was not made from an address.
  init?(_ identifier: UUID) {
    let u = identifier.uuid
    guard u.9 <= 1 else { return nil }
    let address = DeviceAddress(
      kind: Kind(rawValue: u.9), bytes: [u.15, u.14, u.13, u.12, u.11, u.10])
    guard UUID(address) == identifier else { return nil }
    self = address
  }
}

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

  init(address: DeviceAddress) { super.init(identifier: UUID(address)) }
}
