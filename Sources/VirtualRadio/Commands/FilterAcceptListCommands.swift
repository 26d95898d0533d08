import BluetoothHost

extension VirtualController {
  func performAcceptList(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .leReadFilterAcceptListSize:
      succeed(command) { $0.write(configuration.acceptListSize) }
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
    succeed(command)
    return nil
  }

  /// Core Specification, Vol 4, Part E, 7.8.15: the list is fixed while something filters by it.
  private var isUsingAcceptList: Bool {
    if let advertising = state.advertising,
      advertising.connectsAcceptListOnly || advertising.answersAcceptListOnly
    {
      return true
    }
    if state.scan?.parameters.acceptListOnly == true { return true }
    guard let initiation = state.initiation else { return false }
    return initiation.target == nil
  }
}
