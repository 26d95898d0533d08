import BluetoothHost

// Enhanced bearers, on which several values are read at once: Core Specification, Vol 3, Part G, 5.3.
extension GATTProgram {
  /// What this client supports: enhanced bearers. Core Specification, Vol 3, Part G, 7.2.
  static var clientFeatures: [UInt8] { [0b010] }

  /// Whether the current command reads all values.
  var readsAll: Bool { command == .readAll || command == .readProtected || command == .readValues }

  /// Whether the next step is one of several reads.
  var isReadNext: Bool {
    if case .read = tasks.first { readsAll } else { false }
  }

  /// The value that the operation on a bearer has read.
  func readValue(on bearer: Int) -> [UInt8] {
    session.host.client.application.readValues[bearer] ?? []
  }

  // MARK: Opening

  /// The characteristics are known: reads whether the server has such bearers.
  mutating func foundFeatures() {
    guard
      let server = found.characteristics.first(where: { $0.uuid == .serverSupportedFeatures })
    else { return haveNoBearers() }
    tasks.insert(.readFeatures(server.value), at: 0)
  }

  /// The server's features are known: writes those of this client, and opens the bearers.
  mutating func haveReadFeatures() {
    // Bit 0: Core Specification, Vol 3, Part G, 7.4.
    guard let features = readValue(on: 0).first, features & 1 != 0 else { return haveNoBearers() }
    tasks.insert(.openBearers, at: 0)
    if let client = found.characteristics.first(where: { $0.uuid == .clientSupportedFeatures }) {
      tasks.insert(.writeFeatures(client.value), at: 0)
    }
  }

  /// Opens the bearers, on a link that is encrypted first.
  mutating func openBearers() {
    if session.host.openBearers(bearerCount, at: 0) {
      awaitedBearers = bearerCount
      waiting = .bearers
      return
    }
    let refusal = ErrorResponse(
      request: ATTOpcode(rawValue: 0), handle: .first, code: .insufficientAuthentication)
    if !isRepeated, protect(after: .refused(refusal)) {
      isRepeated = true
      refusedTask = .openBearers
    } else {
      lackKey()
    }
  }

  /// The link cannot be encrypted.
  mutating func lackKey() {
    haveNoBearers(because: "they need a paired link" + (session.pairs ? "" : ": give --pair"))
  }

  /// The commands use the link alone.
  mutating func haveNoBearers(because reason: String = "the device has none") {
    printer.progress("No enhanced bearers: \(reason).")
    isRepeated = false
  }

  mutating func bearerOpened(_ bearer: Int, mtu: ATTMTU, at now: Instant) {
    guard !bearers.contains(bearer) else { return }
    bearers.append(bearer)
    awaitedBearers -= 1
    countBearers(mtu)
  }

  mutating func bearerClosed(_ bearer: Int, at now: Instant) {
    if let index = bearers.firstIndex(of: bearer) {
      bearers.remove(at: index)
    } else {
      awaitedBearers -= 1
    }
    countBearers(nil)
  }

  private mutating func countBearers(_ mtu: ATTMTU?) {
    guard waiting == .bearers, awaitedBearers <= 0 else { return }
    waiting = nil
    isRepeated = false
    guard !bearers.isEmpty else { return haveNoBearers(because: "the device refused them") }
    let count = bearers.count == 1 ? "1 enhanced bearer" : "\(bearers.count) enhanced bearers"
    printer.progress("Opened \(count)" + (mtu.map { ", MTU \($0.byteCount)." } ?? "."))
  }

  // MARK: Reading

  /// Begins the next reads, each on a bearer that is free.
  mutating func beginReads() {
    for bearer in bearers where reading[bearer] == nil && isReadNext {
      guard case .read(let handle) = tasks.first,
        session.host.perform(.read(handle), at: bearer)
      else { return }
      reading[bearer] = tasks.removeFirst()
    }
  }

  mutating func ended(_ error: OperationError?, on bearer: Int, at now: Instant) {
    guard let task = reading.removeValue(forKey: bearer) else { return }
    switch error {
    case nil: finished(task, on: bearer, at: now)
    // The bearer has ended before its link: another one reads it.
    case .disconnected: tasks.insert(task, at: 0)
    case .some(let error): failed(task, error, at: now)
    }
    if outcome == nil, waiting == nil { beginReads() }
  }

  /// Prints what was read, by handle.
  mutating func printValues() {
    for handle in found.types.map(\.handle) {
      if let value = values[handle.rawValue] {
        printer.value("value", value, at: handle, in: found)
      } else if refusals[handle.rawValue] != nil || protected[handle.rawValue] != nil {
        let reason = protected[handle.rawValue] == nil ? "" : ": it needs a paired link"
        printer.progress("\(found.name(at: handle)) cannot be read\(reason).")
      }
    }
  }
}
