/// How to follow a periodic advertising train. Core Specification, Vol 3, Part C, 9.5, and Vol 4, Part E,
/// 7.8.67.
public struct SynchronizationParameters: Equatable, Sendable {
  /// The advertiser.
  public var address: DeviceAddress
  /// The advertiser's set, 0 to 15: `AdvertisingReport.advertisingSet`.
  public var advertisingSet: UInt8
  /// How many packets the controller may leave out after a received one, at most 499.
  public var skip: UInt16
  /// After how long without a packet the train is lost, in units of 10 ms, 10 to 16,384.
  public var timeout: UInt16

  /// Parameters to receive every packet, until there was none for 10 s.
  public init(
    address: DeviceAddress, advertisingSet: UInt8, skip: UInt16 = 0, timeout: UInt16 = 1_000
  ) {
    self.address = address
    self.advertisingSet = advertisingSet
    self.skip = skip
    self.timeout = timeout
  }

  /// Parameters for the train of an advertiser; `nil` if it has none. The time-out is six intervals, and
  /// at least 1 s: each packet can be lost.
  public init?(_ report: borrowing AdvertisingReport) {
    guard let interval = report.periodicInterval, let set = report.advertisingSet else {
      return nil
    }
    // 1.25 ms × 6 / 10 ms.
    let timeout = UInt32(interval) &* 3 / 4
    self.init(
      address: report.address, advertisingSet: set,
      timeout: UInt16(truncatingIfNeeded: min(max(timeout, 100), 0x4000)))
  }

  var isValid: Bool {
    advertisingSet <= 0x0F && skip <= 0x01F3 && timeout >= 0x000A && timeout <= 0x4000
  }
}

/// The data of one packet of a periodic advertising train, valid during the call that receives it: Core
/// Specification, Vol 4, Part E, 7.7.65.15.
public struct PeriodicAdvertisingReport: ~Escapable {
  /// The transmit power in dBm; `nil` if unknown.
  public let txPower: Int8?
  /// The signal strength in dBm; `nil` if unknown.
  public let rssi: Int8?
  /// Whether the data is all of it; never `partial`.
  public let completeness: AdvertisingReport.Completeness
  /// The advertising data.
  public let data: Span<UInt8>

  @_lifetime(copy data) fileprivate init(
    _ report: borrowing LEPeriodicAdvertisingReport,
    completeness: AdvertisingReport.Completeness, data: Span<UInt8>
  ) {
    txPower = report.txPower == LESetExtendedAdvertisingParameters.anyPower ? nil : report.txPower
    rssi = report.rssi == LEAdvertisingReport.unknownRSSI ? nil : report.rssi
    self.completeness = completeness
    self.data = data
  }
}

/// `ExtendedScanner` that follows up to `synchronizations` periodic advertising trains at once, each with
/// up to `periodicCapacity` bytes of data. Core Specification, Vol 4, Part E, 7.7.65.14 to 7.7.65.16.
public struct PeriodicScanner<
  let chains: Int, let capacity: Int, let synchronizations: Int, let periodicCapacity: Int
>: ScannerRole {
  private enum Step: UInt8 {
    /// Unused.
    case free
    /// The command has to be sent.
    case wanted
    /// The controller is synchronizing.
    case starting
    /// Synchronized.
    case on
  }

  private struct Entry {
    var step = Step.free
    var parameters = SynchronizationParameters(address: .zero, advertisingSet: 0)
    var handle: UInt16 = 0
    /// Whether the program has ended it, and no command for that was sent.
    var isUnwanted = false
    /// Whether a command that ends it was sent.
    var isEnding = false
    /// The parts of the data so far.
    var data = InlineArray<periodicCapacity, UInt8>(repeating: 0)
    var length = 0
    var hasParts = false
    var isWhole = true

    /// Adds a part. Returns whether it is the last one.
    mutating func take(_ report: borrowing LEPeriodicAdvertisingReport) -> Bool {
      if !hasParts {
        length = 0
        isWhole = true
        hasParts = true
      }
      let room = min(report.data.count, periodicCapacity &- length)
      var target = data.mutableSpan
      target.copy(report.data.extracting(first: room), at: length)
      length &+= room
      if room < report.data.count || report.completeness == .truncated { isWhole = false }
      hasParts = report.completeness == .partial
      return !hasParts
    }
  }

  /// The command without an answer so far.
  private enum Awaited: Equatable {
    case nothing
    case start(Int)
    case cancel(Int)
    case end(Int)
    /// The end of a synchronization that came too late.
    case removal
  }

  /// True.
  public static var isExtended: Bool { true }
  /// True.
  public static var isPeriodic: Bool { true }
  /// How many synchronizations there may be.
  public static var synchronizationCount: Int { synchronizations }

  private var scanner = ExtendedScanner<chains, capacity>()
  private var entries = InlineArray<synchronizations, Entry>(repeating: Entry())
  private var awaited = Awaited.nothing
  /// A synchronization that the controller made after it was cancelled.
  private var late: UInt16?

  /// A scanner that has received nothing.
  public init() {}

  /// The PHYs that the host requests for new links: 2M, unless the program changes it.
  public var linkPHYs: PHYSet {
    get { scanner.linkPHYs }
    set { scanner.linkPHYs = newValue }
  }

  /// The request for another subrate of a link whose command has no answer; `nil` for none.
  public var subrateRequest: SubrateRequest? {
    get { scanner.subrateRequest }
    set { scanner.subrateRequest = newValue }
  }

  /// Takes a report, and passes it on if it is the last part, or all of the data.
  public mutating func pass<Application: ClientApplication & ~Copyable>(
    _ report: borrowing AdvertisingReport, to application: inout Application
  ) { scanner.pass(report, to: &application) }

  /// Forgets all parts of advertisements.
  public mutating func removeAll() { scanner.removeAll() }

  // MARK: For the program

  /// Begins to synchronize.
  public mutating func synchronize(with parameters: SynchronizationParameters) -> Int? {
    guard parameters.isValid else { return nil }
    var free: Int?
    for index in 0..<synchronizations {
      if entries[index].step == .free {
        free = free ?? index
      } else if entries[index].parameters.address == parameters.address,
        entries[index].parameters.advertisingSet == parameters.advertisingSet
      {
        return nil
      }
    }
    guard let free else { return nil }
    entries[free] = Entry(step: .wanted, parameters: parameters)
    return free
  }

  /// Ends a synchronization; at once, if the controller does not know of it.
  public mutating func unsynchronize<Application: ClientApplication & ~Copyable>(
    at index: Int, _ application: inout Application
  ) {
    guard index >= 0, index < synchronizations, !entries[index].isEnding else { return }
    switch entries[index].step {
    case .free: return
    case .wanted: end(index, .connectionTerminatedByLocalHost, &application)
    case .starting, .on: entries[index].isUnwanted = true
    }
  }

  /// Whether there is no synchronization.
  public var isUnsynchronized: Bool {
    for index in 0..<synchronizations where entries[index].step != .free { return false }
    return late == nil
  }

  // MARK: Commands

  /// Writes the next command. The controller synchronizes with one train at a time.
  @inline(never) public mutating func writeCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    if let handle = late {
      awaited = .removal
      return writeEnd(of: handle, into: &writer)
    }
    for index in 0..<synchronizations where entries[index].isUnwanted {
      entries[index].isUnwanted = false
      entries[index].isEnding = true
      guard entries[index].step == .starting else {
        awaited = .end(index)
        return writeEnd(of: entries[index].handle, into: &writer)
      }
      awaited = .cancel(index)
      PlainCommand(.lePeriodicAdvertisingCreateSyncCancel).writePacket(to: &writer)
      return .lePeriodicAdvertisingCreateSyncCancel
    }
    guard starting == nil else { return nil }
    for index in 0..<synchronizations where entries[index].step == .wanted {
      entries[index].step = .starting
      awaited = .start(index)
      let parameters = entries[index].parameters
      LEPeriodicAdvertisingCreateSync(
        advertisingSet: parameters.advertisingSet, address: parameters.address,
        skip: parameters.skip, timeout: parameters.timeout
      ).writePacket(to: &writer)
      return LEPeriodicAdvertisingCreateSync.opcode
    }
    return nil
  }

  private func writeEnd(of handle: UInt16, into writer: inout ByteWriter) -> HCIOpcode {
    LEPeriodicAdvertisingTerminateSync(handle: handle).writePacket(to: &writer)
    return LEPeriodicAdvertisingTerminateSync.opcode
  }

  /// The synchronization that the controller is making.
  private var starting: Int? {
    for index in 0..<synchronizations where entries[index].step == .starting { return index }
    return nil
  }

  // MARK: Results

  /// Takes the result of the last command.
  @inline(never) public mutating func finish<Application: ClientApplication & ~Copyable>(
    _ status: HCIErrorCode, _ application: inout Application
  ) {
    let last = awaited
    awaited = .nothing
    switch last {
    case .nothing: break
    case .removal: late = nil
    case .start(let index):
      if status != .success, entries[index].step == .starting { end(index, status, &application) }
    case .cancel(let index) where entries[index].isEnding && entries[index].step == .on:
      // It was too late to cancel: the controller has synchronized.
      entries[index].isEnding = false
      entries[index].isUnwanted = true
    case .cancel(let index), .end(let index):
      // Otherwise an event has ended it before.
      if entries[index].isEnding { end(index, .connectionTerminatedByLocalHost, &application) }
    }
  }

  private mutating func end<Application: ClientApplication & ~Copyable>(
    _ index: Int, _ reason: HCIErrorCode, _ application: inout Application
  ) {
    guard entries[index].step != .free else { return }
    entries[index].step = .free
    entries[index].isUnwanted = false
    entries[index].isEnding = false
    entries[index].hasParts = false
    application.synchronizationEnded(at: index, reason: reason)
  }

  /// The controller is reset.
  public mutating func lose<Application: ClientApplication & ~Copyable>(
    _ application: inout Application
  ) {
    awaited = .nothing
    late = nil
    for index in 0..<synchronizations { end(index, .hardwareFailure, &application) }
  }

  // MARK: Events

  /// Takes an event.
  @inline(never) public mutating func receive<Application: ClientApplication & ~Copyable>(
    _ subevent: LEMetaSubevent, _ reader: inout ByteReader, _ application: inout Application
  ) {
    switch subevent {
    case .periodicAdvertisingSyncEstablished:
      guard let event = LEPeriodicAdvertisingSyncEstablished(&reader) else { return }
      established(event, &application)
    case .periodicAdvertisingReport:
      guard let report = LEPeriodicAdvertisingReport(&reader),
        let index = index(of: report.handle)
      else { return }
      pass(report, at: index, to: &application)
    default:
      guard let event = LEPeriodicAdvertisingSyncLost(&reader), let index = index(of: event.handle)
      else { return }
      end(index, .connectionTimeout, &application)
    }
  }

  private func index(of handle: UInt16) -> Int? {
    for index in 0..<synchronizations
    where entries[index].step == .on && entries[index].handle == handle { return index }
    return nil
  }

  private mutating func established<Application: ClientApplication & ~Copyable>(
    _ event: LEPeriodicAdvertisingSyncEstablished, _ application: inout Application
  ) {
    // The answer to the command that cancels has ended it.
    guard event.status != .operationCancelledByHost else { return }
    guard let index = starting else {
      if event.status == .success, self.index(of: event.handle) == nil { late = event.handle }
      return
    }
    guard event.status == .success else { return end(index, event.status, &application) }
    entries[index].step = .on
    entries[index].handle = event.handle
    if !entries[index].isUnwanted, !entries[index].isEnding {
      application.synchronized(at: index, phy: event.phy, interval: event.interval)
    }
  }

  private mutating func pass<Application: ClientApplication & ~Copyable>(
    _ report: borrowing LEPeriodicAdvertisingReport, at index: Int,
    to application: inout Application
  ) {
    guard !entries[index].isUnwanted, !entries[index].isEnding else { return }
    if !entries[index].hasParts, report.completeness != .partial {
      application.received(
        PeriodicAdvertisingReport(report, completeness: report.completeness, data: report.data),
        at: index)
    } else if entries[index].take(report) {
      application.received(
        PeriodicAdvertisingReport(
          report, completeness: entries[index].isWhole ? .complete : .truncated,
          data: entries[index].data.span.extracting(first: entries[index].length)), at: index)
    }
  }
}
