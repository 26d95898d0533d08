import BluetoothHost
import Linux

/// A Bluetooth controller in software: the HCI face of bluetoothd for a host of this program.
///
/// The host sends its packets to `receive`, and gets packets from `read`, as with any controller. Advertising,
/// scanning, connecting and the values of attributes are bluetoothd's: `receive` returns what the host requests, and
/// the side of the bus reports the results by the other functions. A link of the host is virtual: it has no radio, and
/// on it this type's owner is the peer's ATT server or client.
///
/// It does no input or output, and has no clock. The host's own commands have a time limit.
package struct BlueZController: ~Copyable {
  /// What the host requests from the side of the bus.
  package enum Request: ~Escapable {
    /// Nothing: the packet has been answered, or is invalid.
    case nothing
    /// Stop advertising, scanning and connecting, and end every link, without any answer.
    case reset
    /// Start or stop advertising `advertisement`. `finishAdvertising` answers it.
    case setAdvertising(Bool)
    /// Advertise the changed `advertisement`. Nothing answers it.
    case changeAdvertisement
    /// Start or stop scanning. `finishScanning` answers it.
    case setScanning(Bool, filtersDuplicates: Bool)
    /// Connect to this peripheral: `openLink` or `failConnection` answers it.
    case connect(DeviceAddress)
    /// Stop connecting. Nothing answers it.
    case cancelConnection
    /// End the link with this index: `closeLink` answers it.
    case disconnect(Int)
    /// An ATT PDU of the host on the link with this index. `completePacket` answers it.
    case attribute(Int, pdu: Span<UInt8>)
  }

  /// The most bytes that wait for the host, with two for each packet.
  private static var capacity: Int { 16_384 }
  /// How many of them are kept for the answers to commands and for the ends of links.
  private static var reserve: Int { 2_048 }
  /// The longest L2CAP frame of the host, which it sends in one packet: a header of 4 bytes, and 517 of ATT.
  private static var frameLength: UInt16 { 521 }
  /// How many packets the host may have sent that are not completed.
  private static var bufferCount: UInt8 { 16 }

  var packets = InlinePacketQueue<16_384>()
  var links = VirtualLinks()
  /// The address of the adapter, for the host.
  package var address = DeviceAddress.zero
  /// The advertisement, as the host has set it.
  package private(set) var advertisement = Advertisement(
    data: AdvertisingData(), scanResponse: AdvertisingData())
  /// Whether the host has turned advertising on, and no link has ended it since.
  package internal(set) var isAdvertising = false
  /// Whether the host has turned scanning on.
  package private(set) var isScanning = false
  /// The peripheral that the host is connecting to; `nil` if it is not.
  package internal(set) var connecting: DeviceAddress?
  /// The command to advertise or to scan that is not answered yet, and the state that success brings.
  private var held: (opcode: HCIOpcode, isOn: Bool)?

  /// A controller without links, which neither advertises nor scans.
  package init() {}

  // MARK: Packets

  /// Whether an ATT PDU and a report fit: otherwise the bus should wait.
  package var hasRoom: Bool { packets.room &- Self.reserve >= 1_024 }

  /// Whether `read` has a packet.
  package var hasPacket: Bool { !packets.isEmpty }

  /// Moves the next packet for the host to the front of `space`, and returns its length; 0 if there is none.
  package mutating func read(into space: inout MutableSpan<UInt8>) -> Int {
    packets.take(into: &space)
  }

  /// Takes a packet of the host, H4's type byte first, and answers it or returns what the host requests.
  @_lifetime(copy packet)
  package mutating func receive(_ packet: Span<UInt8>) -> Request {
    switch HCIPacket(packet) {
    case .command(let opcode, let parameters): return perform(opcode, ByteReader(parameters))
    case .acl(let header, let data): return receive(header, data)
    case .event, nil: return .nothing
    }
  }

  /// Answers the request to advertise. Does nothing if there is none, as after a reset.
  package mutating func finishAdvertising(_ status: HCIErrorCode) {
    guard let isOn = finish(.leSetAdvertisingEnable, status) else { return }
    isAdvertising = isOn
  }

  /// Answers the request to scan. Does nothing if there is none, as after a reset.
  package mutating func finishScanning(_ status: HCIErrorCode) {
    guard let isOn = finish(.leSetScanEnable, status) else { return }
    isScanning = isOn
  }

  /// Answers the held command if it is this one, and returns the state that it brings; `nil` if there is none.
  private mutating func finish(_ opcode: HCIOpcode, _ status: HCIErrorCode) -> Bool? {
    guard let held, held.opcode == opcode else { return nil }
    self.held = nil
    complete(opcode, status)
    return status == .success ? held.isOn : nil
  }

  /// bluetoothd has ended the advertising. The host finds that out at its next check.
  package mutating func advertisingEnded() { isAdvertising = false }

  /// Reports an advertiser: `data` are its structures, at most 229 bytes. Does nothing while the host does not scan, or
  /// reads too slowly.
  package mutating func report(_ peer: DeviceAddress, rssi: Int8, data: Span<UInt8>) {
    guard isScanning, hasRoom else { return }
    _ = packets.append { writer in
      // All the data is in one report, so the host waits for no scan response.
      LEExtendedAdvertisingReport(
        properties: .legacy | .connectable, completeness: .complete, address: peer,
        primaryPHY: .le1M,
        secondaryPHY: PHY(rawValue: 0), advertisingSet: 0xFF, rssi: rssi,
        data: data.extracting(first: min(data.count, LEExtendedAdvertisingReport.longestPart))
      ).writePacket(to: &writer)
    }
  }

  // MARK: Commands

  @_lifetime(immortal)
  private mutating func perform(_ opcode: HCIOpcode, _ parameters: consuming ByteReader) -> Request
  {
    var reader = parameters
    switch opcode {
    case .reset:
      restart()
      complete(opcode)
      return .reset
    case .readBDADDR: complete(opcode) { [address] in address.writeBytes(to: &$0) }
    case .leReadBufferSize:
      complete(opcode) {
        $0.write(Self.frameLength)
        $0.write(Self.bufferCount)
      }
    // None: packets of any length, and bluetoothd chooses the PHY.
    case .leReadLocalSupportedFeatures: complete(opcode) { $0.write(UInt64(0)) }
    // The address is bluetoothd's choice, and this type has only the events that the host reads.
    case .leSetRandomAddress, .setEventMask, .leSetEventMask: complete(opcode)
    case .leSetAdvertisingParameters:
      complete(opcode, isAdvertising ? .commandDisallowed : .success)
    case .leSetAdvertisingData, .leSetScanResponseData: return setData(opcode, &reader)
    case .leSetAdvertisingEnable:
      guard let command = LESetAdvertisingEnable(&reader) else { break }
      held = (opcode, command.isEnabled)
      return .setAdvertising(command.isEnabled)
    case .leSetScanParameters: complete(opcode, isScanning ? .commandDisallowed : .success)
    case .leSetScanEnable:
      guard let command = LESetScanEnable(&reader) else { break }
      held = (opcode, command.enable != 0)
      return .setScanning(command.enable != 0, filtersDuplicates: command.filterDuplicates != 0)
    case .leCreateConnection: return beginConnection(&reader)
    case .leCreateConnectionCancel: return cancelConnection()
    case .disconnect: return beginDisconnection(&reader)
    case .readRSSI: answerRSSI(&reader)
    default: answer(opcode, .unknownCommand)
    }
    return .nothing
  }

  private mutating func restart() {
    packets.removeAll()
    links = VirtualLinks()
    isAdvertising = false
    isScanning = false
    connecting = nil
    held = nil
  }

  @_lifetime(immortal)
  private mutating func setData(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> Request {
    let isScanResponse = opcode == .leSetScanResponseData
    guard let data = LESetAdvertisingData(&reader)?.data else { return .nothing }
    advertisement = Advertisement(
      data: isScanResponse ? advertisement.data : data,
      scanResponse: isScanResponse ? data : advertisement.scanResponse)
    complete(opcode)
    return isAdvertising ? .changeAdvertisement : .nothing
  }

  @_lifetime(immortal)
  private mutating func beginConnection(_ reader: inout ByteReader) -> Request {
    guard let command = LECreateConnection(&reader) else { return .nothing }
    guard connecting == nil else {
      answer(.leCreateConnection, .commandDisallowed)
      return .nothing
    }
    guard !links.contains(command.peer, .central) else {
      answer(.leCreateConnection, .connectionAlreadyExists)
      return .nothing
    }
    connecting = command.peer
    answer(.leCreateConnection, .success)
    return .connect(command.peer)
  }

  @_lifetime(immortal)
  private mutating func cancelConnection() -> Request {
    guard connecting != nil else {
      complete(.leCreateConnectionCancel, .commandDisallowed)
      return .nothing
    }
    complete(.leCreateConnectionCancel)
    failConnection(.unknownConnectionIdentifier)
    return .cancelConnection
  }

  @_lifetime(immortal)
  private mutating func beginDisconnection(_ reader: inout ByteReader) -> Request {
    guard let handle = ConnectionHandle(&reader) else { return .nothing }
    guard let index = links.index(of: handle) else {
      answer(.disconnect, .unknownConnectionIdentifier)
      return .nothing
    }
    answer(.disconnect, .success)
    return .disconnect(index)
  }

  private mutating func answerRSSI(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader) else { return }
    let index = links.index(of: handle)
    let rssi = index.map { links[$0].rssi } ?? 0
    complete(.readRSSI, index == nil ? .unknownConnectionIdentifier : .success) {
      $0.write(handle.rawValue)
      $0.write(rssi)
    }
  }

  // MARK: Events

  /// Command Complete, with what `body` writes after the status.
  private mutating func complete(
    _ opcode: HCIOpcode, _ status: HCIErrorCode = .success,
    _ body: (inout ByteWriter) -> Void = { _ in }
  ) {
    _ = packets.append { writer in
      writer.write(HCIPacketType.event.rawValue)
      writer.write(HCIEventCode.commandComplete.rawValue)
      writer.write(UInt8(0))
      writer.write(UInt8(1))
      writer.write(opcode.rawValue)
      writer.write(status.rawValue)
      let start = writer.count
      body(&writer)
      // The length: credits, opcode, status and what `body` wrote.
      writer.patch(UInt8(truncatingIfNeeded: 4 &+ writer.count &- start), at: start &- 5)
    }
  }

  /// Command Status.
  private mutating func answer(_ opcode: HCIOpcode, _ status: HCIErrorCode) {
    _ = packets.append {
      CommandStatus(status: status, commandCredits: 1, opcode: opcode).writePacket(to: &$0)
    }
  }
}
