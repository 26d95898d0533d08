import BluetoothHost
import LinuxRadio

/// Connects to one peripheral, and performs commands on its attributes.
struct GATTProgram: CentralProgram, ~Copyable {
  /// A step of a command.
  enum Task: Equatable {
    case exchangeMTU
    // Enhanced bearers.
    case findFeatures, openBearers
    case readFeatures(AttributeHandle)
    case writeFeatures(AttributeHandle)
    // A discovery.
    case findServices, findTypes
    /// Reads the UUID of the secondary service that is declared here.
    case readService(AttributeHandle)
    /// Adds the steps for what is in each service.
    case searchServices
    case findIncludes(AttributeHandleRange)
    case findCharacteristics(AttributeHandleRange)
    /// Adds the steps of the current command, whose attributes are known now.
    case begin
    /// Adds the commands for what needs a protected link, for a clone.
    case readProtected
    /// Prints all values.
    case printValues
    case read(AttributeHandle)
    case write(AttributeHandle, [UInt8])
    case writeCommand(AttributeHandle, [UInt8])
    case configure(AttributeHandle, ClientConfiguration)
  }

  /// What a command waits for, beside an operation.
  enum Waiting: Equatable {
    case pairing, rssi, subrate
    /// Enhanced bearers open.
    case bearers
    /// The channel opens, sends or closes.
    case channel
    /// The values of a subscription.
    case values
  }

  /// How long a subscription with a number of values waits for the next, in milliseconds.
  static let valueTimeout: UInt32 = 30_000

  var session: CentralSession
  let target: CentralTarget
  let printer: GATTPrinter
  /// Whether the commands are lines of standard input.
  let readsInput: Bool
  /// Whether a device is used only once its scan response is known, for a clone.
  let needsScanResponse: Bool

  /// How many enhanced bearers to open; 0 for none.
  let bearerCount: Int
  /// The enhanced bearers that are open, by number, and how many were requested and have neither
  /// opened nor closed.
  var bearers: [Int] = []
  var awaitedBearers = 0
  /// The reads under way on enhanced bearers.
  var reading: [Int: Task] = [:]

  /// The commands after the current one.
  var commands: [GATTCommand]
  var hasInputEnded = false
  /// The command that is being performed.
  var command: GATTCommand?
  /// The next steps of the command.
  var tasks: [Task] = []
  /// The step whose operation is under way.
  var running: Task?
  /// The step that is repeated once the link is protected.
  var refusedTask: Task?
  /// Whether it has been repeated.
  var isRepeated = false
  var waiting: Waiting?
  var waitingEnd: Instant?
  /// The value and the Client Characteristic Configuration of the last subscription.
  var subscription: (value: AttributeHandle, configuration: AttributeHandle)?
  /// The channel; `nil` without one.
  var channel: Channel?
  /// How many values of the subscription, or SDUs of the channel, have come.
  var received = 0
  /// Whether all attributes are known.
  var isDiscovered = false
  /// The values of the subscriptions without an end.
  var subscribed: Set<UInt16> = []
  /// The values that were read for a clone, or by read-all.
  var values: [UInt16: [UInt8]] = [:]
  /// The attributes that could not be read for them, and why.
  var refusals: [UInt16: ATTErrorCode] = [:]
  /// The attributes that need a protected link, for a clone.
  var protected: [UInt16: LinkSecurity] = [:]
  /// The exit status: that of the first command that failed; `nil` if none did.
  var status: ExitStatus?

  /// - Parameters:
  ///   - commands: The commands; empty to read them from standard input.
  ///   - address: The address of this device.
  ///   - bonds: The bonds with peripherals, which the program takes.
  ///   - time: The time on its radio.
  ///   - bearerCount: How many enhanced bearers to open; 0 for none.
  init(
    _ target: CentralTarget, _ commands: [GATTCommand], limits: CentralLimits, pairs: Bool,
    address: AddressChoice, bonds: consuming KeptBonds, time: AirTime = AirTime(),
    bearerCount: Int = 0, printer: GATTPrinter
  ) {
    self.bearerCount = bearerCount
    self.target = target
    self.printer = printer
    self.commands = commands
    readsInput = commands.isEmpty
    needsScanResponse = commands.contains(.readAll)
    session = CentralSession(
      limits: limits, pairs: pairs, address: address, bonds: bonds, time: time,
      printer: printer.central(looksFor: target))
  }

  /// All that was found on the link.
  var found: FoundAttributes { session.host.client.application.found }

  // MARK: CentralProgram

  func accepts(_ device: NearbyDevice) -> Bool {
    target.matches(device) && (!needsScanResponse || device.isComplete)
  }

  mutating func linkOpened(at now: Instant) {
    running = nil
    tasks = [.exchangeMTU]
    if bearerCount > 0 { tasks.append(.findFeatures) }
  }

  mutating func linkClosed(at now: Instant) {
    running = nil
    tasks = []
    waiting = nil
    channel = nil
    bearers = []
    awaitedBearers = 0
    reading = [:]
  }

  var isWorking: Bool { command != nil }

  var workDeadline: Instant? { waitingEnd }

  var wantsLine: Bool {
    readsInput && !hasInputEnded && session.isChosen && command == nil && commands.isEmpty
  }

  mutating func takeLine(_ line: [UInt8]?, at now: Instant) {
    guard let line else {
      hasInputEnded = true
      return
    }
    let text = trimmed(String(decoding: line, as: UTF8.self)[...])
    guard !text.isEmpty, !text.hasPrefix("#") else { return }
    do throws(UsageError) {
      commands.append(try GATTCommand(String(text)))
    } catch {
      fail(error.text, reason: "usage", .usage, at: now)
    }
  }

  /// The commands, or the attributes after a command.
  func completions(of line: String) -> [String] {
    let typed = line.split(separator: " ", omittingEmptySubsequences: false)
    switch typed.count {
    case 1: return GATTCommand.names + ["help"]
    case 2 where typed[0] == "subscribe" || typed[0] == "unsubscribe":
      return found.names { $0.isSubscribable }
    case 2 where typed[0] == "channel": return []
    case 2: return found.names { _ in true }
    case 3 where typed[0].hasPrefix("write") || typed[0] == "channel":
      return ["text ", "hex ", "uint8 ", "uint16 "]
    default: return []
    }
  }

  /// Begins the next step that needs the link, and performs those before it that do not.
  mutating func perform(at now: Instant) {
    while outcome == nil, waiting == nil {
      beginReads()
      // Only reads go on beside others.
      guard reading.isEmpty || isReadNext else { return }
      guard !tasks.isEmpty else {
        guard session.isChosen, beginCommand(at: now) else { return }
        continue
      }
      let task = tasks.removeFirst()
      guard let operation = operation(task) else {
        expand(task, at: now)
        continue
      }
      // The link is about to end if the host refuses.
      if session.host.perform(operation, at: 0) { running = task }
      return
    }
  }

  private mutating func operation(_ task: Task) -> ClientOperation? {
    switch task {
    case .exchangeMTU: return .exchangeMTU
    case .findFeatures: return .discoverCharacteristics(.all)
    case .writeFeatures(let handle):
      session.host.client.application.value = Self.clientFeatures
      return .write(handle, byteCount: Self.clientFeatures.count)
    case .findServices:
      session.host.client.application.found = FoundAttributes()
      isDiscovered = false
      return .discoverServices
    case .findTypes: return .discoverDescriptors(.all)
    case .readService(let handle), .readFeatures(let handle), .read(let handle):
      return .read(handle)
    case .findIncludes(let range): return .discoverIncludedServices(range)
    case .findCharacteristics(let range): return .discoverCharacteristics(range)
    case .write(let handle, let value):
      session.host.client.application.value = value
      return .write(handle, byteCount: value.count)
    case .writeCommand(let handle, let value):
      session.host.client.application.value = value
      return .writeWithoutResponse(handle, byteCount: value.count)
    case .configure(let handle, let configuration): return .subscribe(handle, configuration)
    case .openBearers, .searchServices, .begin, .readProtected, .printValues: return nil
    }
  }

  mutating func protected(_ error: OperationError?, at now: Instant) {
    guard let task = refusedTask.take() else { return }
    if let error {
      failed(task, error, at: now)
    } else {
      tasks.insert(task, at: 0)
    }
  }

  mutating func ended(_ error: OperationError?, at now: Instant) {
    guard let task = running.take() else { return }
    guard let error else {
      isRepeated = false
      return finished(task, on: 0, at: now)
    }
    // A clone first reads what it can without protection, so that it knows what needs it.
    if !readsAll, !isRepeated, protect(after: error) {
      isRepeated = true
      refusedTask = task
    } else {
      failed(task, error, at: now)
    }
  }
}

/// The peripheral that a command names.
enum CentralTarget: Equatable {
  case name(String)
  /// The bytes of an address, public or random.
  case address(DeviceAddress)

  /// An address such as `C0:00:00:00:00:01`, or else a name.
  init(_ text: String) {
    self =
      DeviceAddress.bytes(of: text).map { .address(DeviceAddress(kind: .random, bytes: $0)) }
      ?? .name(text)
  }

  /// Whether it is this device.
  func matches(_ device: NearbyDevice) -> Bool {
    switch self {
    case .name(let name): device.name == name
    case .address(let address): device.address.bytes.span.hasSameBytes(as: address.bytes.span)
    }
  }

  /// The name or the address, for people.
  var text: String {
    switch self {
    case .name(let name): "“\(printable(name))”"
    case .address(let address): address.text
    }
  }
}
