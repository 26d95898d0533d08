import BluetoothHost
import Expectations

@testable import CoreBluetooth

extension ScriptedRadio {
  /// A Command Complete event that takes one more command.
  static func complete(_ opcode: HCIOpcode, _ returned: [UInt8]) -> [UInt8] {
    [UInt8].written(upTo: 300) {
      CommandComplete(commandCredits: 1, opcode: opcode, returnParameters: returned.span)
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

extension ScriptedRadio {
  func takeEvents() -> [CentralEvent] { host.takeEvents() }

  /// The same, after every packet is carried.
  func runEvents() -> [CentralEvent] {
    run()
    return takeEvents()
  }

  var deadline: Instant? { host.deadline }
}

// MARK: A device as a peripheral, and its centrals

extension ScriptedRadio {
  /// A device whose controller works, for peripheral managers.
  static func peripheral() -> ScriptedRadio {
    let radio = ScriptedRadio(Seat(), pairs: true)
    radio.device.radioIsReady(at: radio.now)
    radio.settle()
    radio.forget()
    return radio
  }

  var device: LocalDevice { host.device }

  /// Carries every packet, runs every call, and lets delegates run.
  func settle() {
    repeat {
      host.runJobs(at: now)
      run()
      queue.sync {}
    } while host.hasWork
  }

  func change(to state: CBManagerState) {
    host.change(to: state)
    settle()
  }

  /// Centrals connect; the address of each ends in the low byte of its link.
  func connect(_ links: UInt16..., mtu: UInt16? = nil) {
    for link in links.isEmpty ? [0x40] : links {
      let peer = DeviceAddress(
        kind: .random, bytes: [UInt8(truncatingIfNeeded: link), 0, 0, 0, 0, 0xC0])
      give(Self.connected(link, to: peer, role: .peripheral))
      settle()
      if let mtu { exchange([0x02] + little(mtu), gives: [0x03] + little(517), on: link) }
    }
  }

  func disconnect(_ link: UInt16 = 0x40) {
    give(Self.disconnected(link, 0x13))
    settle()
  }

  /// Sends one PDU from a central. Returns the PDUs sent to it.
  func exchange(_ pdu: [UInt8], on link: UInt16 = 0x40) -> [[UInt8]] {
    let before = sent(link).count
    give(packet(pdu, link))
    settle()
    return Array(sent(link)[before...])
  }

  func exchange(
    _ pdu: [UInt8], gives responses: [UInt8]..., on link: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(exchange(pdu, on: link), is: responses, sourceLocation: sourceLocation)
  }

  /// All PDUs sent to a central.
  func sent(_ link: UInt16 = 0x40) -> [[UInt8]] { sent(link, on: .att) }

  /// All commands on the signalling channel sent to a central.
  func signals(_ link: UInt16) -> [[UInt8]] { sent(link, on: .leSignalling) }

  private func sent(_ link: UInt16, on channel: L2CAPChannel) -> [[UInt8]] {
    frames.filter { $0.link == link && $0.channel == channel }.map(\.payload)
  }
}

/// The two bytes of a number, the low one first.
func little(_ value: UInt16) -> [UInt8] {
  [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}

func attError(_ request: UInt8, _ handle: UInt16, _ code: UInt8) -> [UInt8] {
  [0x01, request] + little(handle) + [code]
}

/// The indication that the services from `start` to `end` have changed: Service Changed is 0x000A.
func serviceChanged(_ start: UInt16, _ end: UInt16) -> [UInt8] {
  [0x1D, 0x0A, 0x00] + little(start) + little(end)
}

extension [UInt8] {
  /// What `body` writes, in at most `capacity` bytes.
  static func written(upTo capacity: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: capacity)
    var writer = ByteWriter(bytes.mutableSpan)
    body(&writer)
    let count = writer.count
    return Array(bytes[..<count])
  }
}

/// A device whose controller works, with its radio.
func readyDevice(
  radio change: (ScriptedRadio) -> Void = { _ in }
) -> (central: CentralRecorder, radio: ScriptedRadio) {
  let radio = ScriptedRadio(Seat(isRecorded: true))
  change(radio)
  radio.device.radioIsReady(at: radio.now)
  radio.run()
  _ = radio.takeEvents()
  return (radio.host.central, radio)
}

/// A device with a link to `F0:00:00:00:00:02`.
func connectedDevice(
  radio change: (ScriptedRadio) -> Void = { _ in }
) -> (central: CentralRecorder, radio: ScriptedRadio, link: LinkID) {
  let (central, radio) = readyDevice(radio: change)
  let link = central.connect(to: .numbered(2))
  radio.run()
  _ = radio.takeEvents()
  return (central, radio, link)
}

func handle(_ rawValue: UInt16) -> AttributeHandle { AttributeHandle(rawValue: rawValue) }

func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
  AttributeHandleRange(start: handle(start), end: handle(end))
}

/// Carries out `operation` with a peer that sends `responses`, one to each request. Returns the
/// requests and the result.
func perform(
  _ operation: PeerOperation, _ responses: [[UInt8]]
) -> (requests: [[UInt8]], outcome: Result<OperationOutput, OperationError>?) {
  let (central, radio, link) = connectedDevice()
  var requests: [[UInt8]] = []
  var remaining = responses[...]
  radio.peer = { pdu in
    requests.append(pdu)
    return remaining.popFirst().map { [$0] } ?? []
  }
  let id = central.perform(operation, on: link)
  radio.run()
  return (requests, radio.host.outcomes[id])
}
