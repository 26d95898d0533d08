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
