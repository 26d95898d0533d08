import Foundation

/// What a central asks of this device: a value to be read or written.
///
/// It is given to the delegate of a `CBPeripheralManager`, which has to answer it with
/// `respond(to:withResult:)`.
open class CBATTRequest: NSObject, @unchecked Sendable {
  /// Who asks.
  public let central: CBCentral
  /// What is to be read or written.
  public let characteristic: CBCharacteristic
  /// The first byte that is to be read or written, from 0.
  public let offset: Int

  /// For a write, the bytes. For a read, `nil`, to be set to the bytes from `offset` on.
  open var value: Data? {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  /// Who asks what, and the value.
  open override var description: String {
    printed(
      ", central = \(central.identifier), characteristic = \(characteristic.uuid), "
        + "offset = \(offset), value = \(printedValue(value))")
  }

  private let contents: Locked<Data?>
  /// What it is part of.
  let ticket: RequestTicket?

  init(
    central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?,
    ticket: RequestTicket? = nil
  ) {
    self.ticket = ticket
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
    contents = Locked(value)
    super.init()
  }
}
