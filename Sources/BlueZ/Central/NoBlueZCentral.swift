import BluetoothHost
import Linux

#if PERIPHERAL_ONLY
  /// The role of a central of a `BlueZSession`, without which a program is smaller: eightballd only serves.
  typealias BlueZCentralRole = NoBlueZCentral
#else
  /// The role of a central of a `BlueZSession`.
  typealias BlueZCentralRole = BlueZCentral
#endif

/// A radio beside bluetoothd that only serves: it does not scan, and does not connect.
struct NoBlueZCentral: ~Copyable {
  init?() {}

  /// It pairs with no peripheral.
  var pairs: Bool {
    get { false }
    set {}
  }

  var deadline: Instant? { nil }
  /// It reports nothing.
  var isReporting: Bool { false }
  func reportAll(
    _ objects: DBusReader, _ controller: inout BlueZController, _ bus: borrowing BlueZBus
  ) {}
  func setScanning(
    _ isOn: Bool, filtersDuplicates: Bool, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) { controller.finishScanning(.unknownCommand) }
  func connect(_ peer: DeviceAddress, _ bus: inout BlueZBus) { bus.fail(.notSupported) }
  func cancelConnection(_ bus: inout BlueZBus) {}
  func disconnect(_ index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus) {}
  func receive(
    _ pdu: Span<UInt8>, at index: Int, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {}
  func read(_ sockets: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus) {}
  func advance(_ controller: inout BlueZController, _ bus: inout BlueZBus) {}
  func reset(_ bus: inout BlueZBus) {}
  func reply(
    _ tag: UInt32, _ message: borrowing DBusMessage, _ descriptors: inout DBusDescriptors,
    _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {}
  func giveUp(_ tag: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus) {}
  func signal(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {}
}
