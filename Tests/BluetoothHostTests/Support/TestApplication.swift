import BluetoothHost

/// An application that keeps what it is told, and says what the test wants it to say.
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
    var place: Int
    var attribute: ApplicationAttribute
    var value: [UInt8]
  }

  /// What it has been told, oldest first.
  var events: [Event] = []
  /// The value of each attribute; a write changes it.
  var values = [[UInt8]](repeating: [], count: 8)
  /// Why a read or a write of the application's attributes is refused.
  var refusal: ATTErrorCode?
  /// Whether every read and write is put off.
  var isBusy = false
  /// The attribute whose reads and writes are put off.
  var busyWith: ApplicationAttribute?
  /// How a part of a value is refused, or put off.
  var preparing: GATTRefusal?
  /// Whether the end of each write is put off, or how it is refused.
  var ending: GATTRefusal?
  /// Whether the end of each write is an event.
  var notesEndings = false
  /// The offsets of the reads that were answered.
  var offsets: [Int] = []
  /// What centrals are to be told, oldest first.
  var updates: [Update] = []

  mutating func centralConnected(at place: Int, address: DeviceAddress) {
    events.append(.connected(place, address))
  }

  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    events.append(.disconnected(place, reason))
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    events.append(.configured(attribute, place, configuration))
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    if isBusy || busyWith == attribute { throw .later }
    offsets.append(offset)
    let bytes = values[Int(attribute.rawValue)]
    value.write(bytes.span)
  }

  func prepareWrite(to attribute: ApplicationAttribute, at place: Int) throws(GATTRefusal) {
    if let preparing { throw preparing }
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    if isBusy || busyWith == attribute { throw .later }
    values[Int(attribute.rawValue)] = Array(value)
    events.append(.wrote(Array(value), attribute, place))
  }

  mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal) {
    if let ending { throw ending }
    if notesEndings { events.append(.endedWrite(place, isCommand: isCommand)) }
  }

  func pendingUpdate(at place: Int) -> ApplicationAttribute? {
    updates.first { $0.place == place }?.attribute
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    guard let index = updates.firstIndex(where: { $0.place == place }) else { return }
    let update = updates.remove(at: index)
    value.writePrefix(of: update.value.span)
  }

  mutating func radioChanged(to state: RadioState) {
    events.append(.radio(state))
  }
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

/// The bytes of `BluetoothUUID.testService` as they travel.
let testServiceBytes: [UInt8] = (0xA0...0xAF).reversed()
/// The bytes of `BluetoothUUID.testText` as they travel.
let testTextBytes: [UInt8] = (0xB0...0xBF).reversed()

/// A database with one attribute of each kind that a rule is about.
var testTable: InlineArray<27, Attribute> {
  [
    .primaryService(.genericAccessService),  // 0x0001
    .characteristic(.deviceName, .read),
    .value(.deviceName),  // 0x0003

    .primaryService(.genericAttributeService),  // 0x0004
    .characteristic(.serviceChanged, .indicate),
    .value(.none),  // 0x0006
    .clientCharacteristicConfiguration,  // 0x0007
    .characteristic(.clientSupportedFeatures, .read | .write),
    .value(.clientSupportedFeatures),  // 0x0009

    .primaryService(.testService),  // 0x000A
    .include(serviceAt: AttributeHandle(rawValue: 0x0019)),  // 0x000B
    .characteristic(.testText, .read | .write | .writeWithoutResponse | .notify),
    .value(.application(.text)),  // 0x000D
    .clientCharacteristicConfiguration,  // 0x000E
    .characteristic(.batteryLevel, .read | .notify | .indicate),
    .value(.application(.level)),  // 0x0010
    .clientCharacteristicConfiguration,  // 0x0011
    .descriptor(.characteristicUserDescription, .read, .text(StaticText("Level"))),  // 0x0012
    .characteristic(.alertLevel, .write),
    .value(.application(.alert)),  // 0x0014
    .characteristic(.batteryLevel, .read),
    .value(.number(0x64, byteCount: 1)),  // 0x0016
    .characteristic(.batteryLevel, .read),
    .value(.number(0x0201, byteCount: 2)),  // 0x0018

    .secondaryService(.batteryService),  // 0x0019
    .characteristic(.batteryLevel, .write),
    .value(.application(.hidden)),  // 0x001B
  ]
}
