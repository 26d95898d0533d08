import BluetoothHost

/// An application that records its calls, and responds as the test configures it.
struct TestApplication: GATTApplication {
  enum Event: Equatable {
    case connected(Int, DeviceAddress)
    case disconnected(Int, HCIErrorCode)
    case configured(ApplicationAttribute, Int, ClientConfiguration)
    case wrote([UInt8], ApplicationAttribute, Int)
    case endedWrite(Int, isCommand: Bool)
    case radio(RadioState)
  }

  struct Update {
    var connectionIndex: Int
    var attribute: ApplicationAttribute
    var value: [UInt8]
  }

  /// The recorded calls, oldest first.
  var events: [Event] = []
  /// The value of each attribute; a write changes it.
  var values = [[UInt8]](repeating: [], count: 8)
  /// Why a read or a write of the application's attributes is refused.
  var refusal: ATTErrorCode?
  /// Whether every read and write is deferred.
  var isBusy = false
  /// The attribute for which reads and writes are deferred.
  var busyWith: ApplicationAttribute?
  /// How a Prepare Write is refused or deferred.
  var preparing: GATTRefusal?
  /// How the end of each write is refused or deferred.
  var ending: GATTRefusal?
  /// Whether the end of each write is recorded.
  var notesEndings = false
  /// The offsets of the reads that were answered.
  var offsets: [Int] = []
  /// The index of the connection that gets each written value.
  var relayIndex: Int?
  /// Pending updates, oldest first.
  var updates: [Update] = []

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    events.append(.connected(connectionIndex, address))
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    events.append(.disconnected(connectionIndex, reason))
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) { events.append(.configured(attribute, connectionIndex, configuration)) }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    if isBusy || busyWith == attribute { throw .later }
    offsets.append(offset)
    let bytes = values[Int(attribute.rawValue)]
    value.write(bytes.span)
  }

  func prepareWrite(to attribute: ApplicationAttribute, at connectionIndex: Int) throws(GATTRefusal)
  {
    if let preparing { throw preparing }
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    if isBusy || busyWith == attribute { throw .later }
    values[Int(attribute.rawValue)] = Array(value)
    events.append(.wrote(Array(value), attribute, connectionIndex))
    if let relayIndex {
      updates.append(Update(connectionIndex: relayIndex, attribute: attribute, value: Array(value)))
    }
  }

  func permitsWrite(
    to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int
  ) -> Bool { attribute != .hidden && offset <= values[Int(attribute.rawValue)].count }

  mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int
  ) throws(GATTRefusal) {
    let old = values[Int(attribute.rawValue)]
    let new = old.prefix(offset) + Array(part) + old.dropFirst(offset + part.count)
    try write(Array(new).span, to: attribute, at: connectionIndex)
  }

  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {
    if let ending { throw ending }
    if notesEndings { events.append(.endedWrite(connectionIndex, isCommand: isCommand)) }
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    updates.first { $0.connectionIndex == connectionIndex }?.attribute
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    guard let index = updates.firstIndex(where: { $0.connectionIndex == connectionIndex }) else {
      return
    }
    let update = updates.remove(at: index)
    value.writePrefix(of: update.value.span)
  }

  mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }
}

extension ApplicationAttribute {
  /// Read, written in both ways, notified.
  static let text = ApplicationAttribute(rawValue: 0)
  /// Read, notified, indicated.
  static let level = ApplicationAttribute(rawValue: 1)
  /// Written with a response only.
  static let alert = ApplicationAttribute(rawValue: 2)
  /// Written only, of the same type as `level`.
  static let hidden = ApplicationAttribute(rawValue: 3)
}

extension BluetoothUUID {
  static let testService = BluetoothUUID(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF)
  static let testText = BluetoothUUID(high: 0xB0B1_B2B3_B4B5_B6B7, low: 0xB8B9_BABB_BCBD_BEBF)
  static let batteryService = BluetoothUUID(0x180F)
  static let batteryLevel = BluetoothUUID(0x2A19)
  static let alertLevel = BluetoothUUID(0x2A06)
}

/// The bytes of `BluetoothUUID.testService` in a PDU.
let testServiceBytes: [UInt8] = (0xA0...0xAF).reversed()
/// The bytes of `BluetoothUUID.testText` in a PDU.
let testTextBytes: [UInt8] = (0xB0...0xBF).reversed()

/// A database with an attribute for each rule.
var testDatabase: GATTDatabase<27> {
  GATTDatabase {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read, value: .deviceName)  // value 0x0003
    }
    Service(.genericAttributeService) {  // 0x0004
      // Value 0x0006, configuration 0x0007.
      Characteristic(.serviceChanged, .indicate, value: .none)
      // Value 0x0009.
      Characteristic(.clientSupportedFeatures, .read | .write, value: .clientSupportedFeatures)
    }
    Service(.testService) {  // 0x000A
      Attribute.include(serviceAt: AttributeHandle(rawValue: 0x0019))  // 0x000B
      // Value 0x000D, configuration 0x000E.
      Characteristic(
        .testText, .read | .write | .writeWithoutResponse | .notify, value: .application(.text))
      // Value 0x0010, configuration 0x0011, description 0x0012.
      Characteristic(.batteryLevel, .read | .notify | .indicate, value: .application(.level)) {
        Attribute.descriptor(.characteristicUserDescription, .read, .text(StaticText("Level")))
      }
      Characteristic(.alertLevel, .write, value: .application(.alert))  // value 0x0014
      Characteristic(.batteryLevel, .read, value: .number(0x64, byteCount: 1))  // value 0x0016
      Characteristic(.batteryLevel, .read, value: .number(0x0201, byteCount: 2))  // value 0x0018
    }
    Service(.batteryService, isPrimary: false) {  // 0x0019
      Characteristic(.batteryLevel, .write, value: .application(.hidden))  // value 0x001B
    }
  }
}
