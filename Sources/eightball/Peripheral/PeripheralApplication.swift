import BluetoothHost

/// What happened at a peripheral.
enum PeripheralEvent: Equatable {
  case radio(RadioState)
  case connected(DeviceAddress)
  case disconnected(DeviceAddress, HCIErrorCode)
  case read(DeviceAddress, label: String, [UInt8])
  /// `error` is the code of the Error Response; `nil` if the write succeeded.
  case written(DeviceAddress, label: String, [UInt8], error: UInt8?)
  case subscribed(DeviceAddress, label: String, ClientConfiguration)
  case sent(DeviceAddress, label: String, [UInt8], isIndication: Bool)
  /// A read or a write was refused, as a fault of the file wants.
  case refused(DeviceAddress, label: String, error: UInt8)
  /// The link ends, as a fault of the file wants.
  case dropped(DeviceAddress)
  /// The peripheral falls silent, as a fault of the file wants.
  case vanished
}

/// The values of a peripheral of a file, and its answers.
struct PeripheralApplication: GATTApplication {
  /// A value that the application supplies.
  private struct Served {
    let handle: UInt16
    let label: String
    /// The fields that a timeline changes.
    var fields: [ValueField]
    var bytes: [UInt8]
    var answer = WriteAnswer.usual
    var faults: PeripheralFaults
  }

  /// A connected central.
  private struct Link {
    let address: DeviceAddress
    var subscriptions: [(handle: UInt16, configuration: ClientConfiguration)] = []
    var updates: [(handle: UInt16, bytes: [UInt8])] = []
    /// What the request under way writes.
    var written: [(index: Int, offset: Int, bytes: [UInt8])] = []
    /// When the request that was put off is answered; `nil` without one.
    var due: Instant?
    /// Whether the request that was put off is being answered.
    var isDue = false
    /// How many requests the central has made.
    var requests: UInt32 = 0
    var isDropped = false
  }

  /// The most updates that wait for one central. The oldest are dropped.
  private static let mostUpdates = 32

  /// The time of the current call of the program.
  var now = Instant(rawValue: 0)
  private(set) var events: [PeripheralEvent] = []
  private let faults: PeripheralFaults
  private var values: [Served] = []
  private var links: [Link?]

  /// - Parameter connections: The capacity of the host.
  init(_ peripheral: PeripheralDescription, connections: Int) {
    faults = peripheral.faults
    links = Array(repeating: nil, count: connections)
    for service in peripheral.services {
      for characteristic in service.characteristics {
        let label = service.label + "." + characteristic.label
        values.append(
          Served(
            handle: characteristic.valueHandle, label: label, fields: characteristic.value,
            bytes: characteristic.value.flatMap(\.bytes), answer: characteristic.answer ?? .usual,
            faults: characteristic.faults))
        for descriptor in characteristic.descriptors {
          values.append(
            Served(
              handle: descriptor.handle, label: label + "." + descriptor.label, fields: [],
              bytes: descriptor.value.flatMap(\.bytes), faults: PeripheralFaults()))
        }
      }
    }
  }

  /// Takes the events, the oldest first.
  mutating func takeEvents() -> [PeripheralEvent] {
    var taken: [PeripheralEvent] = []
    swap(&taken, &events)
    return taken
  }

  private func index(of handle: UInt16) -> Int? { values.firstIndex { $0.handle == handle } }

  /// When the next request that was put off must be answered; `nil` if there is none.
  var deadline: Instant? {
    links.reduce(nil) { Instant.earlier($0, $1?.due) }
  }

  // MARK: For the program

  /// Goes on to the next number of a timeline, and notifies it.
  mutating func advance(_ timeline: inout RunningTimeline) {
    guard let index = index(of: timeline.handle) else { return }
    timeline.advance(&values[index].fields)
    if timeline.timeline.course != .constant {
      values[index].bytes = values[index].fields.flatMap(\.bytes)
    }
    notify(index)
  }

  /// The connection whose request is due; `nil` if there is none. The host asks for it again.
  mutating func takeDue(at now: Instant) -> Int? {
    for index in links.indices {
      guard let due = links[index]?.due, due <= now else { continue }
      links[index]?.due = nil
      links[index]?.isDue = true
      return index
    }
    return nil
  }

  /// The request that was due has its answer.
  mutating func endDue(at index: Int) { links[index]?.isDue = false }

  /// The connection of a central whose link has to end; `nil` if there is none.
  mutating func takeDropped() -> Int? {
    guard let index = links.firstIndex(where: { $0?.isDropped == true }), let link = links[index]
    else { return nil }
    links[index]?.isDropped = false
    events.append(.dropped(link.address))
    return index
  }

  /// Notes that the peripheral falls silent.
  mutating func vanish() { events.append(.vanished) }

  // MARK: Centrals

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    links[connectionIndex] = Link(address: address)
    events.append(.connected(address))
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    guard let link = links[connectionIndex] else { return }
    links[connectionIndex] = nil
    events.append(.disconnected(link.address, reason))
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    guard let link = links[connectionIndex], let index = index(of: attribute.rawValue) else {
      return
    }
    let handle = attribute.rawValue
    links[connectionIndex]?.subscriptions.removeAll { $0.handle == handle }
    if configuration == .none {
      links[connectionIndex]?.updates.removeAll { $0.handle == handle }
    } else {
      links[connectionIndex]?.subscriptions.append((handle, configuration))
    }
    events.append(.subscribed(link.address, label: values[index].label, configuration))
  }

  mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }

  // MARK: Requests

  /// Begins a request: ends the link, puts the request off, or refuses it, as the faults want.
  ///
  /// - Parameter extra: How many milliseconds it waits beside those of the faults.
  private mutating func begin(
    _ index: Int, at connectionIndex: Int, extra: UInt32 = 0
  ) throws(GATTRefusal) {
    guard let link = links[connectionIndex] else { throw .error(.unlikelyError) }
    guard !link.isDue else { return try refuse(index, link) }
    if let drop = faults.drop, link.requests >= drop {
      links[connectionIndex]?.isDropped = true
      throw .later
    }
    links[connectionIndex]?.requests += 1
    try delay(faults.delay + values[index].faults.delay + extra, at: connectionIndex)
    try refuse(index, link)
  }

  private mutating func refuse(_ index: Int, _ link: Link) throws(GATTRefusal) {
    guard let code = values[index].faults.refusal ?? faults.refusal else { return }
    events.append(.refused(link.address, label: values[index].label, error: code))
    throw .error(ATTErrorCode(rawValue: code))
  }

  /// Puts the request off.
  private mutating func delay(_ time: UInt32, at connectionIndex: Int) throws(GATTRefusal) {
    guard time > 0 else { return }
    links[connectionIndex]?.due = now.advanced(by: time)
    throw .later
  }

  /// The bytes of a value as centrals get them.
  private func bytes(_ index: Int) -> [UInt8] {
    let bytes = values[index].bytes
    return faults.isShort || values[index].faults.isShort ? Array(bytes.dropLast()) : bytes
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    guard let index = index(of: attribute.rawValue) else { throw .error(.unlikelyError) }
    try begin(index, at: connectionIndex)
    let bytes = bytes(index)
    value.writePrefix(of: bytes.span)
    if offset == 0, let link = links[connectionIndex] {
      events.append(.read(link.address, label: values[index].label, bytes))
    }
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) { try write(value, from: 0, to: attribute, at: connectionIndex) }

  func permitsWrite(to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int)
    -> Bool
  { index(of: attribute.rawValue).map { offset <= values[$0].bytes.count } ?? false }

  mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int
  ) throws(GATTRefusal) {
    guard let index = index(of: attribute.rawValue) else { throw .error(.unlikelyError) }
    links[connectionIndex]?.written.append((index, offset, [UInt8](part)))
  }

  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {
    guard let link = links[connectionIndex], let first = link.written.first else { return }
    links[connectionIndex]?.written = []
    if !isCommand {
      let extra = link.written.map { values[$0.index].answer.delay }.max() ?? 0
      try begin(first.index, at: connectionIndex, extra: extra)
    }
    for write in link.written {
      let label = values[write.index].label
      let answer = values[write.index].answer
      events.append(.written(link.address, label: label, write.bytes, error: answer.error))
      if let code = answer.error { throw .error(ATTErrorCode(rawValue: code)) }
      let bytes = values[write.index].bytes.prefix(write.offset) + write.bytes
      if answer.sets { values[write.index].bytes = Array(bytes) }
      for label in answer.echoes {
        guard let index = values.firstIndex(where: { $0.label == label }) else { continue }
        values[index].bytes = Array(bytes)
        notify(index)
      }
      for label in answer.notifies {
        if let index = values.firstIndex(where: { $0.label == label }) { notify(index) }
      }
    }
  }

  // MARK: Updates

  /// Notifies or indicates a value to each subscribed central.
  private mutating func notify(_ index: Int) {
    let handle = values[index].handle
    let bytes = bytes(index)
    for number in links.indices {
      guard let link = links[number], link.subscriptions.contains(where: { $0.handle == handle })
      else { continue }
      if link.updates.count >= Self.mostUpdates { links[number]?.updates.removeFirst() }
      links[number]?.updates.append((handle, bytes))
    }
  }

  var pendingConnections: ConnectionSet {
    var pending = ConnectionSet.none
    for index in links.indices where links[index]?.updates.isEmpty == false {
      pending.insert(index)
    }
    return pending
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    links[connectionIndex]?.updates.first.map { ApplicationAttribute(rawValue: $0.handle) }
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    guard let link = links[connectionIndex], let update = link.updates.first,
      let index = index(of: update.handle)
    else { return }
    links[connectionIndex]?.updates.removeFirst()
    value.writePrefix(of: update.bytes.span)
    let subscription = link.subscriptions.first { $0.handle == update.handle }
    events.append(
      .sent(
        link.address, label: values[index].label, update.bytes,
        isIndication: subscription?.configuration.contains(.notification) == false))
  }
}
