// Private addresses and the controller's lists: the Security Manager's commands.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Writes the next command that updates the controller's lists or address. Before the first one
  /// it pauses advertising, scanning or connecting. `nil` if no command is pending, or until the
  /// controller has stopped connecting.
  mutating func writePrivacyCommand(
    into writer: inout ByteWriter, at now: Instant
  ) -> HCIOpcode? {
    guard securityRole.hasPrivacyCommand, !controller.isShuttingDown else { return nil }
    if Client.isPresent {
      switch clientRole.initiator.attempt {
      case .none, .wanted: break
      case .running: return writeCancel(.pausing, into: &writer, at: now)
      case .unwanted, .cancelling, .pausing: return nil
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
      // Reports the changes that the pause hid.
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

  /// Takes the result of a command, if it is one of these.
  mutating func finishPrivacy(_ opcode: HCIOpcode, status: HCIErrorCode, value: UInt8) {
    guard let address = securityRole.finishPrivacyCommand(opcode, status, value: value) else {
      return
    }
    controller.address = address
  }

  /// Whether advertising is paused for a change of the controller's lists or address.
  var isAdvertisingPaused: Bool {
    securityRole.hasPrivacyCommand && wantsAdvertising
  }

  /// Whether both addresses belong to one device.
  func isSame(_ peer: DeviceAddress, _ other: DeviceAddress) -> Bool {
    let first = securityRole.identityAddress(of: peer)
    let second = securityRole.identityAddress(of: other)
    return first.bytes.span.hasSameBytes(as: second.bytes.span)
  }
}
