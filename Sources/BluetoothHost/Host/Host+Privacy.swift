// Private addresses and the controller's lists, between the Security Manager and the controller.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Writes the next command that brings the controller's lists and its address up to date; before the
  /// first, one that ends advertising or scanning, which go on afterwards. `nil` if none is owed, or while
  /// the controller tries to connect.
  mutating func writePrivacyCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    guard securityRole.owesPrivacyCommand, !controller.isShuttingDown else { return nil }
    if Client.isPresent {
      switch clientRole.initiator.attempt {
      case .none, .wanted: break
      case .running, .unwanted, .cancelling: return nil
      }
      if case .on = clientRole.initiator.scan {
        clientRole.initiator.requestedScan = .off
        return write(LESetScanEnable(enable: 0, filterDuplicates: 0), into: &writer)
      }
    }
    if Server.isPresent, serverRole.advertiser.isAdvertising {
      serverRole.advertiser.requestedAdvertising = false
      return write(LESetAdvertisingEnable(false), into: &writer)
    }
    guard let command = securityRole.takePrivacyCommand() else {
      // What was not reported of the pause.
      if Server.isPresent, !wantsAdvertising { reportWorking() }
      return nil
    }
    switch command {
    case .plain(let opcode):
      return write(PlainCommand(opcode), into: &writer)
    case .resolve(let isOn):
      return write(LESetAddressResolutionEnable(enable: isOn ? 1 : 0), into: &writer)
    case .addToResolvingList(let command):
      return write(command, into: &writer)
    case .setPrivacyMode(let command):
      return write(command, into: &writer)
    case .addToAcceptList(let device):
      return write(LEAddDeviceToFilterAcceptList(device: device), into: &writer)
    case .setAdvertisingParameters:
      return writeAdvertisingParameters(into: &writer)
    case .setAddress(let address):
      return write(LESetRandomAddress(address), into: &writer)
    }
  }

  /// The controller has answered a command, perhaps one of these.
  mutating func finishPrivacy(_ opcode: HCIOpcode, status: HCIErrorCode, value: UInt8) {
    guard let address = securityRole.finishPrivacyCommand(opcode, status, value: value) else {
      return
    }
    controller.address = address
  }

  /// Whether the controller has stopped advertising for a moment only.
  var isAdvertisingPaused: Bool {
    securityRole.owesPrivacyCommand && wantsAdvertising
  }

  /// Whether both addresses are those of one device.
  func isSame(_ peer: DeviceAddress, _ other: DeviceAddress) -> Bool {
    let first = securityRole.identityAddress(of: peer)
    let second = securityRole.identityAddress(of: other)
    return first.bytes.span.hasSameBytes(as: second.bytes.span)
  }
}
