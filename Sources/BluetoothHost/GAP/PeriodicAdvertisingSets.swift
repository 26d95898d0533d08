/// What the periodic advertising of a set sends, besides its data: a train of packets at a fixed
/// interval, which any number of devices follow without a connection. Core Specification, Vol 6, Part B,
/// 4.4.2.12.
public struct PeriodicTrain: Equatable, Sendable {
  /// The shortest and the longest time between two packets, in units of 1.25 ms, at least 6.
  public var interval: ClosedRange<UInt16>
  /// Whether each packet has the transmit power.
  public var includesTxPower: Bool

  /// A train with this interval.
  public init(interval: ClosedRange<UInt16>, includesTxPower: Bool = false) {
    self.interval = interval
    self.includesTxPower = includesTxPower
  }
}

/// `AdvertisingSets`, each with at most one periodic advertising train of up to `periodicCapacity`
/// bytes of data. Core Specification, Vol 4, Part E, 7.8.61 to 7.8.63.
///
/// Only a set that is neither connectable nor scannable can have a train. `periodicCapacity` is at most
/// 1,650. Up to 252 bytes of data change without an interruption of the train; for more it stops and
/// begins again, and its followers have to synchronize again.
public struct PeriodicAdvertisingSets<
  let count: Int, let capacity: Int, let periodicCapacity: Int
>: AdvertisingSetRole {
  /// The steps from nothing to a train.
  private enum Step: UInt8 {
    case parameters, data, enable, on
  }

  private struct Entry {
    var train: PeriodicTrain?
    var data = InlineArray<periodicCapacity, UInt8>(repeating: 0)
    var length = 0
    var step = Step.parameters
    /// How much of the data the controller has.
    var offset = 0
    /// Whether the controller's parameters are out of date.
    var isChanged = false
    /// Whether the controller's data is out of date.
    var isDataChanged = false
    /// Whether the controller has had the parameters: its set can then be of no other kind.
    var isConfigured = false

    /// The length of the next part of the data.
    var partLength: Int { min(length &- offset, LESetPeriodicAdvertisingData.longestPart) }
    /// Whether all of the data fits one command.
    var isShort: Bool { length <= LESetPeriodicAdvertisingData.longestPart }

    mutating func assign(_ train: PeriodicTrain?, _ bytes: Span<UInt8>) {
      if train != self.train { isChanged = true }
      if !data.span.extracting(first: length).hasSameBytes(as: bytes) { isDataChanged = true }
      self.train = train
      var target = data.mutableSpan
      target.copy(bytes, at: 0)
      length = bytes.count
    }

    /// The controller is reset.
    mutating func reset() {
      step = .parameters
      offset = 0
      isConfigured = false
    }
  }

  /// The command without an answer so far.
  private enum Awaited: Equatable {
    case nothing
    case step(Int)
    case update(Int)
    case off(Int)
    case removal(Int)
  }

  /// True.
  public static var isPresent: Bool { true }
  /// True.
  public static var isPeriodic: Bool { true }

  private var sets = AdvertisingSets<count, capacity>()
  private var entries = InlineArray<count, Entry>(repeating: Entry())
  private var awaited = Awaited.nothing

  /// Sets that send nothing.
  public init() {}

  /// The PHYs that the host requests for new links: 2M, unless the program changes it.
  public var linkPHYs: PHYSet {
    get { sets.linkPHYs }
    set { sets.linkPHYs = newValue }
  }

  /// Whether a set advertises.
  public var isAdvertising: Bool { sets.isAdvertising }

  /// Whether no set has something to send.
  public var isEmpty: Bool { sets.isEmpty }

  /// Whether a train is on.
  public var hasTrain: Bool {
    for index in 0..<count where entries[index].step == .on { return true }
    return false
  }

  /// Whether a set has something to send on these PHYs.
  public func isUsable(with phys: PHYSet) -> Bool { sets.isUsable(with: phys) }

  /// Sets what the set `index` sends. With a train, it can only be nonconnectable.
  public mutating func assign(
    _ set: AdvertisingSet?, _ data: Span<UInt8>, to index: Int
  ) -> Bool {
    guard index >= 0, index < count else { return false }
    if let set, set.kind != .nonconnectable, entries[index].train != nil { return false }
    let phy = sets[index]?.secondaryPHY
    guard sets.assign(set, data, to: index) else { return false }
    // Core Specification, Vol 4, Part E, 7.8.53: the PHY stays as long as the train is on.
    if phy != set?.secondaryPHY { entries[index].isChanged = true }
    return true
  }

  /// Sets the train of the set `index`; `nil` for none.
  public mutating func assign(
    _ train: PeriodicTrain?, _ data: Span<UInt8>, toSet index: Int
  ) -> Bool {
    guard index >= 0, index < count, data.count <= periodicCapacity else { return false }
    if let train {
      guard train.interval.lowerBound >= 6, sets[index]?.kind ?? .nonconnectable == .nonconnectable
      else { return false }
    }
    entries[index].assign(train, data)
    return true
  }

  /// The host's advertisement has changed.
  public mutating func advertisementChanged() { sets.advertisementChanged() }

  /// The controller is reset: it has none of the sets.
  public mutating func reset() {
    awaited = .nothing
    sets.reset()
    for index in 0..<count { entries[index].reset() }
  }

  /// The sets are off. Their trains go on.
  public mutating func restart() { sets.restart() }

  // MARK: Commands

  /// Writes the next command for the first train that needs one. It comes before a command of the sets:
  /// a train begins together with its set.
  @inline(never) public mutating func writeTrainCommand(
    _ plan: AdvertisingPlan, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    for index in 0..<count {
      if let opcode = writeCommand(for: index, plan, into: &writer) { return opcode }
    }
    return nil
  }

  private mutating func writeCommand(
    for index: Int, _ plan: AdvertisingPlan, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    let isAssigned =
      entries[index].train != nil && sets[index]?.isUsable(with: plan.phys) ?? false
    if entries[index].step == .on {
      guard plan.isAllowed, isAssigned, !entries[index].isChanged,
        !entries[index].isDataChanged || entries[index].isShort
      else {
        awaited = .off(index)
        return writeEnable(false, index, into: &writer)
      }
      guard entries[index].isDataChanged else { return nil }
      entries[index].isDataChanged = false
      entries[index].offset = 0
      awaited = .update(index)
      return writeData(of: index, into: &writer)
    }
    guard isAssigned else {
      return entries[index].isConfigured ? writeRemoval(of: index, into: &writer) : nil
    }
    guard plan.isAllowed, sets.isReady(index) else { return nil }
    if entries[index].isChanged { entries[index].step = .parameters }
    if entries[index].isDataChanged {
      entries[index].offset = 0
      if entries[index].step != .parameters { entries[index].step = .data }
    }
    awaited = .step(index)
    switch entries[index].step {
    case .parameters: return writeParameters(of: index, into: &writer)
    case .data:
      entries[index].isDataChanged = false
      return writeData(of: index, into: &writer)
    case .enable, .on: return writeEnable(true, index, into: &writer)
    }
  }

  private func handle(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &+ 1) }

  private mutating func writeParameters(
    of index: Int, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    guard let train = entries[index].train else { return nil }
    entries[index].isChanged = false
    LESetPeriodicAdvertisingParameters(
      handle: handle(index), minimumInterval: train.interval.lowerBound,
      maximumInterval: train.interval.upperBound,
      properties: train.includesTxPower ? LESetPeriodicAdvertisingParameters.includesTxPower : 0
    ).writePacket(to: &writer)
    return LESetPeriodicAdvertisingParameters.opcode
  }

  /// Writes the next part of the data.
  private func writeData(of index: Int, into writer: inout ByteWriter) -> HCIOpcode {
    let (offset, length) = (entries[index].offset, entries[index].partLength)
    LESetPeriodicAdvertisingData(
      handle: handle(index),
      operation: .init(from: offset, length, of: entries[index].length),
      data: entries[index].data.span.extracting(offset..<offset &+ length)
    ).writePacket(to: &writer)
    return .leSetPeriodicAdvertisingData
  }

  @inline(never) private func writeEnable(
    _ isEnabled: Bool, _ index: Int, into writer: inout ByteWriter
  ) -> HCIOpcode {
    LESetPeriodicAdvertisingEnable(enable: isEnabled ? 1 : 0, handle: handle(index)).writePacket(
      to: &writer)
    return LESetPeriodicAdvertisingEnable.opcode
  }

  /// Writes the next command that removes a set without a train from the controller, which refuses it
  /// another kind. Core Specification, Vol 4, Part E, 7.8.53 and 7.8.59.
  private mutating func writeRemoval(of index: Int, into writer: inout ByteWriter) -> HCIOpcode {
    if let opcode = sets.writeEnd(of: index, into: &writer) { return opcode }
    awaited = .removal(index)
    LERemoveAdvertisingSet(handle: handle(index)).writePacket(to: &writer)
    return LERemoveAdvertisingSet.opcode
  }

  /// Writes the next command of the first set that needs one.
  public mutating func writeCommand(
    _ plan: AdvertisingPlan, _ advertisement: Advertisement, into writer: inout ByteWriter
  ) -> HCIOpcode? { sets.writeCommand(plan, advertisement, into: &writer) }

  /// Writes the command that stops every set. The trains go on.
  public mutating func writeStop(into writer: inout ByteWriter) -> HCIOpcode {
    sets.writeStop(into: &writer)
  }

  // MARK: Results

  /// Takes the result of the last command. Trains that cannot be stopped are off.
  @inline(never) public mutating func finish(_ status: HCIErrorCode) -> AdvertisingSetResult {
    let last = awaited
    awaited = .nothing
    switch last {
    case .nothing: return sets.finish(status)
    case .step(let index):
      guard status == .success else { return .refused }
      advance(index)
    case .update(let index):
      // A controller that does not change the data of a train gets it in a new train.
      if status != .success { entries[index].isChanged = true }
    case .off(let index): entries[index].step = .enable
    case .removal(let index):
      entries[index].reset()
      sets.restart(index)
    }
    return .done
  }

  /// The controller has done the step of a train.
  private mutating func advance(_ index: Int) {
    switch entries[index].step {
    case .parameters:
      entries[index].isConfigured = true
      entries[index].offset = 0
      entries[index].step = .data
    case .data:
      entries[index].offset &+= entries[index].partLength
      if entries[index].offset >= entries[index].length { entries[index].step = .enable }
    case .enable, .on: entries[index].step = .on
    }
  }

  /// A set is off, and can start again. Its train goes on.
  public mutating func terminated(_ handle: UInt8) { sets.terminated(handle) }
}
