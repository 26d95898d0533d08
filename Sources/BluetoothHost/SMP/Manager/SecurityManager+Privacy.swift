// Private addresses, and the controller's lists: Core Specification, Vol 3, Part C, 10.7.
//
// The controller resolves the addresses of devices with bonds where it has room for all of them; and it
// filters who connects. What it cannot do, the host does.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Makes the private address to begin with; `nil` if this device shows who it is.
  public mutating func makePrivateAddress() -> DeviceAddress? {
    guard Delegate.keepsPrivacy else { return nil }
    // The controller has been reset, and filters nothing yet.
    upkeep.filters = false
    upkeep.renewalTime = nil
    let address = newAddress()
    upkeep.isPrivate = address != nil
    return address
  }

  private mutating func newAddress() -> DeviceAddress? {
    guard privacy.hidesIdentity, let key = identity?.identityResolvingKey, key != .zero else {
      return nil
    }
    return DeviceAddress(
      resolvableWith: key, random: UInt32(truncatingIfNeeded: pairing.random.next()))
  }

  /// The controller has been set up, with these LE features.
  public mutating func controllerStarted(features: UInt64) {
    refusesRandomNumbers = false
    guard Delegate.keepsPrivacy else { return }
    // LL Privacy. Core Specification, Vol 6, Part B, 4.6.
    upkeep.reset(supportsResolving: features & 1 &<< 6 != 0)
  }

  /// Whether `takePrivacyCommand` may have a command.
  public var owesPrivacyCommand: Bool {
    Delegate.keepsPrivacy && (upkeep.owesAddress || upkeep.isUnderWay || owesLists)
  }

  /// Without bonds and without a filter a controller's lists are as they are after its reset.
  private var owesLists: Bool {
    guard upkeep.step != .done else { return false }
    return bonds.count > 0 || upkeep.isResolving || upkeep.acceptCount > 0
      || upkeep.resolvingCount > 0 || upkeep.filters || privacy.admitsBondedOnly
  }

  /// The next command for the controller, which does not advertise, scan or initiate meanwhile; `nil` if
  /// everything is as it shall be.
  public mutating func takePrivacyCommand() -> PrivacyCommand? {
    guard Delegate.keepsPrivacy, upkeep.awaited == nil else { return nil }
    upkeep.isUnderWay = true
    while upkeep.step != .done || upkeep.owesAddress {
      if upkeep.step == .done { upkeep.step = .address }
      guard let command = nextCommand() else {
        upkeep.step = PrivacyUpkeep.Step(rawValue: upkeep.step.rawValue &+ 1) ?? .done
        upkeep.number = 0
        continue
      }
      upkeep.awaited = command.opcode
      return command
    }
    upkeep.isUnderWay = false
    return nil
  }

  /// A command of the present step; `nil` if the step is done.
  private mutating func nextCommand() -> PrivacyCommand? {
    switch upkeep.step {
    case .resolvingListSize:
      guard upkeep.supportsResolving, upkeep.resolvingListSize == nil, hasKeys else { return nil }
      return .plain(.leReadResolvingListSize)
    case .acceptListSize:
      guard privacy.admitsBondedOnly, upkeep.acceptListSize == nil else { return nil }
      return .plain(.leReadFilterAcceptListSize)
    case .stopResolving:
      guard upkeep.isResolving else { return nil }
      upkeep.isResolving = false
      return .resolve(false)
    case .clearResolvingList:
      upkeep.resolvesAll = true
      upkeep.modeCount = 0
      return upkeep.resolvingCount > 0 && upkeep.number == 0
        ? once(.plain(.leClearResolvingList)) : nil
    case .fillResolvingList:
      return nextResolved()
    case .setPrivacyMode:
      return nextInPrivacyMode()
    case .resolve:
      guard upkeep.resolvingCount > 0, !upkeep.isResolving else { return nil }
      upkeep.isResolving = true
      return .resolve(true)
    case .clearAcceptList:
      upkeep.acceptsAll = privacy.admitsBondedOnly && upkeep.resolvesAll
      return upkeep.acceptCount > 0 && upkeep.number == 0
        ? once(.plain(.leClearFilterAcceptList)) : nil
    case .fillAcceptList:
      return nextAccepted()
    case .advertisingParameters:
      guard upkeep.filters != upkeep.acceptsAll else { return nil }
      upkeep.filters = upkeep.acceptsAll
      return .setAdvertisingParameters
    case .address:
      return nextAddress()
    case .done:
      return nil
    }
  }

  /// `command`, the only one of its step.
  private mutating func once(_ command: PrivacyCommand) -> PrivacyCommand {
    upkeep.number = 1
    return command
  }

  private var hasKeys: Bool {
    for index in 0..<bonds.count where bonds.bond(at: index)?.identityResolvingKey != nil {
      return true
    }
    return false
  }

  /// The next bond with a key.
  private mutating func nextKeyedBond() -> Bond? {
    while upkeep.number < bonds.count {
      upkeep.number &+= 1
      if let bond = bonds.bond(at: upkeep.number &- 1), bond.identityResolvingKey != nil {
        return bond
      }
    }
    return nil
  }

  private mutating func nextResolved() -> PrivacyCommand? {
    guard upkeep.supportsResolving else {
      upkeep.resolvesAll = !hasKeys
      return nil
    }
    guard let bond = nextKeyedBond(), let key = bond.identityResolvingKey else { return nil }
    guard upkeep.resolvingCount < Int(upkeep.resolvingListSize ?? 0) else {
      upkeep.resolvesAll = false
      return nil
    }
    return .addToResolvingList(
      LEAddDeviceToResolvingList(
        peer: bond.identityAddress, peerKey: key,
        localKey: upkeep.isPrivate ? identity?.identityResolvingKey ?? .zero : .zero))
  }

  /// Device privacy mode: a peer may go by its identity address, for the key of its bond says who it is.
  private mutating func nextInPrivacyMode() -> PrivacyCommand? {
    // The first ones are in the list.
    guard upkeep.modeCount < upkeep.resolvingCount, let bond = nextKeyedBond() else { return nil }
    upkeep.modeCount &+= 1
    return .setPrivacyMode(LESetPrivacyMode(peer: bond.identityAddress, mode: 0x01))
  }

  private mutating func nextAccepted() -> PrivacyCommand? {
    guard privacy.admitsBondedOnly, upkeep.acceptsAll, upkeep.number < bonds.count else {
      return nil
    }
    guard bonds.count <= Int(upkeep.acceptListSize ?? 0),
      let bond = bonds.bond(at: upkeep.number)
    else {
      upkeep.acceptsAll = false
      return nil
    }
    upkeep.number &+= 1
    return .addToAcceptList(bond.identityAddress)
  }

  private mutating func nextAddress() -> PrivacyCommand? {
    guard upkeep.owesAddress else { return nil }
    upkeep.owesAddress = false
    guard let address = newAddress() else { return nil }
    upkeep.requestedAddress = address
    return .setAddress(address)
  }

  /// The controller has answered, or left unanswered, the command that was taken last. Others change nothing.
  ///
  /// - Parameter value: the first of its return parameters.
  /// - Returns: The private address that it has taken; `nil` for other commands.
  public mutating func finishPrivacyCommand(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8
  ) -> DeviceAddress? {
    guard Delegate.keepsPrivacy, upkeep.awaited == opcode else { return nil }
    upkeep.awaited = nil
    upkeep.finish(opcode, status, value: value)
    if opcode == .leSetAddressResolutionEnable, status != .success {
      // One that cannot begin to resolve does not; one that cannot end goes on.
      upkeep.isResolving.toggle()
      upkeep.resolvesAll = false
    }
    guard opcode == .leSetRandomAddress, status == .success else { return nil }
    return upkeep.requestedAddress
  }

  /// The bonds have changed: the lists shall follow.
  mutating func bondsChanged() {
    if Delegate.keepsPrivacy { upkeep.restart() }
  }

  /// The bonds have new numbers: a list that is being filled is filled anew.
  mutating func bondsMoved() {
    if Delegate.keepsPrivacy, upkeep.isUnderWay { upkeep.restart() }
  }

  /// When the private address is to be renewed; at once if that has not been decided.
  var renewalTime: Instant? {
    Delegate.keepsPrivacy && upkeep.isPrivate ? upkeep.renewalTime ?? Instant(rawValue: 0) : nil
  }

  /// The time is `now`: owes a new address if the last is too old.
  mutating func advancePrivacy(to now: Instant) {
    guard let time = renewalTime, time <= now else { return }
    if upkeep.renewalTime != nil { upkeep.owesAddress = true }
    upkeep.renewalTime = now.advanced(by: UInt32(max(privacy.renewalInterval, 1)) * 1_000)
  }

  // MARK: Peers

  /// Whether the controller takes connections of devices in its accept list alone.
  public var filtersConnections: Bool { Delegate.keepsPrivacy && upkeep.filters }

  /// Whether a central with this address may connect.
  public func admits(_ address: DeviceAddress) -> Bool {
    !Delegate.keepsPrivacy || !privacy.admitsBondedOnly || bonds.index(resolving: address) != nil
  }

  /// The identity address of the device with the bond that `address` belongs to; `address` itself if there
  /// is none. That the device is there is not proved: anybody may repeat an address.
  public func identityAddress(of address: DeviceAddress) -> DeviceAddress {
    guard let number = bonds.index(resolving: address) else { return address }
    return bonds.bond(at: number)?.identityAddress ?? address
  }

  /// An advertiser was heard by `address`. Returns its identity address as `identityAddress(of:)` does.
  public mutating func heard(_ address: DeviceAddress) -> DeviceAddress {
    guard address.isResolvable, bonds.count > 0 else { return address }
    let identity = identityAddress(of: address)
    if identity != address { recent.note(address, of: identity) }
    return identity
  }

  /// The address to connect to for a link with `peer`.
  public func linkAddress(of peer: DeviceAddress) -> DeviceAddress {
    upkeep.isResolving && upkeep.resolvesAll ? peer : recent.address(of: peer) ?? peer
  }
}

extension PrivacyCommand {
  /// Which command it is.
  var opcode: HCIOpcode {
    switch self {
    case .plain(let opcode): opcode
    case .resolve: .leSetAddressResolutionEnable
    case .addToResolvingList: .leAddDeviceToResolvingList
    case .setPrivacyMode: .leSetPrivacyMode
    case .addToAcceptList: .leAddDeviceToFilterAcceptList
    case .setAdvertisingParameters: .leSetAdvertisingParameters
    case .setAddress: .leSetRandomAddress
    }
  }
}
