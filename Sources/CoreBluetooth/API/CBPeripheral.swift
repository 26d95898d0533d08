import Foundation

/// A peripheral that was found.
open class CBPeripheral: CBPeer, @unchecked Sendable {
}
