import Foundation

/// Makes this device a peripheral: its services, and its advertising.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
  /// Answers a request of the delegate's.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    Misuse.log(self, "unknown request")
  }
}
