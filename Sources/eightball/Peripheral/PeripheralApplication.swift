import BluetoothHost

/// What happened at a peripheral.
enum PeripheralEvent {
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
  /// The value became too long for the train, which keeps its last one.
  case unbroadcast(label: String)
  /// The central did otherwise than in the session that is replayed.
  case differed(DeviceAddress, SessionDifference)
}

/// The values of a peripheral of a file, and its answers.
struct PeripheralApplication: GATTApplication {
  /// A value that the application supplies.
  private final class Served {
    let handle: UInt16
    let label: String
    /// The fields that a timeline changes.
    var fields: [ValueField]
    var bytes: [UInt8]
    let answer: WriteAnswer
    let faults: PeripheralFaults

    init(
      _ handle: UInt16, _ label: String, _ fields: [ValueField], _ answer: WriteAnswer,
      _ faults: PeripheralFaults
    ) {
      self.handle = handle
      self.label = label
      self.fields = fields
      bytes = ValueField.bytes(of: fields)
      self.answer = answer
      self.faults = faults
    }
  }

  /// A connected central.
  private final class Link {
    let address: DeviceAddress
    var subscriptions: [(value: Served, configuration: ClientConfiguration)] = []
    var updates: [(value: Served, bytes: [UInt8])] = []
    /// What the request under way writes.
    var written: [(value: Served, offset: Int, bytes: [UInt8])] = []
    /// When the request that was put off is answered; `nil` without one.
    var due: Instant?
    /// Whether the request that was put off is being answered.
    var isDue = false
    /// How many requests the central has made.
    var requests: UInt32 = 0
    var isDropped = false
    /// The step of the session that the request under way is.
    var step: SessionStep?

    init(_ address: DeviceAddress) { self.address = address }
  }

  /// The most updates that wait for one central. The oldest are dropped.
  private static let mostUpdates = 32

  /// The time of the current call of the program.
  var now = Instant(rawValue: 0)
  private(set) var events: [PeripheralEvent] = []
  private let faults: PeripheralFaults
  private var values: [Served] = []
  private var links: [Link?]
  /// The session that is replayed; `nil` for none.
  private(set) var script: SessionScript?

  /// - Parameters:
  ///   - connections: The capacity of the host.
  ///   - replays: Whether the session of the description is replayed.
  init(_ peripheral: PeripheralDescription, connections: Int, replays: Bool = false) {
    faults = peripheral.faults
    if replays, !peripheral.steps.isEmpty { script = SessionScript(peripheral.steps) }
    links = Array(repeating: nil, count: connections)
    for service in peripheral.services {
      for characteristic in service.characteristics {
        let label = service.label + "." + characteristic.label
        values.append(
          Served(
            characteristic.valueHandle, label, characteristic.value,
            characteristic.answer ?? .usual, characteristic.faults))
        for descriptor in characteristic.descriptors {
          values.append(
            Served(
              descriptor.handle, label + "." + descriptor.label, descriptor.value, .usual,
              PeripheralFaults()))
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

  private func value(at handle: UInt16) -> Served? { values.first { $0.handle == handle } }

  private func value(of attribute: ApplicationAttribute) throws(GATTRefusal) -> Served {
    guard let value = value(at: attribute.rawValue) else { throw .error(.unlikelyError) }
    return value
  }

  private func link(at connectionIndex: Int) throws(GATTRefusal) -> Link {
    guard let link = links[connectionIndex] else { throw .error(.unlikelyError) }
    return link
  }

  /// When the next request that was put off must be answered, or the next step of a session is due; `nil` if neither.
  var deadline: Instant? {
    var earliest = script?.deadline
    for link in links { earliest = .earlier(earliest, link?.due) }
    return earliest
  }

  // MARK: For the program

  /// The bytes of the value with this label, as centrals get them; empty without one.
  func bytes(of label: String) -> [UInt8] {
    values.first { $0.label == label }.map { bytes(of: $0) } ?? []
  }

  /// Goes on to the next number of a timeline, and notifies it.
  mutating func advance(_ timeline: inout RunningTimeline) {
    guard let value = value(at: timeline.handle) else { return }
    timeline.advance(&value.fields)
    if !timeline.timeline.course.isConstant { value.bytes = ValueField.bytes(of: value.fields) }
    notify(value)
  }

  /// Does the steps of the session that are due.
  mutating func replay(at now: Instant) {
    while let step = script?.takeDue(at: now) {
      if step.action == .drop {
        for link in links { link?.isDropped = true }
      } else if let value = values.first(where: { $0.label == step.label }) {
        value.bytes = step.value
        notify(value)
      }
    }
  }

  /// Notes what a central does.
  ///
  /// - Returns: The step of the session that it is; `nil` if there is none.
  @discardableResult private mutating func follow(
    _ action: SessionStep.Action, _ value: Served, _ bytes: [UInt8] = [], on link: Link
  ) -> SessionStep? {
    guard let result = script?.perform(action, value.label, bytes, at: now) else { return nil }
    if let difference = result.difference { events.append(.differed(link.address, difference)) }
    return result.step
  }

  /// The connection whose request is due; `nil` if there is none. The host asks for it again.
  mutating func takeDue(at now: Instant) -> Int? {
    for index in links.indices {
      guard let link = links[index], let due = link.due, due <= now else { continue }
      link.due = nil
      link.isDue = true
      return index
    }
    return nil
  }

  /// The request that was due has its answer.
  mutating func endDue(at index: Int) { links[index]?.isDue = false }

  /// The connection of a central whose link has to end; `nil` if there is none.
  mutating func takeDropped() -> Int? {
    for index in links.indices {
      guard let link = links[index], link.isDropped else { continue }
      link.isDropped = false
      events.append(.dropped(link.address))
      return index
    }
    return nil
  }

  /// Notes that a value is too long for the train.
  mutating func keepBroadcast(of label: String) { events.append(.unbroadcast(label: label)) }

  /// Notes that the peripheral falls silent.
  mutating func vanish() { events.append(.vanished) }

  // MARK: Centrals

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    links[connectionIndex] = Link(address)
    events.append(.connected(address))
    script?.connected(at: now)
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    guard let link = links[connectionIndex] else { return }
    links[connectionIndex] = nil
    if let difference = script?.disconnected() {
      events.append(.differed(link.address, difference))
    }
    events.append(.disconnected(link.address, reason))
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    guard let link = links[connectionIndex], let value = value(at: attribute.rawValue) else {
      return
    }
    link.subscriptions.removeAll { $0.value === value }
    if configuration == .none {
      link.updates.removeAll { $0.value === value }
    } else {
      link.subscriptions.append((value, configuration))
    }
    events.append(.subscribed(link.address, label: value.label, configuration))
    follow(
      .subscribe, value, [UInt8(truncatingIfNeeded: configuration.rawValue & 3)], on: link)
  }

  mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }

  // MARK: Requests

  /// Begins a request: ends the link, puts the request off, or refuses it, as the faults want.
  ///
  /// - Parameter extra: How many milliseconds it waits beside those of the faults.
  private mutating func begin(
    _ value: Served, on link: Link, extra: UInt32 = 0
  ) throws(GATTRefusal) {
    if !link.isDue {
      if let drop = faults.drop, link.requests >= drop {
        link.isDropped = true
        throw .later
      }
      link.requests += 1
      let delay = faults.delay + value.faults.delay + extra
      if delay > 0 {
        link.due = now.advanced(by: delay)
        throw .later
      }
    }
    guard let code = value.faults.refusal ?? faults.refusal else { return }
    try refuse(value, on: link, with: code)
  }

  private mutating func refuse(
    _ value: Served, on link: Link, with code: UInt8
  ) throws(GATTRefusal) {
    events.append(.refused(link.address, label: value.label, error: code))
    throw .error(ATTErrorCode(rawValue: code))
  }

  /// The bytes of a value as centrals get them.
  private func bytes(of value: Served) -> [UInt8] {
    faults.isShort || value.faults.isShort ? Array(value.bytes.dropLast()) : value.bytes
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into writer: inout ByteWriter
  ) throws(GATTRefusal) {
    let value = try value(of: attribute)
    let link = try link(at: connectionIndex)
    if script != nil, offset == 0, !link.isDue { link.step = follow(.read, value, on: link) }
    let step = offset == 0 ? link.step : nil
    try begin(value, on: link, extra: step?.wait ?? 0)
    if let code = step?.error { try refuse(value, on: link, with: code) }
    if let step { value.bytes = step.value }
    let bytes = bytes(of: value)
    writer.writePrefix(of: bytes.span)
    if offset == 0 { events.append(.read(link.address, label: value.label, bytes)) }
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) { try write(value, from: 0, to: attribute, at: connectionIndex) }

  func permitsWrite(to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int)
    -> Bool
  { value(at: attribute.rawValue).map { offset <= $0.bytes.count } ?? false }

  mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int
  ) throws(GATTRefusal) {
    let value = try value(of: attribute)
    try link(at: connectionIndex).written.append((value, offset, [UInt8](part)))
  }

  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {
    let link = try link(at: connectionIndex)
    let written = link.written
    link.written = []
    guard let first = written.first else { return }
    // A command has no response that could wait or tell an error.
    if script != nil, !link.isDue {
      link.step = nil
      for (value, _, part) in written {
        let step = follow(isCommand ? .writeCommand : .write, value, part, on: link)
        // The first one that failed decides.
        if link.step?.error == nil { link.step = step }
      }
    }
    let step = isCommand ? nil : link.step
    if !isCommand {
      try begin(first.value, on: link, extra: step?.wait ?? first.value.answer.delay)
    }
    for (value, offset, part) in written {
      let answer = step.map { WriteAnswer(error: $0.error, sets: true) } ?? value.answer
      events.append(.written(link.address, label: value.label, part, error: answer.error))
      if let code = answer.error { throw .error(ATTErrorCode(rawValue: code)) }
      let bytes = value.bytes.prefix(offset) + part
      if answer.sets { value.bytes = Array(bytes) }
      for other in values where answer.echoes.contains(other.label) {
        other.bytes = Array(bytes)
        notify(other)
      }
      for other in values where answer.notifies.contains(other.label) { notify(other) }
    }
  }

  // MARK: Updates

  /// Notifies or indicates a value to each subscribed central.
  private mutating func notify(_ value: Served) {
    for link in links {
      guard let link, link.subscriptions.contains(where: { $0.value === value }) else { continue }
      if link.updates.count >= Self.mostUpdates, script == nil { link.updates.removeFirst() }
      link.updates.append((value, bytes(of: value)))
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
    links[connectionIndex]?.updates.first.map { ApplicationAttribute(rawValue: $0.value.handle) }
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into writer: inout ByteWriter
  ) {
    guard let link = links[connectionIndex], !link.updates.isEmpty else { return }
    let (value, bytes) = link.updates.removeFirst()
    writer.writePrefix(of: bytes.span)
    let configuration = link.subscriptions.first { $0.value === value }?.configuration
    events.append(
      .sent(
        link.address, label: value.label, bytes,
        isIndication: configuration?.contains(.notification) == false))
  }
}
