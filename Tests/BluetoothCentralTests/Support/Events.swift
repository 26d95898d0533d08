import BluetoothHost

@testable import BluetoothCentral

extension ScriptedRadio {
  static func little(_ value: UInt16) -> [UInt8] {
    [UInt8(value & 0xFF), UInt8(value >> 8)]
  }

  /// A Command Complete event that takes one more command.
  static func complete(
    _ opcode: HCIOpcode, _ returned: [UInt8], credits: UInt8 = 1
  ) -> [UInt8] {
    [UInt8].written(upTo: 300) {
      CommandComplete(commandCredits: credits, opcode: opcode, returnParameters: returned.span)
        .writePacket(to: &$0)
    }
  }

  /// A Command Status event that takes one more command.
  static func status(_ opcode: HCIOpcode, _ status: HCIErrorCode = .success) -> [UInt8] {
    event(CommandStatus(status: status, commandCredits: 1, opcode: opcode))
  }

  static func completed(_ handle: ConnectionHandle, _ count: UInt16 = 1) -> [UInt8] {
    [UInt8].written(upTo: 20) {
      NumberOfCompletedPackets.writePacket(handle: handle, count: count, to: &$0)
    }
  }

  static func connected(
    _ handle: UInt16, to peer: DeviceAddress, role: LEConnectionComplete.Role = .central
  ) -> [UInt8] {
    let event = LEConnectionComplete(
      status: .success, handle: ConnectionHandle(rawValue: handle), role: role, peer: peer,
      interval: 24, latency: 0, supervisionTimeout: 200)
    return [UInt8].written(upTo: 40) { event.writePacket(to: &$0) }
  }

  static func connectionFailed(_ status: UInt8) -> [UInt8] {
    let event = LEConnectionComplete(
      status: HCIErrorCode(rawValue: status), handle: ConnectionHandle(rawValue: 0),
      role: .central, peer: .zero, interval: 0, latency: 0, supervisionTimeout: 0)
    return [UInt8].written(upTo: 40) { event.writePacket(to: &$0) }
  }

  static func disconnected(_ handle: UInt16, _ reason: UInt8) -> [UInt8] {
    event(
      DisconnectionComplete(
        status: .success, handle: ConnectionHandle(rawValue: handle),
        reason: HCIErrorCode(rawValue: reason)))
  }

  static func report(
    _ kind: LEAdvertisingReport.Kind, _ address: DeviceAddress, _ data: [UInt8], rssi: Int8 = -50
  ) -> [UInt8] {
    let report = LEAdvertisingReport(
      kind: kind, address: address, data: AdvertisingData(data.span) ?? AdvertisingData(),
      rssi: rssi)
    return [UInt8].written(upTo: 64) { report.writePacket(to: &$0) }
  }

  static func event(_ event: some HCIEvent) -> [UInt8] {
    [UInt8].written(upTo: 300) { event.writePacket(to: &$0) }
  }
}

extension DeviceAddress {
  /// `F0:00:00:00:00:NN`, public.
  static func numbered(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0])
  }
}

extension CentralConfiguration {
  /// With `C0:00:00:00:00:07` in reserve.
  static let test = CentralConfiguration(
    randomAddress: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0]))
}

extension Central {
  /// All that has happened since it was last asked.
  func takeEvents() -> [CentralEvent] {
    var events: [CentralEvent] = []
    while let event = nextEvent() { events.append(event) }
    return events
  }
}

/// A central that is ready, with its radio.
func readyCentral(
  _ configuration: CentralConfiguration = .test, radio change: (ScriptedRadio) -> Void = { _ in }
) -> (central: Central, radio: ScriptedRadio) {
  let central = Central(configuration: configuration)
  let radio = ScriptedRadio(central)
  change(radio)
  central.start(at: radio.now)
  radio.run()
  _ = central.takeEvents()
  return (central, radio)
}

/// A central with a link to `F0:00:00:00:00:02`.
func connectedCentral(
  _ configuration: CentralConfiguration = .test, radio change: (ScriptedRadio) -> Void = { _ in }
) -> (central: Central, radio: ScriptedRadio, link: LinkID) {
  let (central, radio) = readyCentral(configuration, radio: change)
  let link = central.connect(to: .numbered(2), at: radio.now)
  radio.run()
  _ = central.takeEvents()
  return (central, radio, link)
}
