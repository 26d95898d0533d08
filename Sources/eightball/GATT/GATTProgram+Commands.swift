import BluetoothHost

// From a command to its operations, and from their results to its output.
extension GATTProgram {
  /// The steps that discover all attributes.
  private static var discovery: [Task] { [.findServices, .findTypes, .searchServices] }

  /// Begins the next command; `false` if there is none now.
  mutating func beginCommand(at now: Instant) -> Bool {
    finishCommand()
    guard !commands.isEmpty else {
      // Only a signal ends a subscription or a channel without an end, or standard input.
      let isOver = readsInput ? hasInputEnded : subscribed.isEmpty && channel == nil
      if isOver { finish(.inputEnded, at: now) }
      return false
    }
    let command = commands.removeFirst()
    self.command = command
    switch command {
    case .discover, .readAll, .readValues: tasks = Self.discovery + [.begin]
    case .readProtected: tasks = [.begin]
    case .read(.uuid), .write(.uuid, _), .writeCommand(.uuid, _), .subscribe,
      .unsubscribe:
      tasks = (isDiscovered ? [] : Self.discovery) + [.begin]
    case .read, .write, .writeCommand, .channel: tasks = [.begin]
    case .mtu:
      let byteCount = session.host.mtu(at: 0).byteCount
      printer.number("mtu", "bytes", byteCount, "\(byteCount)")
    case .rssi:
      waiting = .rssi
      session.host.readRSSI(at: 0)
    case .subrate(let factor, let continuation):
      requestSubrate(factor, continuation: continuation, at: now)
    case .pair: pair(at: now)
    case .disconnect: finish(.inputEnded, at: now)
    case .help: printer.note(HelpText.text(of: GATT.self))
    }
    return true
  }

  private mutating func finishCommand() {
    command = nil
    tasks = []
    waiting = nil
    waitingEnd = nil
    isRepeated = false
  }

  /// Performs a step without an operation.
  mutating func expand(_ task: Task, at now: Instant) {
    switch task {
    case .searchServices: return searchServices()
    case .readProtected: return readProtected()
    case .openBearers: return openBearers()
    case .printValues: return printValues()
    default: break
    }
    switch command {
    case .discover: printer.attributes(found)
    case .readAll:
      tasks = found.types.filter { isReadable($0) }.map { .read($0.handle) } + [.readProtected]
    case .readValues:
      (values, refusals, protected) = ([:], [:], [:])
      tasks = found.types.filter { isReadable($0) }.map { .read($0.handle) } + [.printValues]
    case .readProtected:
      tasks = protected.keys.sorted().map { .read(AttributeHandle(rawValue: $0)) }
    case .read(let reference):
      if let handle = handle(of: reference, at: now) { tasks = [.read(handle)] }
    case .write(let reference, let value):
      if let handle = handle(of: reference, at: now) { tasks = [.write(handle, value)] }
    case .writeCommand(let reference, let value):
      if let handle = handle(of: reference, at: now) { writeCommand(value, to: handle, at: now) }
    case .subscribe(let reference, _):
      if let handle = handle(of: reference, at: now) { subscribe(to: handle, at: now) }
    case .unsubscribe(let reference):
      if let handle = handle(of: reference, at: now) { subscribe(to: handle, isOn: false, at: now) }
    case .channel: useChannel(at: now)
    case .mtu, .pair, .rssi, .subrate, .disconnect, .help, nil: return
    }
  }

  /// Whether a clone reads this attribute: neither a declaration nor a client's own configuration,
  /// and not a value that its properties do not offer.
  private func isReadable(_ attribute: RemoteDescriptor) -> Bool {
    switch found.role(of: attribute) {
    case .service, .include, .characteristic: false
    case .value(let characteristic): characteristic.properties.contains(.read)
    case .descriptor(let descriptor): descriptor.uuid != .clientCharacteristicConfiguration
    }
  }

  // MARK: Discovery

  private mutating func searchServices() {
    session.host.client.application.found.services.sort { $0.range.start < $1.range.start }
    let ranges = found.services.map(\.range)
    let steps = ranges.flatMap { range -> [Task] in
      // A declaration alone contains nothing.
      guard range.start < range.end else { return [] }
      return [.findIncludes(range), .findCharacteristics(range)]
    }
    isDiscovered = true
    tasks.insert(contentsOf: steps, at: 0)
  }

  private mutating func addService(at handle: AttributeHandle) {
    let value = readValue(on: 0)
    var reader = ByteReader(value.span)
    guard let uuid = BluetoothUUID(&reader, byteCount: value.count) else { return }
    let range = AttributeHandleRange(start: handle, end: found.end(ofServiceAt: handle))
    session.host.client.application.found.services.append(RemoteService(uuid: uuid, range: range))
  }

  /// The attribute that a command names; `nil` if the command has failed.
  private mutating func handle(
    of reference: AttributeReference, at now: Instant
  ) -> AttributeHandle? {
    let handles = found.handles(of: reference)
    if handles.count == 1 { return handles.first }
    if handles.isEmpty {
      fail(
        "The device has no attribute \(reference.text): discover lists those that it has.",
        reason: "no attribute", .noBall, at: now)
    } else {
      let list = handles.map { handleText($0.rawValue) }.joined(separator: ", ")
      fail(
        "The device has \(handles.count) attributes \(reference.text): give one of the handles "
          + "\(list).", reason: "ambiguous", .usage, at: now)
    }
    return nil
  }

  // MARK: Results

  /// The operation of a step has succeeded on a bearer: 0 is that of the link.
  mutating func finished(_ task: Task, on bearer: Int, at now: Instant) {
    switch task {
    case .exchangeMTU: isConnected()
    case .findFeatures: foundFeatures()
    case .readFeatures: haveReadFeatures()
    case .findTypes:
      tasks.insert(contentsOf: found.secondaryServices.map { .readService($0) }, at: 0)
    case .readService(let handle): addService(at: handle)
    case .read(let handle):
      let value = readValue(on: bearer)
      guard !readsAll else {
        values[handle.rawValue] = value
        return
      }
      printer.value("read", value, at: handle, in: found)
    case .write(let handle, _): printer.done("written", "Written.", at: handle)
    case .writeCommand(let handle, _): printer.done("written", "Sent.", at: handle)
    case .configure(_, let configuration): configured(configuration, at: now)
    default: return
    }
  }

  /// The operation of a step has failed.
  mutating func failed(_ task: Task, _ error: OperationError, at now: Instant) {
    switch (task, error) {
    case (_, .disconnected): return
    case (_, .timedOut): finish(.timedOut, at: now)
    case (.exchangeMTU, _): isConnected()
    case (.findFeatures, _), (.readFeatures, _): haveNoBearers()
    case (.openBearers, _): lackKey()
    case (.writeFeatures, _): return
    case (.begin, .refused(let response)): channelRefused(with: response.code, at: now)
    case (.read(let handle), .refused(let response)) where readsAll:
      refused(handle, response.code)
    default: fail(task, error, at: now)
    }
  }

  /// A clone cannot read an attribute.
  private mutating func refused(_ handle: AttributeHandle, _ code: ATTErrorCode) {
    guard code.wantsProtection else {
      refusals[handle.rawValue] = code
      return
    }
    let isEncrypted =
      session.host.security.linkSecurity == .none
      && session.host.security.security(at: 0).contains(.encrypted)
    protected[handle.rawValue] = isEncrypted ? .authenticated : .encrypted
  }

  /// Reads again what needs a protected link, once the devices have paired.
  private mutating func readProtected() {
    guard session.pairs, !protected.isEmpty, session.host.security.linkSecurity == .none else {
      return
    }
    commands.insert(contentsOf: [.pair, .readProtected], at: 0)
  }

  private mutating func isConnected() {
    choose()
    if readsInput { printer.progress("Connected: each line is a command. Control-D ends.") }
  }

  private mutating func fail(_ task: Task, _ error: OperationError, at now: Instant) {
    let action: String
    switch task {
    case .read(let handle): action = "read \(found.name(at: handle))"
    case .write(let handle, _), .writeCommand(let handle, _):
      action = "write \(found.name(at: handle))"
    case .configure(let handle, _): action = "subscribe with \(found.name(at: handle))"
    case .begin: action = "open the channel"
    default: action = "discover the attributes"
    }
    var reason = CentralError(error, isDiscovery: false)?.sentence ?? ""
    if case .tooLong(let limit) = error {
      reason = "The MTU leaves room for \(limit) bytes: write sends more."
    }
    if case .refused(let response) = error {
      reason += " (ATT error 0x\(hexadecimalText([response.code.rawValue])))"
      if response.code.wantsProtection, !session.pairs {
        reason += Self.pairingHint
      }
    }
    fail(sentence("Cannot \(action): \(reason)"), reason: "refused", .refused, at: now)
  }

  /// Whether a request without an answer may be one that the device refused for lack of a bond: bluetoothd 5.66 often
  /// loses these.
  var mayLackBond: Bool { !session.pairs && session.host.security.linkSecurity != .none }

  /// What helps against a lack of encryption.
  static let pairingHint =
    ". Pair with the device: give --pair, and if it has a button for pairing, use it"

  /// The current command has failed. The commands of a command line end with it.
  mutating func fail(_ text: String, reason: String, _ status: ExitStatus, at now: Instant) {
    printer.failed(text, reason: reason)
    self.status = self.status ?? status
    finishCommand()
    if !readsInput { finish(.inputEnded, at: now) }
  }

  // MARK: Writing without a response

  private mutating func writeCommand(
    _ value: [UInt8], to handle: AttributeHandle, at now: Instant
  ) {
    if let characteristic = found.characteristic(valueAt: handle),
      !characteristic.properties.contains(.writeWithoutResponse)
    {
      return fail(
        "\(found.name(at: handle)) does not take write-command: its properties are "
          + "\(characteristic.properties.fileText).",
        reason: "refused", .refused, at: now)
    }
    tasks = [.writeCommand(handle, value)]
  }

  // MARK: Subscriptions

  private mutating func subscribe(
    to handle: AttributeHandle, isOn: Bool = true, at now: Instant
  ) {
    guard let characteristic = found.characteristic(valueAt: handle),
      let configuration = found.descriptors(of: characteristic)
        .first(where: { $0.uuid == .clientCharacteristicConfiguration }),
      characteristic.properties.isSubscribable
    else {
      return fail(
        "\(found.name(at: handle)) cannot be subscribed to: discover lists what notifies or "
          + "indicates.", reason: "refused", .refused, at: now)
    }
    let kind: ClientConfiguration =
      characteristic.properties.contains(.notify) ? .notification : .indication
    tasks = [.configure(configuration.handle, isOn ? kind : .none)]
    subscription = (handle, configuration.handle)
    received = 0
  }

  /// The subscription has begun or ended.
  private mutating func configured(_ configuration: ClientConfiguration, at now: Instant) {
    guard configuration != .none else {
      if let subscription { subscribed.remove(subscription.value.rawValue) }
      guard case .unsubscribe = command else { return printer.progress("Unsubscribed.") }
      return printer.done("unsubscribed", "Unsubscribed.", at: subscription?.value)
    }
    printer.done("subscribed", "Subscribed.", at: subscription?.value)
    awaitValues(at: now)
  }

  /// Waits for the values of a subscription, or for the SDUs of a channel, if they have an end.
  mutating func awaitValues(at now: Instant) {
    guard let end = command?.end, end.isLimited else {
      if case .subscribe = command, let subscription {
        subscribed.insert(subscription.value.rawValue)
      }
      return
    }
    waiting = .values
    waitingEnd = now.advanced(by: end.time ?? Self.valueTimeout)
    endValues(at: now)
  }

  mutating func notified(_ handle: AttributeHandle, _ value: [UInt8], at now: Instant) {
    guard outcome == nil else { return }
    printer.value("notified", value, at: handle, in: found)
    guard case .subscribe = command, handle == subscription?.value else { return }
    countValue(at: now)
  }

  /// A value has come for the current command.
  mutating func countValue(at now: Instant) {
    received += 1
    guard waiting == .values, let end = command?.end else { return }
    if end.time == nil { waitingEnd = now.advanced(by: Self.valueTimeout) }
    endValues(at: now)
  }

  /// Ends the subscription, or the channel, if enough values have come.
  private mutating func endValues(at now: Instant) {
    guard let count = command?.end?.count, received >= count else { return }
    endValues(of: command)
  }

  private mutating func endValues(of command: GATTCommand?) {
    waiting = nil
    waitingEnd = nil
    if case .channel = command { return closeChannel() }
    if let subscription { tasks = [.configure(subscription.configuration, .none)] }
  }

  mutating func expireWork(at now: Instant) {
    guard let waitingEnd, waitingEnd <= now else { return }
    let command = command
    defer { endValues(of: command) }
    guard waiting == .values else {
      return fail(
        "The device did not take the SDU within 30 s.", reason: "timed out", .timedOut, at: now)
    }
    guard let end = command?.end, let count = end.count else { return }
    let text = end.time.map { "within \(TimeOption(milliseconds: $0))" } ?? "and then none for 30 s"
    fail(
      "Only \(received) of \(count) values came \(text).", reason: "timed out", .timedOut, at: now)
  }

  // MARK: Pairing and signal strength

  private mutating func pair(at now: Instant) {
    let security = session.host.security.security(at: 0)
    guard session.host.security.linkSecurity == .none else {
      return fail(
        "On this radio bluetoothd pairs when it connects, with --pair: leave the command pair out.",
        reason: "usage", .usage, at: now)
    }
    guard session.pairs else {
      return fail(
        "Pairing is off: give --pair.", reason: "usage", .usage, at: now)
    }
    guard !security.contains(.encrypted) || !security.contains(.bonded) else {
      return printer.done("paired", "Paired already.")
    }
    guard session.host.security.pair(at: 0, at: now) else {
      return fail("The pairing cannot begin: try again.", reason: "not paired", .refused, at: now)
    }
    waiting = .pairing
  }

  mutating func pairingEnded(_ outcome: PairingOutcome, at now: Instant) {
    guard waiting == .pairing else { return }
    waiting = nil
    guard case .paired = outcome else {
      return fail(
        "The pairing failed: " + String(writing: { outcome.writeFailure(to: &$0) }),
        reason: "not paired", .refused, at: now)
    }
    printer.done("paired", "Paired.")
  }

  mutating func readRSSI(_ rssi: Int8?, at now: Instant) {
    guard waiting == .rssi else { return }
    waiting = nil
    guard let rssi else {
      return fail(
        "The controller does not know the signal strength.", reason: "radio", .unavailable, at: now)
    }
    printer.number("rssi", "rssi", Int(rssi), strength(Int(rssi)))
  }
}
