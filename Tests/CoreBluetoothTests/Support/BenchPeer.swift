import BluetoothHost

extension BluetoothUUID {
  static let bench = BluetoothUUID(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF)
}

extension ApplicationAttribute {
  static let text = ApplicationAttribute(rawValue: 0)
  static let level = ApplicationAttribute(rawValue: 1)
  static let alarm = ApplicationAttribute(rawValue: 2)
}

/// One characteristic for each rule.
var benchDatabase: GATTDatabase<30> {
  GATTDatabase {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read, value: .deviceName)  // value 0x0003
    }
    Service(.genericAttributeService) {  // 0x0004
      Characteristic(.serviceChanged, .indicate, value: .none)  // value 0x0006
    }
    Service(.bench) {  // 0x0008
      Attribute.include(serviceAt: AttributeHandle(rawValue: 0x0019))
      // FF01: every way to write a value and to send it. Value 0x000B.
      Characteristic(
        BluetoothUUID(0xFF01), .read | .write | .writeWithoutResponse | .notify | .indicate,
        value: .application(.text)
      ) {
        Attribute.descriptor(.characteristicUserDescription, .read, .text(StaticText("Text")))
        Attribute.descriptor(.characteristicPresentationFormat, .read, .number(0x19, byteCount: 7))
        Attribute.descriptor(
          .characteristicExtendedProperties, .read, .number(0x0001, byteCount: 2))
      }
      // FF02: indicated only. Value 0x0011.
      Characteristic(BluetoothUUID(0xFF02), .indicate, value: .application(.level))
      // FF03: written with response only. Value 0x0014.
      Characteristic(BluetoothUUID(0xFF03), .write, value: .application(.alarm))
      // FF04: notified, without a configuration.
      Attribute.characteristic(BluetoothUUID(0xFF04), .notify)
      Attribute.value(.none)
      // FF06: read. Value 0x0018.
      Characteristic(BluetoothUUID(0xFF06), .read, value: .number(1, byteCount: 1))
    }
    Service(BluetoothUUID(0x180F), isPrimary: false) {  // 0x0019
      Characteristic(BluetoothUUID(0x2A19), .read, value: .number(99, byteCount: 1))
    }
    Service(BluetoothUUID(0xFF10)) {  // 0x001C
      Characteristic(BluetoothUUID(0xFF11), .read, value: .number(2, byteCount: 1))
    }
  }
}

/// Keeps written values, and notifies the values that the test sets.
struct BenchApplication: GATTApplication {
  var values: [[UInt8]] = [Array("text".utf8), [], [], []]
  /// What was written, in order.
  var written: [[UInt8]] = []
  /// The next value for every subscriber, and its attribute.
  var update: (attribute: ApplicationAttribute, value: [UInt8])?
  var refusal: ATTErrorCode?
  var configurations: [ClientConfiguration] = []

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {}
  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {}
  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    configurations.append(configuration)
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    let bytes = values[Int(attribute.rawValue)]
    value.write(bytes.span)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    let bytes = value.indices.map { value[$0] }
    values[Int(attribute.rawValue)] = bytes
    written.append(bytes)
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    connectionIndex == 0 ? update?.attribute : nil
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    let bytes = update?.value ?? []
    value.writePrefix(of: bytes.span)
    update = nil
  }

  mutating func radioChanged(to state: RadioState) {}
}
