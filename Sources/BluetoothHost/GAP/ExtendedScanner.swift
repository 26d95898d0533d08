/// How a client scans and connects: `ExtendedScanner`, `PeriodicScanner`, or `LegacyScanner` for legacy
/// advertisers alone, which leaves neither state nor code. Only the host and its client call these requirements.
public protocol ScannerRole: Sendable {
  /// Whether it scans for extended advertisers. If false, its code is left out.
  static var isExtended: Bool { get }
  /// Whether it follows periodic advertising trains. If false, their code is left out.
  static var isPeriodic: Bool { get }

  /// A scanner that has received nothing.
  init()
  /// The PHYs that the host requests for new links.
  var linkPHYs: PHYSet { get set }

  /// Takes a report, and passes it to the application, when it has all parts of the data.
  mutating func pass<Application: ClientApplication & ~Copyable>(
    _ report: borrowing AdvertisingReport, to application: inout Application)
  /// Forgets all parts.
  mutating func removeAll()

  /// The request for another subrate of a link whose command has no answer; `nil` for none.
  var subrateRequest: SubrateRequest? { get set }

  /// Begins to synchronize with a train; `nil` if the parameters are wrong, if there is a
  /// synchronization with it, or if none is free. Returns its index.
  mutating func synchronize(with parameters: SynchronizationParameters) -> Int?
  /// Ends a synchronization, if there is one.
  mutating func unsynchronize<Application: ClientApplication & ~Copyable>(
    at index: Int, _ application: inout Application)
  /// How many synchronizations there may be.
  static var synchronizationCount: Int { get }
  /// Whether there is no synchronization.
  var isUnsynchronized: Bool { get }
  /// Writes the next command for synchronizations; `nil` if none is needed.
  mutating func writeCommand(into writer: inout ByteWriter) -> HCIOpcode?
  /// Takes the result of the last command.
  mutating func finish<Application: ClientApplication & ~Copyable>(
    _ status: HCIErrorCode, _ application: inout Application)
  /// Takes an event of a synchronization.
  mutating func receive<Application: ClientApplication & ~Copyable>(
    _ subevent: LEMetaSubevent, _ reader: inout ByteReader, _ application: inout Application)
  /// The controller is reset: it has none of the synchronizations.
  mutating func lose<Application: ClientApplication & ~Copyable>(_ application: inout Application)
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// Without synchronizations.
extension ScannerRole {
  /// False.
  public static var isPeriodic: Bool { false }
  /// `nil`.
  public mutating func synchronize(with parameters: SynchronizationParameters) -> Int? { nil }
  /// 0.
  public static var synchronizationCount: Int { 0 }
  public mutating func unsynchronize<Application: ClientApplication & ~Copyable>(
    at index: Int, _ application: inout Application
  ) {}
  /// True.
  public var isUnsynchronized: Bool { true }
  /// `nil`.
  public mutating func writeCommand(into writer: inout ByteWriter) -> HCIOpcode? { nil }
  public mutating func finish<Application: ClientApplication & ~Copyable>(
    _ status: HCIErrorCode, _ application: inout Application
  ) {}
  public mutating func receive<Application: ClientApplication & ~Copyable>(
    _ subevent: LEMetaSubevent, _ reader: inout ByteReader, _ application: inout Application
  ) {}
  public mutating func lose<Application: ClientApplication & ~Copyable>(
    _ application: inout Application
  ) {}
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No extended scanning: the host scans and connects with the commands of Bluetooth 4, which do not
/// find advertisers without legacy PDUs.
public struct LegacyScanner: ScannerRole {
  /// False.
  public static var isExtended: Bool { false }
  public init() {}
  public var linkPHYs: PHYSet {
    get { .le2M }
    set {}
  }
  /// Passes each report.
  @inline(__always) public mutating func pass<Application: ClientApplication & ~Copyable>(
    _ report: borrowing AdvertisingReport, to application: inout Application
  ) { application.received(report) }
  public mutating func removeAll() {}
  public var subrateRequest: SubrateRequest? {
    get { nil }
    set {}
  }
}

/// Extended scanning: it joins the parts of an advertiser's data. Core Specification, Vol 4, Part E,
/// 7.7.65.13.
///
/// Parts of `chains` advertisers are kept at once, with up to `capacity` bytes of each. Data beyond
/// that is left out, and its report says so. If another advertiser begins, the oldest chain is
/// forgotten: its advertiser is reported with a later advertisement.
public struct ExtendedScanner<let chains: Int, let capacity: Int>: ScannerRole {
  private struct Chain {
    /// The advertiser and its set; `nil` for an unused chain.
    var key: Key?
    /// When it began, as a number that grows.
    var age: UInt32 = 0
    var isWhole = true
    var length = 0
    var storage = InlineArray<capacity, UInt8>(repeating: 0)

    mutating func append(_ data: Span<UInt8>) {
      let room = min(data.count, capacity &- length)
      var target = storage.mutableSpan
      target.copy(data.extracting(first: room), at: length)
      length &+= room
      if room < data.count { isWhole = false }
    }

    /// Passes the data to the application, with the rest of its last report.
    func pass<Application: ClientApplication & ~Copyable>(
      _ report: borrowing AdvertisingReport, to application: inout Application
    ) {
      application.received(
        AdvertisingReport(
          report, completeness: isWhole ? .complete : .truncated,
          data: storage.span.extracting(first: length)))
    }
  }

  private struct Key: Equatable {
    var address: DeviceAddress
    var advertisingSet: UInt8?
    var isScanResponse: Bool
  }

  /// True.
  public static var isExtended: Bool { true }

  /// The PHYs that the host requests for new links: 2M, unless the program changes it.
  public var linkPHYs = PHYSet.le2M
  /// The request for another subrate of a link whose command has no answer; `nil` for none.
  public var subrateRequest: SubrateRequest?

  private var entries = InlineArray<chains, Chain>(repeating: Chain())
  private var total: UInt32 = 0

  /// A scanner that has received nothing.
  public init() {}

  /// Takes a report, and passes it on if it is the last part, or all of the data.
  public mutating func pass<Application: ClientApplication & ~Copyable>(
    _ report: borrowing AdvertisingReport, to application: inout Application
  ) {
    if let index = take(report) {
      entries[index].pass(report, to: &application)
    } else if report.completeness != .partial {
      application.received(report)
    }
  }

  /// Adds a part to its chain. Returns the chain's index if it has ended; `nil` otherwise, or for
  /// a report without parts before.
  @inline(never) private mutating func take(_ report: borrowing AdvertisingReport) -> Int? {
    guard !report.isLegacy else { return nil }
    let key = Key(
      address: report.address, advertisingSet: report.advertisingSet,
      isScanResponse: report.isScanResponse)
    guard let index = index(of: key) ?? begin(key, report.completeness) else { return nil }
    entries[index].append(report.data)
    switch report.completeness {
    case .partial: return nil
    case .truncated: entries[index].isWhole = false
    case .complete: break
    }
    entries[index].key = nil
    return index
  }

  private func index(of key: Key) -> Int? {
    for index in 0..<chains where entries[index].key == key { return index }
    return nil
  }

  /// Begins a chain with a first part: an unused one, or else the oldest. A report that is complete
  /// needs none.
  private mutating func begin(_ key: Key, _ completeness: AdvertisingReport.Completeness) -> Int? {
    guard completeness == .partial else { return nil }
    var oldest = 0
    for index in 0..<chains {
      if entries[index].key == nil {
        oldest = index
        break
      }
      if entries[index].age < entries[oldest].age { oldest = index }
    }
    total &+= 1
    entries[oldest].key = key
    entries[oldest].age = total
    entries[oldest].isWhole = true
    entries[oldest].length = 0
    return oldest
  }

  /// Forgets all parts.
  public mutating func removeAll() {
    for index in 0..<chains { entries[index].key = nil }
  }
}
