import BluetoothHost
import Foundation

/// A descriptor of a discovered peripheral or, as a `CBMutableDescriptor`, of this device.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
  /// The characteristic that it belongs to; `nil` before it has one, or after that one was
  /// released.
  public internal(set) var characteristic: CBCharacteristic? {
    get { contents.withLock { $0.characteristic } }
    set { contents.withLock { $0.characteristic = newValue } }
  }

  /// The value that was last read; `nil` before.
  ///
  /// A `String` for a user description; an `NSNumber` for extended properties and for client and
  /// server configurations; `Data` for all others.
  public internal(set) var value: Any? {
    get { contents.withLock { $0.value } }
    set { contents.withLock { $0.value = newValue } }
  }

  /// The UUID, and the value.
  open override var description: String {
    printed(", UUID = \(uuid), value = \(printedValue(value))")
  }

  struct Contents: @unchecked Sendable {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  private let contents: Locked<Contents>
  /// Where it is on the peripheral; `nil` for a descriptor of this device.
  let remote: RemoteDescriptor?

  init(uuid: CBUUID, value: Any?) {
    contents = Locked(Contents(value: value))
    remote = nil
    super.init(uuid: uuid)
  }

  init(_ remote: RemoteDescriptor, of characteristic: CBCharacteristic) {
    contents = Locked(Contents(characteristic: characteristic))
    self.remote = remote
    super.init(uuid: CBUUID(remote.uuid))
  }
}

/// A descriptor of this device, for a `CBMutableCharacteristic`.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  /// A descriptor with a constant value: a `String` for a user description (2901), `Data` for a
  /// presentation format (2904). Others cannot be added, as on Apple's systems.
  public init(type UUID: CBUUID, value: Any?) {
    super.init(uuid: UUID, value: value)
  }
}
