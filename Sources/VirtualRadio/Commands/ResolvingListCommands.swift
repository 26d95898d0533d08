import BluetoothHost

extension VirtualController {
  func performPrivacy(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .leReadResolvingListSize:
      succeed(command) { $0.write(configuration.resolvingListSize) }
      return nil
    case .leReadPeerResolvableAddress, .leReadLocalResolvableAddress:
      guard let peer = DeviceAddress(&reader) else { return .invalidCommandParameters }
      let entry = state.resolvingList.entry(peer)
      let address =
        opcode == .leReadPeerResolvableAddress ? entry?.peerAddress : entry?.localAddress
      guard let address else { return .unknownConnectionIdentifier }
      succeed(command) { address.writeBytes(to: &$0) }
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
    default:
      if let status = changeResolvingList(opcode, &reader) { return status }
    }
    succeed(command)
    return nil
  }

  private func changeResolvingList(
    _ opcode: HCIOpcode, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    // Core Specification, Vol 4, Part E, 7.8.38: the list cannot change while address resolution is
    // on and the controller advertises, scans or initiates.
    guard !state.resolvingList.isEnabled || !isUsingAddresses else { return .commandDisallowed }
    switch opcode {
    case .leClearResolvingList:
      state.resolvingList.removeAll()
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
    state.advertising != nil || state.scan != nil || state.initiation != nil
  }
}
