import BluetoothHost

/// The attributes of this device: the two services that every server has, and those that the
/// program publishes.
///
/// An attribute keeps its handle while its service is published. The handles of a removed service
/// stay vacant while other services follow; if none does, the next service gets them.
struct DynamicDatabase: AttributeDatabase {
  private var lines: [Attribute] {
    didSet { knownHash = nil }
  }

  /// The hash, once computed. Computing it takes long for many lines, so it is not done for each
  /// added service.
  private(set) var knownHash: DatabaseHash?

  /// Only GAP and GATT.
  init() {
    // One line for each service, two for each characteristic, one for the configuration.
    var lines = Array(capacity: 15) { Self.base.declare(in: &$0) }
    var span = lines.mutableSpan
    // There is one configuration, and it has the first slot.
    span.link(from: .first) { 0 }
    self.lines = lines
  }

  /// Core Specification, Vol 3, Part C, 12, and Part G, 7.
  @GATTBuilder private static var base: some GATTDeclaration {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read, value: .deviceName)
      // 0x0005: unknown
      Characteristic(.appearance, .read, value: .number(0x0000, byteCount: 2))
    }
    Service(.genericAttributeService) {  // 0x0006
      Characteristic(.serviceChanged, .indicate, value: .none)  // value 0x0008
      Characteristic(.clientSupportedFeatures, .read | .write, value: .clientSupportedFeatures)
      Characteristic(.databaseHash, .read, value: .databaseHash)
      // 0x000F: no EATT
      Characteristic(.serverSupportedFeatures, .read, value: .number(0x00, byteCount: 1))
    }
  }

  // MARK: For the server

  var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { lines.span }
  }

  var hash: DatabaseHash {
    mutating get {
      let hash = knownHash ?? DatabaseHash(of: lines.span)
      knownHash = hash
      return hash
    }
  }

  var serviceChanged: ValueLocation {
    ValueLocation(handle: AttributeHandle(rawValue: 0x0008), slot: 0)
  }

  /// The identifier of an application's attribute is its handle.
  func location(of attribute: ApplicationAttribute) -> ValueLocation {
    let start = Int(attribute.rawValue) - 1
    guard lines.indices.contains(start), lines[start].value == .application(attribute) else {
      return ValueLocation()
    }
    let location = ValueLocation(handle: AttributeHandle(rawValue: attribute.rawValue))
    for line in lines[(start + 1)...] {
      switch line.value {
      case .clientConfiguration(let slot):
        return ValueLocation(handle: location.handle, slot: slot)
      case .characteristic, .service, .vacant:
        return location
      default:
        continue
      }
    }
    return location
  }

  // MARK: Adding and removing services

  /// Publishes a service.
  ///
  /// - Parameters:
  ///   - count: The number of its lines.
  ///   - makeLines: Makes the lines, given the handle of the first.
  /// - Returns: Its handles; `nil`, with no change, if there is no room for the lines or for the
  ///   client characteristic configurations.
  mutating func add(
    count: Int, _ makeLines: (AttributeHandle) -> [Attribute]
  ) -> AttributeHandleRange? {
    guard let start = location(for: count) else { return nil }
    let first = AttributeHandle(rawValue: UInt16(start + 1))
    var new = makeLines(first)
    var slots = freeSlots
    let wanted = new.count(where: \.isSlotted)
    guard new.count == count, wanted <= slots.count else { return nil }
    var span = new.mutableSpan
    span.link(from: first) { slots.removeFirst() }
    let end = start + count
    if end > lines.count {
      lines += Array(repeating: .vacant, count: end - lines.count)
    }
    lines.replaceSubrange(start..<end, with: new)
    return AttributeHandleRange(start: first, end: AttributeHandle(rawValue: UInt16(end)))
  }

  /// Removes a service.
  ///
  /// - Returns: The handles at which other services included it. They are vacant now, too.
  mutating func remove(_ range: AttributeHandleRange) -> [AttributeHandle] {
    let removed = Int(range.start.rawValue) - 1..<Int(range.end.rawValue)
    for index in removed.clamped(to: lines.indices) { lines[index] = .vacant }
    let includes = lines.indices.filter { lines[$0].value == .include(range.start) }
    for index in includes { lines[index] = .vacant }
    lines.removeSubrange((services.last?.upperBound ?? 0)...)
    return includes.map { AttributeHandle(rawValue: UInt16($0 + 1)) }
  }

  /// The index of the first of `count` lines for a new service: after the last, or in a gap if
  /// there are not enough handles.
  private func location(for count: Int) -> Int? {
    let limit = Int(UInt16.max)
    if lines.count + count <= limit { return lines.count }
    var start = 0
    for service in services {
      if start + count <= service.lowerBound { return start }
      start = service.upperBound
    }
    return nil
  }

  /// The line indices of each service, including vacant lines.
  private var services: [Range<Int>] {
    lines.indices.compactMap { index in
      guard case .service = lines[index].value else { return nil }
      return index..<Int(lines[index].groupEnd.rawValue)
    }
  }

  private var freeSlots: [Int] {
    var isTaken = [Bool](repeating: false, count: ClientConfigurations.capacity)
    for line in lines {
      if case .clientConfiguration(let slot) = line.value { isTaken[slot] = true }
    }
    return isTaken.indices.filter { !isTaken[$0] }
  }
}

extension Attribute {
  /// Whether it uses a slot for client characteristic configurations.
  fileprivate var isSlotted: Bool {
    if case .clientConfiguration = value { true } else { false }
  }
}
