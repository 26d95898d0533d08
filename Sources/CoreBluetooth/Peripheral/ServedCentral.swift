import BluetoothHost

/// A connected central, as the engine knows it. Only the radio's thread uses it.
final class ServedCentral: @unchecked Sendable {
  /// A value to notify or indicate.
  struct Update {
    let handle: UInt16
    let value: [UInt8]
  }

  /// A read request: a value from an offset on.
  struct Reading: Hashable {
    let handle: UInt16
    let offset: Int
  }

  /// A written value, or the part of it from an offset on.
  struct Written {
    let handle: UInt16
    let offset: Int
    let value: [UInt8]
  }

  /// The same central in the API.
  let central: CBCentral
  /// The handles of the values that it is subscribed to.
  var subscriptions: Set<UInt16> = []
  /// The unsent updates, oldest first.
  var updates: [Update] = []

  /// The request that waits for delegates; `nil` for none.
  var pendingRequest: PendingRequest?
  /// The responses to the reads of one request so far: a request may read several values.
  var readings: [Reading: Result<[UInt8], ATTErrorCode>] = [:]
  /// The response to its write, once known.
  var writeResult: Result<Void, ATTErrorCode>?
  /// The values that the current PDU has written so far.
  var written: [Written] = []

  init(_ central: CBCentral) {
    self.central = central
  }

  /// The response has been sent: clears the request.
  func forgetRequest() {
    pendingRequest = nil
    readings = [:]
    writeResult = nil
  }
}
