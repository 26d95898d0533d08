import BluetoothHost
import VirtualRadio

/// The host's side of one virtual controller: sends packets, and keeps what comes back as bytes.
struct TestHost {
  let controller: VirtualController
  /// Retained here, since a controller does not retain its air.
  let air: VirtualAir

  /// A controller of `air` with all events enabled and the answers read.
  init(
    on air: VirtualAir, address: DeviceAddress? = nil,
    configuration: ControllerConfiguration = .init()
  ) {
    self.air = air
    controller = air.addController(address: address, configuration: configuration)
    send(SetEventMask(mask: .max))
    send(LESetEventMask(mask: .max))
    _ = receive()
  }

  /// A controller in the state after a reset.
  init(_ controller: VirtualController, on air: VirtualAir) {
    self.controller = controller
    self.air = air
  }

  func send(_ command: some HCICommand) { send(bytes { command.writePacket(to: &$0) }) }

  func send(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) {
    send(
      [0x01, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), UInt8(parameters.count)]
        + parameters)
  }

  func send(_ packet: [UInt8]) { controller.send(packet.span) }

  /// Sends one ACL packet.
  func send(
    _ data: [UInt8], on handle: ConnectionHandle,
    _ boundary: ACLHeader.Boundary = .firstNonFlushable
  ) {
    let header = ACLHeader(handle: handle, boundary: boundary)
    send(bytes { header.writePacket(data.span, to: &$0) })
  }

  /// The next packet, if there is one.
  func receiveOne() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: controller.maximumPacketLength)
    var writer = ByteWriter(packet.mutableSpan)
    guard controller.nextPacket(into: &writer) else { return nil }
    let count = writer.count
    return Array(packet.prefix(count))
  }

  /// All waiting packets.
  func receive() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = receiveOne() { packets.append(packet) }
    return packets
  }

  /// Sends, and returns all resulting packets.
  func ask(_ command: some HCICommand) -> [[UInt8]] {
    send(command)
    return receive()
  }

  func ask(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [[UInt8]] {
    send(opcode, parameters)
    return receive()
  }

  /// The status of each waiting answer; other packets are dropped.
  func statuses() -> [UInt8] {
    receive().compactMap { $0[1] == 0x0E ? $0[6] : $0[1] == 0x0F ? $0[3] : nil }
  }

  /// Whether there are data, at each of these times in ms.
  func hasData(at times: [UInt64]) -> [Bool] {
    times.map { time in
      air.advance(to: milliseconds(time))
      return receive().contains { $0[0] == 0x02 }
    }
  }

  /// The waiting advertising reports; other packets are dropped.
  func reports() -> [[UInt8]] {
    receive().filter { $0.starts(with: [0x04, 0x3E]) && $0[3] == 0x02 }
  }
}

extension [UInt8] {
  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// The numbers from 0 on, as bytes.
func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

/// What `body` writes.
func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
  var storage = [UInt8](repeating: 0, count: 1_024)
  var writer = ByteWriter(storage.mutableSpan)
  body(&writer)
  let count = writer.count
  return Array(storage.prefix(count))
}

func event(_ event: some HCIEvent) -> [UInt8] { bytes { event.writePacket(to: &$0) } }

func event(_ event: some LEMetaEvent) -> [UInt8] { bytes { event.writePacket(to: &$0) } }

/// Command Complete with a status and other return parameters.
func complete(
  _ opcode: HCIOpcode, _ status: HCIErrorCode = .success, _ rest: [UInt8] = []
) -> [UInt8] {
  let parameters =
    [1, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), status.rawValue] + rest
  return [0x04, 0x0E, UInt8(parameters.count)] + parameters
}

func status(_ opcode: HCIOpcode, _ status: HCIErrorCode = .success) -> [UInt8] {
  event(CommandStatus(status: status, commandCredits: 1, opcode: opcode))
}

/// Disconnection Complete.
func ended(_ handle: ConnectionHandle, _ reason: HCIErrorCode) -> [UInt8] {
  event(DisconnectionComplete(status: .success, handle: handle, reason: reason))
}

/// LE Enhanced Connection Complete.
func enhanced(
  _ handle: ConnectionHandle, _ role: UInt8, _ peer: DeviceAddress, status: UInt8 = 0,
  local: DeviceAddress = .zero, remote: DeviceAddress = .zero
) -> [UInt8] {
  // 1 (subevent) + 1 (status) + 2 (handle) + 1 (role) + 7 (peer) + 12 (private addresses)
  // + 2 + 2 + 2 (interval, latency, time-out) + 1 (clock accuracy) = 31
  [0x04, 0x3E, 31, 0x0A, status]
    + bytes { writer in
      writer.write(handle.rawValue)
      writer.write(role)
      peer.write(to: &writer)
      local.writeBytes(to: &writer)
      remote.writeBytes(to: &writer)
    } + (status == 0 ? [24, 0, 0, 0, 72, 0, 0] : .zeros(7))
}

func completed(_ handle: ConnectionHandle, _ count: UInt16 = 1) -> [UInt8] {
  bytes { NumberOfCompletedPackets.writePacket(handle: handle, count: count, to: &$0) }
}

func acl(_ handle: ConnectionHandle, _ boundary: ACLHeader.Boundary, _ data: [UInt8]) -> [UInt8] {
  let header = ACLHeader(handle: handle, boundary: boundary)
  return bytes { header.writePacket(data.span, to: &$0) }
}

func report(
  _ kind: LEAdvertisingReport.Kind, _ address: DeviceAddress, _ data: [UInt8] = [],
  rssi: Int8 = -50
) -> [UInt8] {
  let data = AdvertisingData(data.span) ?? AdvertisingData()
  let report = LEAdvertisingReport(kind: kind, address: address, data: data, rssi: rssi)
  return bytes { report.writePacket(to: &$0) }
}

func publicAddress(_ number: UInt8) -> DeviceAddress {
  DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0])
}

func randomAddress(_ number: UInt8) -> DeviceAddress {
  DeviceAddress(kind: .random, bytes: [number, 0, 0, 0, 0, 0xC0])
}

func milliseconds(_ value: UInt64) -> Instant { Instant(rawValue: value) }

// MARK: Common commands

extension TestHost {
  func advertise(
    _ data: [UInt8] = [2, 1, 6], scanResponse: [UInt8] = [], interval: UInt16 = 0x00A0,
    type: UInt8 = 0, ownAddressType: UInt8 = 0, peer: DeviceAddress = .zero,
    filterPolicy: UInt8 = 0
  ) {
    send(
      LESetAdvertisingParameters(
        minimumInterval: interval, maximumInterval: interval, type: type,
        ownAddressType: ownAddressType, peer: peer, filterPolicy: filterPolicy))
    send(LESetAdvertisingData(AdvertisingData(data.span) ?? AdvertisingData()))
    send(LESetScanResponseData(AdvertisingData(scanResponse.span) ?? AdvertisingData()))
    send(LESetAdvertisingEnable(true))
  }

  func scan(
    active: Bool = false, filterDuplicates: Bool = false, ownAddressType: UInt8 = 0,
    filterPolicy: UInt8 = 0
  ) {
    send(
      LESetScanParameters(
        type: active ? 1 : 0, interval: 0x10, window: 0x10, ownAddressType: ownAddressType,
        filterPolicy: filterPolicy))
    send(LESetScanEnable(enable: 1, filterDuplicates: filterDuplicates ? 1 : 0))
  }

  func stopScanning() { send(LESetScanEnable(enable: 0, filterDuplicates: 0)) }

  func connect(
    to peer: DeviceAddress, ownAddressType: UInt8 = 0, interval: UInt16 = 24,
    supervisionTimeout: UInt16 = 72, filterPolicy: UInt8 = 0
  ) {
    send(
      LECreateConnection(
        to: peer, ownAddressType: ownAddressType, interval: interval,
        supervisionTimeout: supervisionTimeout, filterPolicy: filterPolicy))
  }

  /// The handle of its newest link.
  var handle: ConnectionHandle {
    controller.connectionHandles.last ?? ConnectionHandle(rawValue: 0x0EFF)
  }
}

// MARK: Commands of Bluetooth 5

extension TestHost {
  func configure(
    _ handle: UInt8, _ properties: AdvertisingProperties = .connectable, primary: PHY = .le1M,
    secondary: PHY = .le1M, ownAddressType: UInt8 = 0
  ) {
    send(
      LESetExtendedAdvertisingParameters(
        handle: handle, properties: properties, minimumInterval: 0xA0, maximumInterval: 0xA0,
        ownAddressType: ownAddressType, primaryPHY: primary, secondaryPHY: secondary,
        identifier: handle & 0x0F))
  }

  /// Gives a set or its train data, in as many parts as it needs.
  func give(
    _ data: [UInt8], to handle: UInt8, _ opcode: HCIOpcode = .leSetExtendedAdvertisingData
  ) {
    let isTrain = opcode == .leSetPeriodicAdvertisingData
    let longest =
      isTrain
      ? LESetPeriodicAdvertisingData.longestPart : LESetExtendedAdvertisingData.longestPart
    for offset in stride(from: 0, to: max(1, data.count), by: longest) {
      let part = data[offset...].prefix(longest)
      let operation = LESetExtendedAdvertisingData.Operation(
        from: offset, part.count, of: data.count)
      // A set's data may not be fragmented: 1.
      send(
        opcode, [handle, operation.rawValue] + (isTrain ? [] : [1]) + [UInt8(part.count)] + part)
    }
  }

  func start(
    _ handle: UInt8, _ isEnabled: Bool = true, duration: UInt16 = 0, maximumEvents: UInt8 = 0
  ) {
    send(
      bytes {
        LESetExtendedAdvertisingEnable.writePacket(
          isEnabled: isEnabled,
          .init(handle: handle, duration: duration, maximumEvents: maximumEvents), to: &$0)
      })
  }

  func scanExtended(active: Bool = false, phys: PHYSet = .le1M, duration: UInt16 = 0) {
    let scan = LESetExtendedScanParameters.Scan(type: active ? 1 : 0, interval: 16, window: 16)
    send(
      LESetExtendedScanParameters(
        ownAddressType: 0, filterPolicy: 0, le1M: phys.contains(.le1M) ? scan : nil,
        leCoded: phys.contains(.leCoded) ? scan : nil))
    send(LESetExtendedScanEnable(enable: 1, filterDuplicates: 1, duration: duration))
  }

  func stopExtendedScan() { send(LESetExtendedScanEnable(enable: 0, filterDuplicates: 1)) }
}

func twoHosts(on air: VirtualAir) -> (TestHost, TestHost) {
  (TestHost(on: air), TestHost(on: air))
}

/// What a host does with its addresses.
enum Activity: CaseIterable {
  case advertising, scanning, initiating

  func begin(_ host: TestHost, ownAddressType: UInt8 = 0, peer: DeviceAddress = publicAddress(7)) {
    switch self {
    case .advertising: host.advertise(ownAddressType: ownAddressType, peer: peer)
    case .scanning: host.scan(ownAddressType: ownAddressType)
    case .initiating: host.connect(to: peer, ownAddressType: ownAddressType)
    }
    _ = host.receive()
  }

  func end(_ host: TestHost) {
    switch self {
    case .advertising: host.send(LESetAdvertisingEnable(false))
    case .scanning: host.stopScanning()
    case .initiating: host.send(.leCreateConnectionCancel)
    }
    _ = host.receive()
  }
}

/// Two hosts with one link between them, and all earlier packets read.
struct Pair {
  let air = VirtualAir()
  let central: TestHost
  let peripheral: TestHost

  init(
    central: ControllerConfiguration = .init(), peripheral: ControllerConfiguration = .init(),
    supervisionTimeout: UInt16 = 72
  ) {
    self.central = TestHost(on: air, configuration: central)
    self.peripheral = TestHost(on: air, configuration: peripheral)
    self.peripheral.advertise()
    self.central.connect(
      to: self.peripheral.controller.address, supervisionTimeout: supervisionTimeout)
    _ = self.central.receive()
    _ = self.peripheral.receive()
  }
}

extension LECreateConnection {
  init(
    to peer: DeviceAddress, ownAddressType: UInt8 = 0, interval: UInt16 = 24,
    supervisionTimeout: UInt16 = 72, filterPolicy: UInt8 = 0
  ) {
    self.init(
      scanInterval: 0x10, scanWindow: 0x10, filterPolicy: filterPolicy, peer: peer,
      ownAddressType: ownAddressType,
      parameters: ConnectionParameters(
        minimumInterval: interval, maximumInterval: interval, latency: 0,
        supervisionTimeout: supervisionTimeout))
  }
}
