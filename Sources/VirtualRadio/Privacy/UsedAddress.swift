import BluetoothHost

/// The controller's own address that its host has chosen.
struct UsedAddress: Equatable {
  /// The public address, or the random one if the host has set it.
  var identity: DeviceAddress?
  /// Whether to use a private address for devices of the resolving list.
  var isPrivate: Bool
}

/// The controller's own private addresses.
extension VirtualController {
  /// The address for an own address type; `nil` for a type that the controller does not know.
  /// Core Specification, Vol 4, Part E, 7.8.5: 0x00 public; 0x01 random; 0x02 and 0x03 a private
  /// address, or else the public or random one if the resolving list has no key.
  ///
  /// - Parameter set: The advertising set that uses it; `nil` to scan or connect.
  func ownAddress(_ type: UInt8, of set: AdvertiserSet? = nil) -> UsedAddress? {
    guard type <= (configuration.supportsPrivacy ? 0x03 : 0x01) else { return nil }
    let hasOwn = set?.handle != nil
    let random = hasOwn ? set?.randomAddress : state.randomAddress
    return UsedAddress(identity: type & 1 == 0 ? address : random, isPrivate: type & 0b10 != 0)
  }

  /// The address that this controller uses for the device with `identity`; `nil` without one.
  func address(_ own: UsedAddress, towards identity: DeviceAddress) -> DeviceAddress? {
    guard own.isPrivate, let address = state.resolvingList.entry(identity)?.localAddress else {
      return own.identity
    }
    return address
  }

  /// Whether a directed advertisement of `sender` to `target` is for this controller.
  func isAddressed(by sender: Sender, _ target: DeviceAddress, _ own: UsedAddress) -> Bool {
    if target == own.identity || target == address(own, towards: sender.identity) { return true }
    guard state.resolvingList.isEnabled,
      let key = state.resolvingList.entry(sender.identity)?.localResolvingKey
    else { return false }
    return target.isResolved(by: key)
  }

  // MARK: Renewal

  /// Generates the missing private addresses, and all of them if they have expired.
  func prepareAddresses() {
    guard let air else { return }
    if let due = state.addressesDue, due > air.now {
      for entry in state.resolvingList.entries where entry.localAddress == nil {
        entry.localAddress = makeAddress(entry.localResolvingKey)
      }
      return
    }
    state.addressesDue = air.now.advanced(by: UInt32(state.addressLifetime) * 1_000)
    for entry in state.resolvingList.entries {
      entry.localAddress = makeAddress(entry.localResolvingKey)
    }
  }

  /// A new private address; `nil` without a key.
  func makeAddress(_ key: Number128?) -> DeviceAddress? {
    guard let key else { return nil }
    return DeviceAddress(resolvableWith: key, random: UInt32(truncatingIfNeeded: random.next()))
  }

  /// When the private addresses must be renewed; `nil` if they are not in use.
  var renewalDeadline: Instant? {
    guard let due = state.addressesDue, !state.resolvingList.entries.isEmpty else { return nil }
    let isInUse =
      state.sets.contains { $0.active?.own.isPrivate == true }
      || state.scan?.parameters.own.isPrivate == true
      || state.initiation?.own.isPrivate == true
    return isInUse ? due : nil
  }

  /// Generates new private addresses, and advertises with them.
  func renewAddresses() {
    prepareAddresses()
    for set in state.sets {
      guard var advertising = set.active, advertising.own.isPrivate else { continue }
      direct(&advertising)
      advertise(advertising, in: set)
    }
    air?.reschedule(self)
  }

  /// Sets the addresses in advertisements.
  func direct(_ advertising: inout Advertising) {
    advertising.address = address(advertising.own, towards: advertising.peer) ?? advertising.address
    guard advertising.isDirected else { return }
    advertising.target = advertising.peer
    // Core Specification, Vol 6, Part B, 6.2.2: the target is a private address made with the
    // peer's key.
    guard advertising.own.isPrivate, let entry = state.resolvingList.entry(advertising.peer),
      let address = makeAddress(entry.peerResolvingKey)
    else { return }
    entry.peerAddress = address
    advertising.target = address
  }

  /// Sets how long a private address is used, in seconds.
  func setAddressLifetime(_ seconds: UInt16) {
    state.addressLifetime = seconds
    guard let air, state.addressesDue != nil else { return }
    state.addressesDue = air.now.advanced(by: UInt32(seconds) * 1_000)
    air.reschedule(self)
  }
}
