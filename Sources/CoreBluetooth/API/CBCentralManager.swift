import Foundation

/// Looks for peripherals, and connects to them.
open class CBCentralManager: CBManager, @unchecked Sendable {
}
