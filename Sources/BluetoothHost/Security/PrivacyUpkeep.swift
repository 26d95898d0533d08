/// How far a controller's lists and address are as the host wants them.
struct PrivacyUpkeep {
  /// What is seen to next, in this order.
  enum Step: UInt8 {
    case resolvingListSize, acceptListSize, stopResolving, clearResolvingList, fillResolvingList
    case setPrivacyMode, resolve, clearAcceptList, fillAcceptList, advertisingParameters, address
    case done
  }

  var step = Step.done
  /// The next bond to add to a list.
  var number = 0
  /// The command that the controller has yet to answer.
  var awaited: HCIOpcode?
  /// Whether a first command has been taken, and the last has not been answered.
  var isUnderWay = false

  // What the controller can do; `nil` while it has not been asked.
  var supportsResolving = false
  var resolvingListSize: UInt8?
  var acceptListSize: UInt8?

  // What it has.
  var isResolving = false
  var resolvingCount = 0
  /// How many of these have their privacy mode.
  var modeCount = 0
  var acceptCount = 0
  /// Whether each bond with a key has its place in the resolving list.
  var resolvesAll = false
  /// Whether each bond has its place in the accept list, so that strangers need not be looked at.
  var acceptsAll = false
  /// Whether the advertising parameters demand the accept list.
  var filters = false
  /// The address that it has been asked to take.
  var requestedAddress: DeviceAddress?

  /// Whether there is a private address to renew, and when.
  var isPrivate = false
  var renewalTime: Instant?
  var owesAddress = false

  /// Everything that depends on the bonds is to be done anew.
  mutating func restart() {
    step = .resolvingListSize
    number = 0
  }

  /// The controller has been reset: it has forgotten everything.
  mutating func reset(supportsResolving: Bool) {
    let old = self
    self = PrivacyUpkeep()
    self.supportsResolving = supportsResolving
    isPrivate = old.isPrivate
    renewalTime = old.renewalTime
    restart()
  }

  /// The controller has answered a command; `value` is the first of its return parameters.
  mutating func finish(_ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8) {
    let isDone = status == .success
    switch opcode {
    case .leReadResolvingListSize: resolvingListSize = isDone ? value : 0
    case .leReadFilterAcceptListSize: acceptListSize = isDone ? value : 0
    case .leAddDeviceToResolvingList:
      if isDone { resolvingCount += 1 } else { resolvesAll = false }
    case .leAddDeviceToFilterAcceptList:
      if isDone { acceptCount += 1 } else { acceptsAll = false }
    case .leClearResolvingList: if isDone { resolvingCount = 0 }
    case .leClearFilterAcceptList: if isDone { acceptCount = 0 }
    default: break
    }
  }
}

/// The private address by which a device with a bond was heard last: a host that connects to its identity
/// address connects to that one, if the controller does not resolve addresses.
struct RecentAddresses {
  private struct Entry {
    var identity = DeviceAddress.zero
    var address = DeviceAddress.zero
  }

  private var entries = InlineArray<4, Entry>(repeating: Entry())
  private var next = 0

  /// The device with `identity` has been heard by `address`.
  mutating func note(_ address: DeviceAddress, of identity: DeviceAddress) {
    var place = next
    for index in entries.indices where entries[index].identity == identity { place = index }
    if place == next { next = (next &+ 1) % entries.count }
    entries[place] = Entry(identity: identity, address: address)
  }

  /// The address of the device with `identity`; `nil` if it has not been heard.
  func address(of identity: DeviceAddress) -> DeviceAddress? {
    for index in entries.indices where entries[index].identity == identity {
      return entries[index].address
    }
    return nil
  }
}
