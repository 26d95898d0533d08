import BluetoothHost

/// A battery that tells its charge to one central.
struct Battery: GATTApplication, ~Copyable {
  /// The service Battery with one characteristic, Battery Level.
  static var service: some GATTDeclaration {
    Service(BluetoothUUID(0x180F)) {
      Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
    }
  }

  private var charge: UInt8 = 100
  private var isNews = false

  mutating func drain(to charge: UInt8) {
    self.charge = charge
    isNews = true
  }

  // What a central reads, and what it may not write.

  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    value.write(charge)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    throw .error(.writeNotPermitted)
  }

  // What it is told without asking: the host asks when it can send.

  func pendingUpdate(at place: Int) -> ApplicationAttribute? { isNews ? .charge : nil }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    value.write(charge)
    isNews = false
  }

  // What else happens.

  mutating func centralConnected(at place: Int, address: DeviceAddress) {}
  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {}
  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {}
  mutating func radioChanged(to state: RadioState) {}
}

extension ApplicationAttribute {
  static let charge = ApplicationAttribute(rawValue: 0)
}

/// The battery with its whole host: one central at a time, and room for four attributes.
typealias BatteryHost = Peripheral<1, GATTDatabase<4>, Battery>
