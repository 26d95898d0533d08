// Private addresses, and the controller's lists: Core Specification, Vol 3, Part C, 10.7.
//
// If the controller has room for all bonded devices, it resolves their addresses and filters
// connections; otherwise the host does.
extension SecurityManager where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Returns the first private address, or the address that its random numbers decide; `nil` if this device has
  /// neither.
  public mutating func makeAddress() -> DeviceAddress? {
    let new = pairing.random.identity
    if new != nil { identity = new }
    guard Delegate.keepsPrivacy else { return new?.address }
    // After its reset the controller does not filter.
    upkeep.filters = false
    upkeep.renewalTime = nil
    let address = newAddress()
    upkeep.isPrivate = address != nil
    return address ?? new?.address
  }

  private mutating func newAddress() -> DeviceAddress? {
    guard privacy.hidesIdentity, let key = identity?.identityResolvingKey, key != .zero else {
      return nil
    }
    return DeviceAddress(
      resolvableWith: key, random: UInt32(truncatingIfNeeded: pairing.random.next()))
  }

  /// The controller was set up, with these LE features.
  public mutating func controllerStarted(features: UInt64) {
    refusesRandomNumbers = false
    guard Delegate.keepsPrivacy else { return }
    // LL Privacy. Core Specification, Vol 6, Part B, 4.6.
    upkeep.reset(supportsResolving: features & 1 &<< 6 != 0)
  }

  /// Whether `takePrivacyCommand` may have a command.
  public var hasPrivacyCommand: Bool {
    Delegate.keepsPrivacy && (upkeep.isAddressPending || upkeep.isUnderWay || needsListUpdate)
  }

  /// Whether the controller's lists have to be updated. After a reset they are right if there are
  /// no bonds and no filter.
  private var needsListUpdate: Bool {
    guard upkeep.step != .done else { return false }
    return bonds.count > 0 || upkeep.isResolving || upkeep.acceptCount > 0
      || upkeep.resolvingCount > 0 || upkeep.filters || privacy.admitsBondedOnly
  }

  /// The next command for the controller, which must not advertise, scan or initiate meanwhile;
  /// `nil` if everything is up to date.
  public mutating func takePrivacyCommand() -> PrivacyCommand? {
    guard Delegate.keepsPrivacy, upkeep.awaited == nil else { return nil }
    upkeep.isUnderWay = true
    while upkeep.step != .done || upkeep.isAddressPending {
      if upkeep.step == .done { upkeep.step = .address }
      guard let command = nextCommand() else {
        upkeep.finishStep()
        continue
      }
      upkeep.awaited = command.opcode
      return command
    }
    upkeep.isUnderWay = false
    return nil
  }

  /// The next command of the current step; `nil` if the step is done.
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
    case .fillResolvingList: return nextResolved()
    case .setPrivacyMode: return nextInPrivacyMode()
    case .resolve:
      guard upkeep.resolvingCount > 0, !upkeep.isResolving else { return nil }
      upkeep.isResolving = true
      return .resolve(true)
    case .clearAcceptList:
      upkeep.acceptsAll = privacy.admitsBondedOnly && upkeep.resolvesAll
      return upkeep.acceptCount > 0 && upkeep.number == 0
        ? once(.plain(.leClearFilterAcceptList)) : nil
    case .fillAcceptList: return nextAccepted()
    case .advertisingParameters:
      guard upkeep.filters != upkeep.acceptsAll else { return nil }
      upkeep.filters = upkeep.acceptsAll
      return .setAdvertisingParameters
    case .address: return nextAddress()
    case .done: return nil
    }
  }

  /// Returns `command`, the only one of its step.
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
    // After a refusal nothing is added: the privacy modes are for the first bonds.
    guard upkeep.resolvesAll, let bond = nextKeyedBond(), let key = bond.identityResolvingKey else {
      return nil
    }
    guard upkeep.resolvingCount < Int(upkeep.resolvingListSize ?? 0) else {
      upkeep.resolvesAll = false
      return nil
    }
    return .addToResolvingList(
      LEAddDeviceToResolvingList(
        peer: bond.identityAddress, peerKey: key,
        localKey: upkeep.isPrivate ? identity?.identityResolvingKey ?? .zero : .zero))
  }

  /// Device privacy mode: a peer may use its identity address, since its bond's key authenticates
  /// it.
  private mutating func nextInPrivacyMode() -> PrivacyCommand? {
    // The resolving list contains the first ones.
    guard upkeep.modeCount < upkeep.resolvingCount, let bond = nextKeyedBond() else { return nil }
    upkeep.modeCount &+= 1
    return .setPrivacyMode(LESetPrivacyMode(peer: bond.identityAddress, mode: 0x01))
  }

  private mutating func nextAccepted() -> PrivacyCommand? {
    guard privacy.admitsBondedOnly, upkeep.acceptsAll, upkeep.number < bonds.count else {
      return nil
    }
    guard bonds.count <= Int(upkeep.acceptListSize ?? 0), let bond = bonds.bond(at: upkeep.number)
    else {
      upkeep.acceptsAll = false
      return nil
    }
    upkeep.number &+= 1
    return .addToAcceptList(bond.identityAddress)
  }

  private mutating func nextAddress() -> PrivacyCommand? {
    guard upkeep.isAddressPending else { return nil }
    upkeep.isAddressPending = false
    guard let address = newAddress() else { return nil }
    upkeep.requestedAddress = address
    return .setAddress(address)
  }

  /// Takes the result of the last command from `takePrivacyCommand`. Ignores other commands.
  ///
  /// - Parameter opcode: The command.
  /// - Parameter status: How it ended; `unspecifiedError` if it remained unanswered.
  /// - Parameter value: The first of its return parameters.
  /// - Returns: The private address that the controller has accepted; `nil` for other commands.
  public mutating func finishPrivacyCommand(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8
  ) -> DeviceAddress? {
    guard Delegate.keepsPrivacy, upkeep.awaited == opcode else { return nil }
    upkeep.awaited = nil
    upkeep.finish(opcode, status, value: value)
    if opcode == .leSetAddressResolutionEnable, status != .success {
      // A controller that cannot start resolving does not; one that cannot stop continues. It is not
      // asked again.
      upkeep.isResolving.toggle()
      upkeep.resolvesAll = false
      upkeep.finishStep()
    }
    guard opcode == .leSetRandomAddress, status == .success else { return nil }
    return upkeep.requestedAddress
  }

  /// The bonds changed, so the lists have to be updated.
  mutating func bondsChanged() { if Delegate.keepsPrivacy { upkeep.restart() } }

  /// The numbers of bonds changed, so the filling of a list restarts.
  mutating func bondsRenumbered() {
    if Delegate.keepsPrivacy, upkeep.isUnderWay { upkeep.restart() }
  }

  /// When to renew the private address; `nil` without one. Before the first renewal is scheduled, a
  /// time in the past, at which `advancePrivacy` schedules it.
  var renewalTime: Instant? {
    Delegate.keepsPrivacy && upkeep.isPrivate ? upkeep.renewalTime ?? Instant(rawValue: 0) : nil
  }

  /// Schedules a new address if the last one is too old.
  mutating func advancePrivacy(to now: Instant) {
    guard let time = renewalTime, time <= now else { return }
    if upkeep.renewalTime != nil { upkeep.isAddressPending = true }
    upkeep.renewalTime = now.advanced(by: UInt32(max(privacy.renewalInterval, 1)) * 1_000)
  }

  // MARK: Peers

  /// Whether the controller accepts only connections of devices in its accept list.
  public var filtersConnections: Bool { Delegate.keepsPrivacy && upkeep.filters }

  /// Whether a central with this address may connect.
  public func admits(_ address: DeviceAddress) -> Bool {
    !Delegate.keepsPrivacy || !privacy.admitsBondedOnly || bonds.index(resolving: address) != nil
  }

  /// The identity address of the bond that `address` belongs to; `address` itself if there is none.
  /// This does not authenticate: any device can use another's address.
  public func identityAddress(of address: DeviceAddress) -> DeviceAddress {
    guard let number = bonds.index(resolving: address) else { return address }
    return bonds.bond(at: number)?.identityAddress ?? address
  }

  /// Notes an advertiser's address. Returns its identity address, as `identityAddress(of:)` does.
  public mutating func noteAdvertiser(_ address: DeviceAddress) -> DeviceAddress {
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
  /// The command's opcode.
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
