/// `count` advertising sets with up to `capacity` bytes of data each, beside the host's
/// advertisement, which becomes a set with legacy PDUs. Core Specification, Vol 4, Part E, 3.1.1
/// and 7.8.53 to 7.8.56.
///
/// A host uses them if its controller supports extended advertising; otherwise only its
/// advertisement. `capacity` is at most 1,650; a connectable set has at most 245 bytes.
public struct AdvertisingSets<let count: Int, let capacity: Int>: AdvertisingSetRole {
  /// What the controller gets next: the steps from nothing to advertising.
  private enum Step: UInt8 {
    case parameters, address, data, scanResponse, enable, on
  }

  /// How far the controller has been given a set.
  private struct Progress {
    var step = Step.parameters
    /// How much of the data it has.
    var offset = 0
    /// Whether what it has is out of date.
    var isChanged = false
  }

  private struct Entry {
    var set: AdvertisingSet?
    var data = InlineArray<capacity, UInt8>(repeating: 0)
    var length = 0
    var progress = Progress()

    mutating func assign(_ set: AdvertisingSet?, _ bytes: Span<UInt8>) {
      self.set = set
      var target = data.mutableSpan
      target.copy(bytes, at: 0)
      length = bytes.count
      progress.isChanged = true
    }
  }

  /// The command without an answer so far.
  private enum Awaited: Equatable {
    case nothing
    case step(UInt8)
    case on(UInt8)
    case off(UInt8)
    case stop
    case check
  }

  /// True.
  public static var isPresent: Bool { true }
  /// The most data of a connectable set: an AUX_ADV_IND of 255 bytes, less 10 of its header with the
  /// advertiser's address and the set. Core Specification, Vol 6, Part B, 2.3.4.
  public static var connectableCapacity: Int { 245 }

  /// The PHYs that the host requests for new links: 2M, unless the program changes it.
  public var linkPHYs = PHYSet.le2M

  /// The host's advertisement has handle 0, and the sets have 1 and so on.
  private var legacy = Progress()
  private var entries = InlineArray<count, Entry>(repeating: Entry())
  private var awaited = Awaited.nothing
  /// The handle of the set that was checked last.
  private var checked = 0

  /// Sets that send nothing.
  public init() {}

  /// Whether a set advertises.
  public var isAdvertising: Bool {
    @inline(__always) get {
      for index in 0..<count where entries[index].progress.step == .on { return true }
      return legacy.step == .on
    }
  }

  /// Whether no set has something to send.
  public var isEmpty: Bool {
    for index in 0..<count where entries[index].set != nil { return false }
    return true
  }

  /// Whether a set has something to send on these PHYs.
  public func isUsable(with phys: PHYSet) -> Bool {
    for index in 0..<count {
      if let set = entries[index].set, set.isUsable(with: phys) { return true }
    }
    return false
  }

  /// Sets what the set `index` sends.
  public mutating func assign(
    _ set: AdvertisingSet?, _ data: Span<UInt8>, to index: Int
  ) -> Bool {
    guard index >= 0, index < count, data.count <= capacity else { return false }
    if set?.kind == .connectable, data.count > Self.connectableCapacity { return false }
    entries[index].assign(set, data)
    return true
  }

  /// The host's advertisement has changed.
  public mutating func advertisementChanged() { legacy.isChanged = true }

  /// The controller is reset: it has none of the sets.
  public mutating func reset() {
    awaited = .nothing
    restart()
  }

  /// The controller needs every set again.
  public mutating func restart() {
    for handle in 0...count { set(Progress(), of: handle) }
  }

  @inline(never) private mutating func set(_ progress: Progress, of handle: Int) {
    if handle == 0 { legacy = progress } else { entries[handle &- 1].progress = progress }
  }

  private mutating func set(_ step: Step, of handle: Int) {
    if handle == 0 { legacy.step = step } else { entries[handle &- 1].progress.step = step }
  }

  /// Whether the set is on. Mutating, so that it is called in place: for another method the compiler
  /// copies all sets.
  @inline(never) private mutating func isOn(_ handle: Int) -> Bool {
    (handle == 0 ? legacy : entries[handle &- 1].progress).step == .on
  }

  // MARK: Commands

  /// Writes the next command of the first set that needs one.
  public mutating func writeCommand(
    _ plan: AdvertisingPlan, _ advertisement: Advertisement, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    if plan.isCheck { chooseCheckedSet() }
    if let opcode = writeCommand(of: plan.legacy, 0, plan, advertisement, into: &writer) {
      return opcode
    }
    for index in 0..<count {
      if let opcode = writeCommand(
        of: entries[index].set, index &+ 1, plan, advertisement, into: &writer)
      {
        return opcode
      }
    }
    return nil
  }

  /// Chooses the next set that is on for a check: the end of any of them may have been lost.
  @inline(never) private mutating func chooseCheckedSet() {
    for _ in 0...count {
      checked = checked < count ? checked &+ 1 : 0
      if isOn(checked) { return }
    }
  }

  /// Writes the next command of one set; `nil` if it needs none.
  @inline(never) private mutating func writeCommand(
    of set: AdvertisingSet?, _ handle: Int, _ plan: AdvertisingPlan,
    _ advertisement: Advertisement, into writer: inout ByteWriter
  ) -> HCIOpcode? {
    let number = UInt8(truncatingIfNeeded: handle)
    var progress = handle == 0 ? legacy : entries[handle &- 1].progress
    guard let set, plan.wants(set) else {
      return progress.step == .on ? writeEnable(false, number, into: &writer) : nil
    }
    if progress.isChanged {
      if progress.step == .on { return writeEnable(false, number, into: &writer) }
      progress = Progress()
    }
    let address = set.address ?? plan.address
    let opcode: HCIOpcode
    switch progress.step {
    case .parameters:
      progress.step = address.kind == .random ? .address : .data
      opcode = writeParameters(of: set, number, plan, into: &writer)
    case .address:
      progress.step = .data
      LESetAdvertisingSetRandomAddress(handle: number, address: address).writePacket(to: &writer)
      opcode = .leSetAdvertisingSetRandomAddress
    case .data:
      if handle == 0 {
        opcode = .leSetExtendedAdvertisingData
        Self.write(advertisement.data.span, &progress, number, opcode, to: &writer)
        progress.step = .scanResponse
      } else {
        opcode =
          set.kind == .scannable ? .leSetExtendedScanResponseData : .leSetExtendedAdvertisingData
        Self.write(
          entries[handle &- 1].data.span.extracting(first: entries[handle &- 1].length), &progress,
          number, opcode, to: &writer)
      }
    case .scanResponse:
      opcode = .leSetExtendedScanResponseData
      Self.write(advertisement.scanResponse.span, &progress, number, opcode, to: &writer)
    case .enable: return writeEnable(true, number, into: &writer)
    case .on:
      guard plan.isCheck, handle == checked else { return nil }
      awaited = .check
      return writeParameters(of: set, number, plan, into: &writer)
    }
    awaited = .step(number)
    self.set(progress, of: handle)
    return opcode
  }

  @inline(never) private mutating func writeEnable(
    _ isEnabled: Bool, _ handle: UInt8, into writer: inout ByteWriter
  ) -> HCIOpcode {
    awaited = isEnabled ? .on(handle) : .off(handle)
    LESetExtendedAdvertisingEnable.writePacket(
      isEnabled: isEnabled, .init(handle: handle), to: &writer)
    return .leSetExtendedAdvertisingEnable
  }

  @inline(never) private func writeParameters(
    of set: AdvertisingSet, _ handle: UInt8, _ plan: AdvertisingPlan, into writer: inout ByteWriter
  ) -> HCIOpcode {
    var command = LESetExtendedAdvertisingParameters(
      handle: handle, properties: set.properties, minimumInterval: set.interval.lowerBound,
      maximumInterval: set.interval.upperBound,
      ownAddressType: (set.address ?? plan.address).kind.rawValue, filterPolicy: plan.filterPolicy)
    command.primaryPHY = set.primaryPHY
    command.secondaryPHY = set.secondaryPHY
    command.identifier = handle & 0x0F
    command.writePacket(to: &writer)
    return LESetExtendedAdvertisingParameters.opcode
  }

  /// Writes the next part of `data`.
  @inline(never) private static func write(
    _ data: Span<UInt8>, _ progress: inout Progress, _ handle: UInt8, _ opcode: HCIOpcode,
    to writer: inout ByteWriter
  ) {
    let offset = progress.offset
    let length = min(data.count &- offset, LESetExtendedAdvertisingData.longestPart)
    LESetExtendedAdvertisingData(
      handle: handle, operation: .init(from: offset, length, of: data.count),
      data: data.extracting(droppingFirst: offset).extracting(first: length)
    ).writePacket(opcode, to: &writer)
    progress.offset = offset &+ length
    if progress.offset == data.count {
      progress.offset = 0
      progress.step = .enable
    }
  }

  /// Writes the command that stops every set.
  public mutating func writeStop(into writer: inout ByteWriter) -> HCIOpcode {
    awaited = .stop
    LESetExtendedAdvertisingEnable.writePacket(isEnabled: false, nil, to: &writer)
    return .leSetExtendedAdvertisingEnable
  }

  // MARK: Results

  /// Takes the result of the last command. Sets that cannot be stopped are off.
  @inline(never) public mutating func finish(_ status: HCIErrorCode) -> AdvertisingSetResult {
    let last = awaited
    awaited = .nothing
    switch last {
    case .nothing: return .done
    case .check: return .checked
    case .stop: restart()
    case .off(let handle): terminated(handle)
    case .on(let handle), .step(let handle):
      guard status == .success else {
        // It starts again from its parameters.
        set(Progress(), of: Int(handle))
        return .refused
      }
      guard last == .on(handle) else { return .done }
      set(.on, of: Int(handle))
    }
    return .switched
  }

  /// A set is off, and can start again: by a command, or because a central has connected to it.
  public mutating func terminated(_ handle: UInt8) {
    guard Int(handle) <= count else { return }
    if isOn(Int(handle)) { set(.enable, of: Int(handle)) }
  }
}

// What periodic advertising needs of its set.
extension AdvertisingSets {
  /// What the set `index` sends.
  subscript(_ index: Int) -> AdvertisingSet? { entries[index].set }

  /// Whether the controller has all of the set `index`, which is not scannable: it advertises or is
  /// about to.
  func isReady(_ index: Int) -> Bool {
    let progress = entries[index].progress
    return progress.step.rawValue > Step.data.rawValue && !progress.isChanged
  }

  /// Writes the command that stops the set `index`; `nil` if it is off.
  mutating func writeEnd(of index: Int, into writer: inout ByteWriter) -> HCIOpcode? {
    guard entries[index].progress.step == .on else { return nil }
    return writeEnable(false, UInt8(truncatingIfNeeded: index &+ 1), into: &writer)
  }

  /// The controller needs all of the set `index` again.
  mutating func restart(_ index: Int) { entries[index].progress = Progress() }
}
