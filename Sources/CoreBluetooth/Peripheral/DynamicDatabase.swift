import BluetoothHost

/// The attributes of this device: the two services that every server has, and those that the
/// program publishes. An attribute keeps its handle while its service is published. The handles of
/// a removed service stay vacant while other services follow; if none does, the next service gets
/// them.
struct DynamicDatabase: AttributeDatabase {
  private var table: [Attribute] { didSet { knownHash = nil } }

  /// The hash, once computed. Computing it takes long for many attributes, so it is not done for
  /// each added service.
  private(set) var knownHash: DatabaseHash?

  /// The databases before each change, for bonded clients that were away.
  private var history = DatabaseHistory()

  /// Only GAP and GATT.
  init() {
    // One attribute for each service, two for each characteristic, one for the configuration.
    var table = Array(capacity: 15) { Self.base.declare(in: &$0) }
    var span = table.mutableSpan
    // There is one configuration, and it has the first slot.
    span.link(from: .first) { 0 }
    self.table = table
  }

  /// Core Specification, Vol 3, Part C, 12, and Part G, 7.
  @GATTBuilder private static var base: some GATTDeclaration {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read, value: .deviceName)
      // 0x0005: unknown
      Characteristic(.appearance, .read, value: .number(0x0000, byteCount: 2))
      // 0x0007: as a central this device resolves the private address of an advertisement for it.
      Characteristic(.centralAddressResolution, .read, value: .number(0x01, byteCount: 1))
    }
    // Without Server Supported Features, which is only needed for a feature: Part G, 7.4.
    Service(.genericAttributeService) {  // 0x0008
      Characteristic(.serviceChanged, .indicate, value: .none)  // value 0x000A
      Characteristic(.clientSupportedFeatures, .read | .write, value: .clientSupportedFeatures)
      Characteristic(.databaseHash, .read, value: .databaseHash)  // value 0x000F
    }
  }

  // MARK: For the server

  var attributes: Span<Attribute> { @_lifetime(borrow self) borrowing get { table.span } }

  var hash: DatabaseHash {
    mutating get {
      let hash = knownHash ?? DatabaseHash(of: table.span)
      knownHash = hash
      return hash
    }
  }

  var serviceChanged: ValueLocation {
    ValueLocation(handle: AttributeHandle(rawValue: 0x000A), slot: 0)
  }

  /// The identifier of an application's attribute is its handle.
  func location(of attribute: ApplicationAttribute) -> ValueLocation {
    let start = Int(attribute.rawValue) - 1
    guard table.indices.contains(start), table[start].value == .application(attribute) else {
      return ValueLocation()
    }
    return table.span.location(ofValueAt: start)
  }

  mutating func convert(_ subscriptions: inout ClientConfigurations, from hash: DatabaseHash)
    -> Bool
  {
    guard let former = history.configurations(of: hash) else { return false }
    let old = subscriptions
    subscriptions = ClientConfigurations()
    for (number, index) in table.indices.filter({ table[$0].isSlotted }).enumerated() {
      if let own = former.firstIndex(of: index) { subscriptions[number] = old[own] }
    }
    return true
  }

  // MARK: Adding and removing services

  /// Publishes a service.
  ///
  /// - Parameters:
  ///   - count: The number of its attributes.
  ///   - makeAttributes: Makes the attributes, given the handle of the first.
  /// - Returns: Its handles; `nil`, with no change, if there is no room for the attributes or for
  ///   the client characteristic configurations.
  mutating func add(count: Int, _ makeAttributes: (AttributeHandle) -> [Attribute])
    -> AttributeHandleRange?
  {
    guard let start = location(for: count) else { return nil }
    let first = AttributeHandle(rawValue: UInt16(start + 1))
    var new = makeAttributes(first)
    var slots = freeSlots
    let wanted = new.count(where: \.isSlotted)
    guard new.count == count, wanted <= slots.count else { return nil }
    var span = new.mutableSpan
    span.link(from: first) { slots.removeFirst() }
    history.note(table, hash: knownHash)
    let end = start + count
    if end > table.count { table += Array(repeating: .vacant, count: end - table.count) }
    table.replaceSubrange(start..<end, with: new)
    return AttributeHandleRange(start: first, end: AttributeHandle(rawValue: UInt16(end)))
  }

  /// Removes a service.
  ///
  /// - Returns: The handles at which other services included it. They are vacant now, too.
  mutating func remove(_ range: AttributeHandleRange) -> [AttributeHandle] {
    let removed = Int(range.start.rawValue) - 1..<Int(range.end.rawValue)
    history.note(table, hash: knownHash)
    history.remove(removed)
    for index in removed.clamped(to: table.indices) { table[index] = .vacant }
    let includes = table.indices.filter { table[$0].value == .include(range.start) }
    for index in includes { table[index] = .vacant }
    table.removeSubrange((services.last?.upperBound ?? 0)...)
    return includes.map { AttributeHandle(rawValue: UInt16($0 + 1)) }
  }

  /// The index of the first of `count` attributes for a new service: after the last, or in a gap if
  /// there are not enough handles.
  private func location(for count: Int) -> Int? {
    let limit = Int(UInt16.max)
    if table.count + count <= limit { return table.count }
    var start = 0
    for service in services {
      if start + count <= service.lowerBound { return start }
      start = service.upperBound
    }
    return nil
  }

  /// The indices of each service in the table, including vacant handles.
  private var services: [Range<Int>] {
    table.indices.compactMap { index in
      guard case .service = table[index].value else { return nil }
      return index..<Int(table[index].groupEnd.rawValue)
    }
  }

  private var freeSlots: [Int] {
    var isTaken = [Bool](repeating: false, count: ClientConfigurations.capacity)
    for attribute in table {
      if case .clientConfiguration(let slot) = attribute.value { isTaken[slot] = true }
    }
    return isTaken.indices.filter { !isTaken[$0] }
  }
}

/// Earlier states of a database that changes. A bonded client that is away subscribed in one of
/// them. Of its subscriptions, the device needs those of the services that still exist. Nothing is
/// computed until such a client returns.
struct DatabaseHistory {
  /// A database before a change.
  private struct State {
    let table: [Attribute]
    /// Its hash, once computed.
    var hash: DatabaseHash?
    /// The index in the table of each Client Characteristic Configuration, in the order of their
    /// handles; `nil` after its service was removed.
    var configurations: [Int?]
  }

  /// The number of states. The oldest ones are forgotten.
  static let capacity = 16

  /// The oldest is the first.
  private var states: [State] = []

  /// Notes the database `table` before it changes. `hash` is its hash if that is known.
  mutating func note(_ table: [Attribute], hash: DatabaseHash?) {
    // A service that comes and goes must not displace other states. A client of the equal state
    // would have had all its subscriptions restored until now, so the last one is the valid one.
    states.removeAll {
      $0.table.count == table.count && $0.table.elementsEqual(table, by: Attribute.isSame)
    }
    if states.count == Self.capacity { states.removeFirst() }
    states.append(
      State(table: table, hash: hash, configurations: table.indices.filter { table[$0].isSlotted }))
  }

  /// Notes that the attributes at `indices` are removed.
  mutating func remove(_ indices: Range<Int>) {
    for state in states.indices {
      for number in states[state].configurations.indices {
        guard let index = states[state].configurations[number], indices.contains(index) else {
          continue
        }
        states[state].configurations[number] = nil
      }
    }
  }

  /// The index that each Client Characteristic Configuration of the database with `hash` has now, in
  /// the order of their handles then; `nil` for one that was removed since. `nil` if there was no
  /// such database.
  mutating func configurations(of hash: DatabaseHash) -> [Int?]? {
    for state in states.indices.reversed() {
      let table = states[state].table
      if case nil = states[state].hash { states[state].hash = DatabaseHash(of: table.span) }
      if states[state].hash == hash { return states[state].configurations }
    }
    return nil
  }
}

extension Attribute {
  /// Whether it uses a slot for client characteristic configurations.
  var isSlotted: Bool { if case .clientConfiguration = value { true } else { false } }

  fileprivate static func isSame(_ left: Attribute, _ right: Attribute) -> Bool {
    left.type == right.type && left.value == right.value && left.properties == right.properties
      && left.protection.rawValue == right.protection.rawValue
  }
}
