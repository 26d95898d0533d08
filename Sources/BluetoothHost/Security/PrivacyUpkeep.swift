/// A device's use of private addresses, and the devices that may connect:
/// Core Specification, Vol 3, Part C, 10.7, and Vol 6, Part B, 6.
public struct PrivacyPolicy: Equatable, Sendable {
  /// Whether it uses resolvable private addresses, made with the key of its `LocalIdentity`;
  /// without a key it does not. Takes effect at the start of the controller.
  public var hidesIdentity: Bool
  /// The lifetime of a private address in seconds, at least 1. The default is the 15 minutes that
  /// the specification recommends (Vol 3, Part C, Appendix A).
  ///
  /// An attempt to connect is interrupted for the change: Vol 3, Part C, 10.7.1. Links keep their
  /// first address.
  public var renewalInterval: UInt16
  /// Whether only bonded centrals may connect. A private address has to be resolved by a bond.
  public var admitsBondedOnly: Bool

  /// By default a device uses no private addresses, and every central may connect.
  public init(
    hidesIdentity: Bool = false, renewalInterval: UInt16 = 900, admitsBondedOnly: Bool = false
  ) {
    self.hidesIdentity = hidesIdentity
    self.renewalInterval = renewalInterval
    self.admitsBondedOnly = admitsBondedOnly
  }
}

/// A command that updates the controller's lists or its address. The controller refuses these while
/// it advertises, scans or initiates: Core Specification, Vol 4, Part E, 7.8.4 and 7.8.38 to
/// 7.8.44.
public enum PrivacyCommand: Equatable, Sendable {
  /// A command without parameters.
  case plain(HCIOpcode)
  /// Start or stop address resolution.
  case resolve(Bool)
  /// Add a device to the resolving list.
  case addToResolvingList(LEAddDeviceToResolvingList)
  /// Also accept the identity address of a device in that list.
  case setPrivacyMode(LESetPrivacyMode)
  /// Add a device to the filter accept list.
  case addToAcceptList(DeviceAddress)
  /// Set the advertising parameters, with the current filter policy.
  case setAdvertisingParameters
  /// Use this private address.
  case setAddress(DeviceAddress)
}

/// The progress of updating the controller's lists and address.
struct PrivacyUpkeep {
  /// The next step, in this order.
  enum Step: UInt8 {
    case resolvingListSize, acceptListSize, stopResolving, clearResolvingList, fillResolvingList
    case setPrivacyMode, resolve, clearAcceptList, fillAcceptList, advertisingParameters, address
    case done
  }

  var step = Step.done
  /// The next bond to add to a list.
  var number = 0
  /// The command without an answer so far.
  var awaited: HCIOpcode?
  /// Whether the commands have begun, and the last has not been answered.
  var isUnderWay = false

  // The controller's capabilities; `nil` before they are read.
  var supportsResolving = false
  var resolvingListSize: UInt8?
  var acceptListSize: UInt8?

  // The controller's current state.
  var isResolving = false
  var resolvingCount = 0
  /// How many devices in the resolving list have their privacy mode.
  var modeCount = 0
  var acceptCount = 0
  /// Whether the resolving list contains each bond with a key.
  var resolvesAll = false
  /// Whether the accept list contains each bond, so that the controller rejects unknown devices
  /// itself.
  var acceptsAll = false
  /// Whether the advertising parameters use the accept list.
  var filters = false
  /// The address in the last command.
  var requestedAddress: DeviceAddress?

  /// Whether there is a private address to renew, and when.
  var isPrivate = false
  var renewalTime: Instant?
  var isAddressPending = false

  /// Restarts all steps that depend on the bonds.
  mutating func restart() {
    step = .resolvingListSize
    number = 0
  }

  /// Goes on with the next step.
  mutating func finishStep() {
    step = Step(rawValue: step.rawValue &+ 1) ?? .done
    number = 0
  }

  /// The controller was reset, and its state is lost.
  mutating func reset(supportsResolving: Bool) {
    let old = self
    self = PrivacyUpkeep()
    self.supportsResolving = supportsResolving
    isPrivate = old.isPrivate
    renewalTime = old.renewalTime
    restart()
  }

  /// Takes the result of a command; `value` is the first of its return parameters.
  mutating func finish(_ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8) {
    let isDone = status == .success
    switch opcode {
    case .leReadResolvingListSize: resolvingListSize = isDone ? value : 0
    case .leReadFilterAcceptListSize: acceptListSize = isDone ? value : 0
    case .leAddDeviceToResolvingList: if isDone { resolvingCount += 1 } else { resolvesAll = false }
    case .leAddDeviceToFilterAcceptList: if isDone { acceptCount += 1 } else { acceptsAll = false }
    case .leClearResolvingList: if isDone { resolvingCount = 0 }
    case .leClearFilterAcceptList: if isDone { acceptCount = 0 }
    default: break
    }
  }
}

/// The last known private addresses of bonded devices. To connect to an identity address, the host
/// uses them if the controller does not resolve addresses.
struct RecentAddresses {
  private struct Entry {
    var identity = DeviceAddress.zero
    var address = DeviceAddress.zero
  }

  private var entries = InlineArray<4, Entry>(repeating: Entry())
  private var next = 0

  /// Stores the `address` that the device with `identity` uses.
  mutating func note(_ address: DeviceAddress, of identity: DeviceAddress) {
    var slot = next
    for index in entries.indices where entries[index].identity == identity { slot = index }
    if slot == next { next = (next &+ 1) % entries.count }
    entries[slot] = Entry(identity: identity, address: address)
  }

  /// The address of the device with `identity`; `nil` if it is unknown.
  func address(of identity: DeviceAddress) -> DeviceAddress? {
    for index in entries.indices where entries[index].identity == identity {
      return entries[index].address
    }
    return nil
  }
}
