import BluetoothHost
import Foundation

/// A central's request to read or write a value of this device.
///
/// The delegate of a `CBPeripheralManager` receives it and must respond with
/// `respond(to:withResult:)`.
open class CBATTRequest: NSObject, @unchecked Sendable {
  /// The central that sent the request.
  public let central: CBCentral
  /// The characteristic to read or write.
  public let characteristic: CBCharacteristic
  /// The first byte to read or write, from 0.
  public let offset: Int

  /// For a write, the bytes. For a read, `nil`; the delegate sets it to the bytes from `offset` on.
  open var value: Data? {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  /// The central, the characteristic, the offset and the value.
  open override var description: String {
    printed(
      ", central = \(central.identifier), characteristic = \(characteristic.uuid), "
        + "offset = \(offset), value = \(printedValue(value))")
  }

  private let contents: Locked<Data?>
  /// The ATT request that this is part of; `nil` if it came from no central.
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

/// A central's request that delegates have to respond to. Only the radio's thread uses it.
final class PendingRequest: @unchecked Sendable {
  let link: ServedCentral
  /// The handles that it reads or writes.
  let handles: [UInt16]
  /// The read; `nil` for a write.
  let reading: ServedCentral.Reading?
  /// How many managers have not responded.
  var missing = 0
  /// Why a write is refused: the first response that was not success.
  var refusal: ATTErrorCode?

  init(_ link: ServedCentral, _ handles: [UInt16], reading: ServedCentral.Reading? = nil) {
    self.link = link
    self.handles = handles
    self.reading = reading
  }
}

/// One manager's part of a pending request. It connects a `CBATTRequest` to the whole.
final class RequestTicket: Sendable {
  let client: PeripheralHandle
  /// `nil` for a command, which has no response.
  let pendingRequest: PendingRequest?
  private let isAnswered = Locked(false)

  init(_ client: PeripheralHandle, _ pendingRequest: PendingRequest?) {
    self.client = client
    self.pendingRequest = pendingRequest
  }

  /// Returns whether this is the first response.
  func takeResponse() -> Bool { isAnswered.set() }
}
