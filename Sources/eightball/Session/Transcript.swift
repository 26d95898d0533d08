import BallControl
import BluetoothHost
import LinuxRadio

/// What a central and a peripheral said by the Attribute Protocol, link by link, from the packets of one of their radios.
struct Transcript {
  /// A request of the central with its response, a command of the central, or an update of the peripheral.
  struct Exchange {
    /// When it began, in microseconds.
    let time: UInt64
    /// The PDU that began it.
    let pdu: [UInt8]
    /// Whether the link was encrypted.
    let isEncrypted: Bool
    /// The response; empty while there is none.
    var response: [UInt8] = []
    var responseTime: UInt64 = 0

    var opcode: ATTOpcode { ATTOpcode(rawValue: pdu[0]) }
    /// How long the response took, in milliseconds.
    var wait: UInt32 {
      response.isEmpty ? 0 : UInt32(clamping: (max(responseTime, time) - time) / 1_000)
    }
    /// Why the request failed; `nil` if it succeeded.
    var error: ErrorResponse? {
      var reader = ByteReader(response.span)
      return reader.readUInt8() == ATTOpcode.errorResponse.rawValue ? ErrorResponse(&reader) : nil
    }
  }

  /// A connection of the radio.
  struct Link {
    /// The controller and its handle.
    fileprivate let handle: UInt32
    /// The other device; `nil` if the packets begin after the connection.
    let peer: DeviceAddress?
    /// Whether the radio is the central's; `nil` while unknown.
    fileprivate(set) var isCentral: Bool?
    /// When it began, and when it ended, in microseconds.
    let start: UInt64
    fileprivate(set) var end: UInt64?
    /// Whether the peripheral ended it.
    fileprivate(set) var isEndedByPeripheral = false
    fileprivate(set) var exchanges: [Exchange] = []

    fileprivate var isEncrypted = false
    fileprivate var sent = FrameAssembly()
    fileprivate var received = FrameAssembly()
    /// The exchange whose response is due.
    private var pending: Int?

    fileprivate init(
      _ handle: UInt32, _ peer: DeviceAddress?, _ isCentral: Bool?, at time: UInt64
    ) {
      self.handle = handle
      self.peer = peer
      self.isCentral = isCentral
      start = time
    }

    /// Takes a PDU.
    fileprivate mutating func note(_ pdu: [UInt8], _ direction: PacketDirection, at time: UInt64) {
      guard let first = pdu.first else { return }
      let opcode = ATTOpcode(rawValue: first)
      let isUpdate =
        opcode == .handleValueNotification || opcode == .handleValueIndication
        || opcode == .multipleHandleValueNotification
      // Requests have even numbers, and commands have bit 6.
      let isAsked =
        opcode.isCommand || first % 2 == 0 && opcode != .handleValueConfirmation
      if isCentral == nil, isAsked || isUpdate { isCentral = (direction == .sent) == isAsked }
      // Either device may also be a client of the other; this is about the peripheral's server.
      guard let isCentral, isAsked == ((direction == .sent) == isCentral) else { return }
      if isAsked || isUpdate {
        exchanges.append(Exchange(time: time, pdu: pdu, isEncrypted: isEncrypted))
        if isAsked, !opcode.isCommand { pending = exchanges.count - 1 }
      } else if let index = pending.take() {
        exchanges[index].response = pdu
        exchanges[index].responseTime = time
      }
    }
  }

  /// The links, in the order in which they began.
  private(set) var links: [Link] = []
  /// The devices that the radio has heard, or has been itself.
  private var devices: [NearbyDevice] = []
  /// The own address type with which the radio advertises; `nil` if it does not.
  private var ownAddressType: UInt8?
  /// The connectable advertising set; `nil` with the commands of Bluetooth 4.
  private var ownSet: UInt8?
  private var ownData: [UInt8] = []
  private var ownResponse: [UInt8] = []
  private var publicAddress = DeviceAddress.zero
  private var randomAddress = DeviceAddress.zero

  /// How many packets the capture lacks.
  private var losses: UInt32 = 0
  /// The controller of the current packet, in the high half.
  private var controller: UInt32 = 0

  /// What a capture has.
  init(_ capture: CaptureReader) {
    var capture = capture
    while let packet = capture.next() {
      controller = UInt32(packet.controller) << 16
      note(packet.bytes.span, packet.direction, at: packet.time)
    }
    losses = capture.losses
  }

  /// No packets so far.
  init() {}

  /// The warning that the capture lacks packets, as a sentence; `nil` if it has all.
  ///
  /// - Parameter content: What may be missing therefore, as a plural.
  func warning(about content: String) -> String? {
    guard losses > 0 else { return nil }
    let packets = losses == 1 ? "1 packet" : "\(losses) packets"
    return "The capture lacks \(packets): \(content) may be missing."
  }

  /// Takes a packet, from H4's type byte on.
  ///
  /// - Parameter time: In microseconds.
  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection, at time: UInt64) {
    switch HCIPacket(packet) {
    case .command(let opcode, let parameters)?: note(opcode, ByteReader(parameters))
    case .event(let code, let parameters)?: note(code, parameters, at: time)
    case .acl(let header, let data)?: note(header, data, direction, at: time)
    case nil: return
    }
  }

  /// What the central of each peripheral has discovered and read, all links with it together.
  var copies: [DeviceCopy] {
    var copies: [DeviceCopy] = []
    var rest = links.filter { !$0.exchanges.isEmpty }
    while let first = rest.first {
      // All links of the radio as a peripheral are its own.
      let isSame = { (link: Link) in
        link.isCentral == first.isCentral && (link.isCentral != true || link.peer == first.peer)
      }
      let device = peripheral(of: first)
      var copy = DeviceCopy(rest.filter(isSame), of: device)
      copy.device = device ?? NearbyDevice(address: first.peer ?? .zero)
      // A capture of both sides, as of btmon on the one machine, shows each exchange twice.
      let isKnown = copies.contains { $0.device?.address == copy.device?.address }
      if !copy.found.types.isEmpty, !isKnown { copies.append(copy) }
      rest.removeAll(where: isSame)
    }
    return copies
  }

  /// The advertising of the peripheral of `link`; `nil` if it is unknown.
  func peripheral(of link: Link) -> NearbyDevice? {
    guard link.isCentral == false else {
      return link.peer.flatMap { peer in devices.first { $0.address == peer } }
    }
    guard let ownAddressType else { return nil }
    var device = NearbyDevice(address: ownAddressType & 1 == 0 ? publicAddress : randomAddress)
    device.merge(ownData.span, isScanResponse: false)
    if ownResponse.count > 0 { device.merge(ownResponse.span, isScanResponse: true) }
    return device
  }

  // MARK: Packets

  private mutating func note(_ opcode: HCIOpcode, _ parameters: consuming ByteReader) {
    switch opcode {
    case .leSetRandomAddress:
      if let command = LESetRandomAddress(&parameters) { randomAddress = command.address }
    case .leSetAdvertisingParameters:
      guard let command = LESetAdvertisingParameters(&parameters) else { return }
      ownAddressType = command.ownAddressType
    case .leSetAdvertisingData:
      if let command = LESetAdvertisingData(&parameters) { ownData = [UInt8](command.data.span) }
    case .leSetScanResponseData:
      guard let command = LESetScanResponseData(&parameters) else { return }
      ownResponse = [UInt8](command.data.span)
    case .leSetExtendedAdvertisingParameters:
      guard let command = LESetExtendedAdvertisingParameters(&parameters),
        command.properties.contains(.connectable)
      else { return }
      ownAddressType = command.ownAddressType
      ownSet = command.handle
    case .leSetAdvertisingSetRandomAddress:
      guard let command = LESetAdvertisingSetRandomAddress(&parameters), command.handle == ownSet
      else { return }
      randomAddress = command.address
    case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
      guard let command = LESetExtendedAdvertisingData(&parameters), command.handle == ownSet else {
        return
      }
      let isFirst = command.operation == .first || command.operation == .complete
      let part = [UInt8](command.data)
      if opcode == .leSetExtendedAdvertisingData {
        ownData = isFirst ? part : ownData + part
      } else {
        ownResponse = isFirst ? part : ownResponse + part
      }
    default: break
    }
  }

  private mutating func note(_ code: HCIEventCode, _ parameters: Span<UInt8>, at time: UInt64) {
    var reader = ByteReader(parameters)
    switch code {
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters), event.opcode == .readBDADDR else {
        return
      }
      reader = ByteReader(event.returnParameters)
      if reader.readUInt8() == 0, let address = DeviceAddress(&reader, kind: .public) {
        publicAddress = address
      }
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters), event.status == .success,
        let index = index(of: event.handle)
      else { return }
      links[index].end = time
      // 0x16: by this host. 0x13 to 0x15: by the other one. Others are losses of the link.
      let isOwn = event.reason.rawValue == 0x16
      links[index].isEndedByPeripheral =
        (isOwn || (0x13...0x15).contains(event.reason.rawValue))
        && isOwn == (links[index].isCentral == false)
    case .encryptionChange:
      guard let event = EncryptionChange(parameters: parameters), event.status == .success,
        let index = index(of: event.handle)
      else { return }
      links[index].isEncrypted = event.enabled != 0
    case .leMeta:
      guard let subevent = reader.readUInt8().map({ LEMetaSubevent(rawValue: $0) }) else { return }
      switch subevent {
      case .connectionComplete, .enhancedConnectionComplete:
        guard
          let event = LEConnectionComplete(
            &reader, enhanced: subevent == .enhancedConnectionComplete), event.status == .success
        else { return }
        if let former = index(of: event.handle) { links[former].end = time }
        links.append(
          Link(
            controller | UInt32(event.handle.rawValue), event.peer, event.role == .central,
            at: time))
      case .advertisingReport, .extendedAdvertisingReport:
        guard
          var reports = AdvertisingReports(
            reader, isExtended: subevent == .extendedAdvertisingReport)
        else { return }
        while let report = reports.next() {
          let address = report.address
          if let index = devices.firstIndex(where: { $0.address == address }) {
            devices[index].merge(report)
          } else if devices.count < 4_096 {
            var device = NearbyDevice(address: address)
            device.merge(report)
            devices.append(device)
          }
        }
      default: break
      }
    default: break
    }
  }

  private mutating func note(
    _ header: ACLHeader, _ data: Span<UInt8>, _ direction: PacketDirection, at time: UInt64
  ) {
    if index(of: header.handle) == nil {
      links.append(Link(controller | UInt32(header.handle.rawValue), nil, nil, at: time))
    }
    guard let index = index(of: header.handle) else { return }
    let begins = header.boundary != .continuing
    // Copies of the assemblies would copy their frames.
    let progress =
      direction == .sent
      ? links[index].sent.take(data, begins: begins)
      : links[index].received.take(data, begins: begins)
    guard case .whole = progress else { return }
    let assembly = direction == .sent ? links[index].sent : links[index].received
    guard assembly.channel == .att else { return }
    links[index].note(
      Array(assembly.frame.dropFirst(FrameAssembly.headerLength)), direction, at: time)
  }

  /// The link with this handle that has not ended.
  private func index(of handle: ConnectionHandle) -> Int? {
    let handle = controller | UInt32(handle.rawValue)
    return links.lastIndex { $0.handle == handle && $0.end == nil }
  }
}
