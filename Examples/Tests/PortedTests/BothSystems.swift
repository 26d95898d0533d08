import CoreBluetooth
import Testing

/// The radio of a test.
enum TestRadio {
  /// A central manager: on Linux a device of its own on the virtual air, elsewhere the machine's.
  static func central(
    _ delegate: (any CBCentralManagerDelegate)? = nil, queue: DispatchQueue
  ) throws -> CBCentralManager {
    #if os(Linux)
      return CBCentralManager(
        delegate: delegate, queue: queue, options: nil, radio: try CBRadio("virtual"))
    #else
      return CBCentralManager(delegate: delegate, queue: queue)
    #endif
  }

  /// A peripheral manager, on a device other than the central's where there are several.
  static func peripheral(
    _ delegate: (any CBPeripheralManagerDelegate)? = nil, queue: DispatchQueue
  ) throws -> CBPeripheralManager {
    #if os(Linux)
      return CBPeripheralManager(
        delegate: delegate, queue: queue, options: nil, radio: try CBRadio("virtual"))
    #else
      return CBPeripheralManager(delegate: delegate, queue: queue)
    #endif
  }
}

@Suite("The same test on Linux and on Apple's systems")
struct BothSystemsTests {
  @Test("the manager powers on", .timeLimit(.minutes(1)))
  func power() async throws {
    let (states, continuation) = AsyncStream.makeStream(of: CBManagerState.self)
    let delegate = PowerDelegate { continuation.yield($0) }
    let manager = try TestRadio.central(delegate, queue: DispatchQueue(label: "test"))
    for await state in states where state == .poweredOn { break }
    #expect(manager.state == .poweredOn)
  }
}

private final class PowerDelegate: NSObject, CBCentralManagerDelegate {
  private let report: @Sendable (CBManagerState) -> Void

  init(_ report: @escaping @Sendable (CBManagerState) -> Void) {
    self.report = report
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { report(central.state) }
}
