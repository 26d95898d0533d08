import BluetoothHost

extension VirtualController {
  func performAcceptList(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leReadFilterAcceptListSize:
      succeed(opcode) { $0.write(configuration.acceptListSize) }
      return nil
    case .leClearFilterAcceptList:
      guard !isUsingAcceptList else { return .commandDisallowed }
      state.acceptList.removeAll()
    default:
      guard !isUsingAcceptList else { return .commandDisallowed }
      guard let device = DeviceAddress(&reader) else { return .invalidCommandParameters }
      if opcode == .leRemoveDeviceFromFilterAcceptList {
        state.acceptList.removeAll { $0 == device }
      } else if !state.acceptList.contains(device) {
        guard state.acceptList.count < Int(configuration.acceptListSize) else {
          return .memoryCapacityExceeded
        }
        state.acceptList.append(device)
      }
    }
    succeed(opcode)
    return nil
  }

  /// Core Specification, Vol 4, Part E, 7.8.15: the list is fixed while something filters by it.
  private var isUsingAcceptList: Bool {
    for set in state.sets {
      guard let advertising = set.active else { continue }
      if advertising.connectsAcceptListOnly || advertising.answersAcceptListOnly { return true }
    }
    if state.scan?.parameters.acceptListOnly == true { return true }
    guard let initiation = state.initiation else { return false }
    return initiation.target == nil
  }
}

extension VirtualController {
  func performPrivacy(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leReadResolvingListSize:
      succeed(opcode) { $0.write(configuration.resolvingListSize) }
      return nil
    case .leReadPeerResolvableAddress, .leReadLocalResolvableAddress:
      guard let peer = DeviceAddress(&reader) else { return .invalidCommandParameters }
      let entry = state.resolvingList.entry(peer)
      let address =
        opcode == .leReadPeerResolvableAddress ? entry?.peerAddress : entry?.localAddress
      guard let address else { return .unknownConnectionIdentifier }
      succeed(opcode) { address.writeBytes(to: &$0) }
      return nil
    case .leSetResolvablePrivateAddressTimeout:
      guard let request = LESetResolvablePrivateAddressTimeout(&reader),
        LESetResolvablePrivateAddressTimeout.range.contains(request.timeout)
      else { return .invalidCommandParameters }
      setAddressLifetime(request.timeout)
    case .leSetAddressResolutionEnable:
      guard let request = LESetAddressResolutionEnable(&reader), request.enable <= 1 else {
        return .invalidCommandParameters
      }
      guard !isUsingAddresses else { return .commandDisallowed }
      state.resolvingList.isEnabled = request.enable == 1
    default: if let status = changeResolvingList(opcode, &reader) { return status }
    }
    succeed(opcode)
    return nil
  }

  private func changeResolvingList(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode?
  {
    // Core Specification, Vol 4, Part E, 7.8.38: the list cannot change while address resolution is
    // on and the controller advertises, scans or initiates.
    guard !state.resolvingList.isEnabled || !isUsingAddresses else { return .commandDisallowed }
    switch opcode {
    case .leClearResolvingList: state.resolvingList.removeAll()
    case .leAddDeviceToResolvingList:
      guard let request = LEAddDeviceToResolvingList(&reader),
        !state.resolvingList.contains(request)
      else { return .invalidCommandParameters }
      guard state.resolvingList.entries.count < Int(configuration.resolvingListSize) else {
        return .memoryCapacityExceeded
      }
      state.resolvingList.add(request)
    case .leRemoveDeviceFromResolvingList:
      guard let peer = DeviceAddress(&reader) else { return .invalidCommandParameters }
      guard state.resolvingList.remove(peer) else { return .unknownConnectionIdentifier }
    default:
      guard let request = LESetPrivacyMode(&reader), request.mode <= 1 else {
        return .invalidCommandParameters
      }
      guard let entry = state.resolvingList.entry(request.peer) else {
        return .unknownConnectionIdentifier
      }
      entry.isInDevicePrivacyMode = request.mode == 1
    }
    return nil
  }

  /// Whether the controller advertises, scans or initiates.
  private var isUsingAddresses: Bool {
    isAdvertising || state.scan != nil || state.initiation != nil
  }
}

/// The hosts' commands for encryption. EncryptionProcedure.swift has the procedure on the link.
extension VirtualController {
  func performEncryption(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    var handleReader = reader
    guard let handle = ConnectionHandle(&handleReader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    switch opcode {
    case .leEnableEncryption:
      guard let request = LEEnableEncryption(&reader) else { return .invalidCommandParameters }
      guard end.role == .central, end.encryptionStart == nil else { return .commandDisallowed }
      accept(opcode)
      startEncryption(of: end, request)
    case .leLongTermKeyRequestReply:
      guard let request = LELongTermKeyRequestReply(&reader) else {
        return .invalidCommandParameters
      }
      guard end.isAskedForKey else { return .commandDisallowed }
      succeed(opcode, handle)
      answer(end, faults.change(request.key))
    default:
      guard end.isAskedForKey else { return .commandDisallowed }
      succeed(opcode, handle)
      answer(end, nil)
    }
    return nil
  }
}
