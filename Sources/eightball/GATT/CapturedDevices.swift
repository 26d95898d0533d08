import BallControl
import BluetoothHost
import LinuxRadio

/// The devices whose attributes a capture shows: the servers of its links.
///
/// A central's capture shows the peripherals that it connected to, a peripheral's capture itself.
struct CapturedDevices {
  /// The devices, in the order of their first link.
  private(set) var copies: [DeviceCopy] = []

  private var links: [UInt32: CapturedLink] = [:]
  /// What was heard of each advertiser.
  private var advertisers: [NearbyDevice] = []
  /// What this device advertises itself, and its address.
  private var local = NearbyDevice(address: .zero)

  /// Takes all packets of a capture.
  init(_ packets: CaptureReader) {
    var packets = packets
    while let packet = packets.next() { take(packet) }
    for handle in links.keys.sorted() { end(handle) }
  }

  private mutating func take(_ packet: CaptureReader.Packet) {
    let controller = UInt32(packet.controller) << 16
    switch HCIPacket(packet.bytes.span) {
    case .command(let opcode, let parameters)?: command(opcode, parameters)
    case .event(let code, let parameters)?: event(code, parameters, controller)
    case .acl(let header, let data)?:
      links[controller | UInt32(header.handle.rawValue), default: CapturedLink()].take(
        data, begins: header.boundary != .continuing, packet.direction)
    case nil: return
    }
  }

  private mutating func command(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    switch opcode {
    case .leSetRandomAddress:
      guard let address = DeviceAddress(&reader, kind: .random) else { return }
      local.address = address
    case .leSetAdvertisingData, .leSetScanResponseData:
      guard let length = reader.readUInt8(), let data = reader.readBytes(Int(length)) else {
        return
      }
      local.merge(data, isScanResponse: opcode == .leSetScanResponseData)
    default: return
    }
  }

  private mutating func event(
    _ code: HCIEventCode, _ parameters: Span<UInt8>, _ controller: UInt32
  ) {
    switch code {
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters) else { return }
      end(controller | UInt32(event.handle.rawValue))
    case .encryptionChange:
      guard let event = EncryptionChange(parameters: parameters), event.status == .success else {
        return
      }
      links[controller | UInt32(event.handle.rawValue)]?.isEncrypted = event.enabled != 0
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters), event.opcode == .readBDADDR,
        local.address == .zero
      else { return }
      var reader = ByteReader(event.returnParameters)
      if reader.readUInt8() == 0, let address = DeviceAddress(&reader, kind: .public) {
        local.address = address
      }
    case .leMeta:
      var reader = ByteReader(parameters)
      guard let subevent = reader.readUInt8().map({ LEMetaSubevent(rawValue: $0) }) else { return }
      switch subevent {
      case .advertisingReport, .extendedAdvertisingReport:
        hear(reader, isExtended: subevent == .extendedAdvertisingReport)
      case .connectionComplete, .enhancedConnectionComplete:
        let isEnhanced = subevent == .enhancedConnectionComplete
        guard let event = LEConnectionComplete(&reader, enhanced: isEnhanced),
          event.status == .success
        else { return }
        let handle = controller | UInt32(event.handle.rawValue)
        end(handle)
        links[handle] = CapturedLink(peer: event.peer, isCentral: event.role == .central)
      default: return
      }
    default: return
    }
  }

  private mutating func hear(_ reader: consuming ByteReader, isExtended: Bool) {
    guard var reports = AdvertisingReports(reader, isExtended: isExtended) else { return }
    while let report = reports.next() {
      let address = report.address
      let index = advertisers.firstIndex { $0.address == address } ?? advertisers.count
      if index == advertisers.count {
        guard index < 4_096 else { continue }
        advertisers.append(NearbyDevice(address: address))
      }
      advertisers[index].merge(report)
    }
  }

  /// A link has ended: its attributes belong to its server.
  private mutating func end(_ handle: UInt32) {
    guard let link = links.removeValue(forKey: handle), !link.types.isEmpty else { return }
    let peer = link.peer ?? .zero
    let device =
      link.isCentral
      ? advertisers.first { $0.address == peer } ?? NearbyDevice(address: peer) : local
    let index = copies.firstIndex { $0.device?.address == device.address } ?? copies.count
    if index == copies.count { copies.append(DeviceCopy()) }
    copies[index].device = device
    link.add(to: &copies[index])
  }
}

/// What one link of a capture shows of the attributes of its server.
struct CapturedLink {
  /// The other device; `nil` if the capture began later.
  var peer: DeviceAddress?
  /// Whether this device is the central, and so the client.
  var isCentral = true
  var isEncrypted = false

  /// The types of the attributes, by handle.
  private(set) var types: [UInt16: BluetoothUUID] = [:]
  private var services: [UInt16: RemoteService] = [:]
  private var includes: [UInt16: RemoteInclude] = [:]
  private var characteristics: [UInt16: RemoteCharacteristic] = [:]
  private var values: [UInt16: [UInt8]] = [:]
  private var refusals: [UInt16: ATTErrorCode] = [:]
  private var protected: [UInt16: LinkSecurity] = [:]

  private var sent = FrameAssembly()
  private var received = FrameAssembly()
  /// The client's request without a response.
  private var request: [UInt8] = []

  /// A link.
  init(peer: DeviceAddress? = nil, isCentral: Bool = true) {
    self.peer = peer
    self.isCentral = isCentral
  }

  /// Takes the next fragment of data.
  mutating func take(_ fragment: Span<UInt8>, begins: Bool, _ direction: PacketDirection) {
    let isSent = direction == .sent
    let progress =
      isSent
      ? sent.take(fragment, begins: begins) : received.take(fragment, begins: begins)
    let assembly = isSent ? sent : received
    guard case .whole = progress, assembly.channel == .att else { return }
    let pdu = Array(assembly.frame.dropFirst(FrameAssembly.headerLength))
    guard let opcode = pdu.first.map({ ATTOpcode(rawValue: $0) }) else { return }
    if isSent == isCentral {
      // Commands and confirmations have no response.
      if opcode.isReading { request = pdu }
    } else if opcode == .errorResponse {
      refused(pdu)
    } else if !request.isEmpty, opcode.rawValue == request[0] &+ 1 {
      answered(pdu, opcode)
      request = []
    }
  }

  private mutating func refused(_ pdu: [UInt8]) {
    var reader = ByteReader(pdu.span.extracting(droppingFirst: 1))
    guard let error = ErrorResponse(&reader), error.request == .readRequest else { return }
    if error.code.wantsProtection {
      protected[error.handle.rawValue] = isEncrypted ? .authenticated : .encrypted
    } else {
      refusals[error.handle.rawValue] = error.code
    }
  }

  /// Takes the response to the request.
  private mutating func answered(_ pdu: [UInt8], _ opcode: ATTOpcode) {
    let parameters = ByteReader(pdu.span.extracting(droppingFirst: 1))
    let asked = self.request
    var request = ByteReader(asked.span.extracting(droppingFirst: 1))
    switch opcode {
    case .readByGroupTypeResponse:
      guard let type = ReadByGroupTypeRequest(&request)?.parameters.type,
        var groups = ReadByGroupTypeResponse(parameters)
      else { return }
      while let group = groups.next() { found(group.range, type, group.value) }
    case .findByTypeValueResponse:
      guard let wanted = FindByTypeValueRequest(request),
        var ranges = FindByTypeValueResponse(parameters)
      else { return }
      let type = BluetoothUUID(wanted.type)
      while let range = ranges.next() { found(range, type, wanted.value) }
    case .findInformationResponse:
      guard var pairs = FindInformationResponse(parameters) else { return }
      while let (handle, type) = pairs.next() { types[handle.rawValue] = type }
    case .readByTypeResponse:
      guard let type = ReadByTypeRequest(&request)?.type,
        var attributes = ReadByTypeResponse(parameters)
      else { return }
      while let attribute = attributes.next() {
        types[attribute.handle.rawValue] = type
        found(attribute.handle, type, attribute.value)
      }
    case .readResponse:
      guard let handle = ReadRequest(&request)?.handle else { return }
      values[handle.rawValue] = Array(pdu.dropFirst())
    case .readBlobResponse:
      guard let part = ReadBlobRequest(&request),
        values[part.handle.rawValue]?.count == Int(part.offset)
      else { return }
      values[part.handle.rawValue]? += pdu.dropFirst()
    default: return
    }
  }

  private mutating func found(
    _ range: AttributeHandleRange, _ type: BluetoothUUID, _ value: Span<UInt8>
  ) {
    var reader = ByteReader(value)
    guard let uuid = BluetoothUUID(&reader, byteCount: value.count) else { return }
    types[range.start.rawValue] = type
    services[range.start.rawValue] = RemoteService(uuid: uuid, range: range)
  }

  private mutating func found(
    _ handle: AttributeHandle, _ type: BluetoothUUID, _ value: Span<UInt8>
  ) {
    var reader = ByteReader(value)
    switch type {
    case .include:
      guard let range = AttributeHandleRange(&reader) else { return }
      includes[handle.rawValue] = RemoteInclude(
        declaration: handle, range: range, uuid: BluetoothUUID(&reader, byteCount: reader.count))
    case .characteristic:
      guard let properties = reader.readUInt8(), let place = AttributeHandle(&reader),
        let uuid = BluetoothUUID(&reader, byteCount: reader.count)
      else { return }
      types[place.rawValue] = uuid
      characteristics[handle.rawValue] = RemoteCharacteristic(
        uuid: uuid, properties: GATTProperties(rawValue: properties), declaration: handle,
        value: place)
    default: values[handle.rawValue] = [UInt8](value)
    }
  }

  /// Adds what the link has shown to what other links of the device have.
  func add(to copy: inout DeviceCopy) {
    var types = self.types
    for attribute in copy.found.types where types[attribute.handle.rawValue] == nil {
      types[attribute.handle.rawValue] = attribute.uuid
    }
    copy.found.types = types.keys.sorted().compactMap { handle in
      types[handle].map { RemoteDescriptor(uuid: $0, handle: AttributeHandle(rawValue: handle)) }
    }
    var services = self.services
    // A client reads the UUID of a secondary service from its declaration.
    for start in copy.found.secondaryServices where services[start.rawValue] == nil {
      guard let value = values[start.rawValue] else { continue }
      var reader = ByteReader(value.span)
      guard let uuid = BluetoothUUID(&reader, byteCount: value.count) else { continue }
      services[start.rawValue] = RemoteService(
        uuid: uuid,
        range: AttributeHandleRange(start: start, end: copy.found.end(ofServiceAt: start)))
    }
    for service in copy.found.services where services[service.range.start.rawValue] == nil {
      services[service.range.start.rawValue] = service
    }
    copy.found.services = services.keys.sorted().compactMap { services[$0] }
    var includes = self.includes
    for include in copy.found.includes where includes[include.declaration.rawValue] == nil {
      includes[include.declaration.rawValue] = include
    }
    copy.found.includes = includes.keys.sorted().compactMap { includes[$0] }
    var characteristics = self.characteristics
    for known in copy.found.characteristics
    where characteristics[known.declaration.rawValue] == nil {
      characteristics[known.declaration.rawValue] = known
    }
    copy.found.characteristics = characteristics.keys.sorted().compactMap { characteristics[$0] }
    copy.values.merge(values) { _, new in new }
    copy.refusals.merge(refusals) { _, new in new }
    copy.protected.merge(protected) { _, new in new }
  }
}

extension ATTOpcode {
  /// Whether it is a request for attributes or values.
  fileprivate var isReading: Bool {
    switch self {
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
      .readBlobRequest, .readByGroupTypeRequest:
      true
    default: false
    }
  }
}
