// Protection of links: between the Security Manager, the controller and the attributes.
// Core Specification, Vol 3, Part C, 10; Part H.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Acts on a change in the Security Manager for the link at `index`: its pending PDUs and
  /// commands, and the link's security.
  @inline(never) mutating func noteSecurity(at index: Int) {
    guard Security.isPresent, isOpen(index) else { return }
    pendingSecurity.remove(index)
    if securityRole.hasPacket(for: connections[index]) {
      pending.insert(index)
      pendingSecurity.insert(index)
    }
    if securityRole.hasCommand(at: index) || securityRole.hasPrivacyCommand {
      controller.mayHaveCommands = true
    }
    let security = securityRole.security(at: index)
    if Server.isPresent { noteServerSecurity(security, at: index) }
    if Client.isPresent { noteClientSecurity(security, at: index) }
  }

  private mutating func noteServerSecurity(_ security: LinkSecurity, at index: Int) {
    serverRole.securityChanged(to: security, at: index)
    switch securityRole.takeRecognition(at: index) {
    case .known(let record):
      serverRole.restore(record, at: index)
      blocked = .none
    case .new, nil: break
    }
  }

  private mutating func noteClientSecurity(_ security: LinkSecurity, at index: Int) {
    clientRole.securityChanged(to: security, at: index)
    if let reason = securityRole.takeEncryptionFailure(at: index) {
      clientRole.encryptionFailed(reason, on: connections[index])
    }
    // PDUs that waited for encryption can be sent now.
    if clientRole.hasPacket(for: connections[index]) { pending.insert(index) }
  }

  /// Whether the client must wait for encryption before it exchanges PDUs with the peer at `index`.
  @inline(__always) func requiresEncryption(_ index: Int) -> Bool {
    Security.isPresent && securityRole.requiresEncryption(at: index)
  }

  /// Encrypts the link at `index` first if the client's operation requires it.
  mutating func encrypt(_ index: Int) {
    guard requiresEncryption(index) else { return }
    securityRole.encrypt(at: index)
    noteSecurity(at: index)
  }

  /// Saves the server's state of active clients to their bonds. Called when there is nothing to
  /// send, since a store may write to a disk.
  @inline(never) mutating func saveClients() {
    var remaining = securityRole.activeClients
    while let index = remaining.first(from: 0) {
      remaining.remove(index)
      saveClient(at: index)
    }
  }

  /// Saves the server's state of the client at `index` to its bond.
  mutating func saveClient(at index: Int) {
    guard Security.isPresent, Server.isPresent,
      securityRole.takeChange(of: serverRole.clientState(at: index), at: index),
      let record = serverRole.clientRecord(at: index)
    else { return }
    securityRole.save(record, at: index)
  }

  /// Calls `noteSecurity(at:)` for all links, after a change that may affect any of them.
  mutating func noteSecurityOfAll() {
    for index in 0..<links { noteSecurity(at: index) }
    if Security.isPresent, securityRole.hasPrivacyCommand { controller.mayHaveCommands = true }
  }

  /// Writes the command that gives the controller a link's key; `nil` if none is pending.
  mutating func writeKeyCommand(
    _ handle: ConnectionHandle, at index: Int, into writer: inout ByteWriter, at now: Instant
  ) -> HCIOpcode? {
    if let reply = securityRole.takeKeyReply(at: index) {
      switch reply {
      case .key(let key):
        return write(LELongTermKeyRequestReply(handle: handle, key: key), into: &writer)
      case .negative: return write(LELongTermKeyRequestNegativeReply(handle: handle), into: &writer)
      }
    }
    guard securityRole.hasCommand(at: index) else { return nil }
    guard let start = securityRole.takeEncryption(at: index, at: now) else {
      // The key was removed in the meantime.
      noteSecurity(at: index)
      return nil
    }
    controller.encrypting = handle
    return write(
      LEEnableEncryption(
        handle: handle, randomNumber: start.randomNumber,
        encryptedDiversifier: start.encryptedDiversifier, key: start.longTermKey), into: &writer)
  }

  /// Takes a Long Term Key Request event: Core Specification, Vol 4, Part E, 7.7.65.5.
  mutating func receiveKeyRequest(_ reader: inout ByteReader, at now: Instant) {
    guard let event = LELongTermKeyRequest(&reader), let index = table.index(of: event.handle)
    else { return }
    guard Security.isPresent else {
      connections[index].isNegativeKeyReplyPending = true
      controller.mayHaveCommands = true
      return
    }
    securityRole.keyRequested(
      encryptedDiversifier: event.encryptedDiversifier, randomNumber: event.randomNumber, at: index,
      at: now)
    noteSecurity(at: index)
  }

  /// Encryption of a link was turned on or off, or failed.
  mutating func encryptionChanged(
    _ handle: ConnectionHandle, _ status: HCIErrorCode, isEncrypted: Bool, at now: Instant
  ) {
    guard Security.isPresent, let index = table.index(of: handle) else { return }
    if controller.encrypting == handle { controller.encrypting = nil }
    // The client's state under the old key belongs to the old bond.
    saveClient(at: index)
    securityRole.encryptionChanged(status, isEncrypted: isEncrypted, at: index, at: now)
    noteSecurity(at: index)
  }

  /// The controller refuses to encrypt a link, or does not answer the command.
  mutating func encryptionWasRefused(_ status: HCIErrorCode, at now: Instant) {
    guard let handle = controller.encrypting, let index = table.index(of: handle) else { return }
    let isEncrypted = securityRole.security(at: index).contains(.encrypted)
    encryptionChanged(handle, status, isEncrypted: isEncrypted, at: now)
  }
}

// Private addresses and the controller's lists: the Security Manager's commands.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Writes the next command that updates the controller's lists or address. Before the first one
  /// it pauses advertising, scanning or connecting. `nil` if no command is pending, or until the
  /// controller has stopped connecting.
  mutating func writePrivacyCommand(into writer: inout ByteWriter, at now: Instant) -> HCIOpcode? {
    guard securityRole.hasPrivacyCommand, !controller.isShuttingDown else { return nil }
    if Client.isPresent {
      switch clientRole.initiator.attempt {
      case .none, .wanted: break
      case .running: return writeCancel(.pausing, into: &writer, at: now)
      case .unwanted, .cancelling, .pausing: return nil
      }
      if case .on = clientRole.initiator.scan { return writeScanEnd(into: &writer) }
    }
    if Server.isPresent, serverRole.advertiser.isAdvertising {
      if isExtended { return serverRole.sets.writeStop(into: &writer) }
      serverRole.advertiser.requestedAdvertising = false
      // If the controller was reset without a word, it has lost all of these: it would advertise its public
      // address, and no name.
      serverRole.advertiser.areParametersPending = true
      serverRole.advertiser.isAdvertisingDataPending = true
      serverRole.advertiser.isScanResponseDataPending = true
      return write(LESetAdvertisingEnable(false), into: &writer)
    }
    guard let command = securityRole.takePrivacyCommand() else {
      // Reports the changes that the pause hid.
      if Server.isPresent, !wantsAdvertising { reportWorking() }
      return nil
    }
    switch command {
    case .plain(let opcode): return write(PlainCommand(opcode), into: &writer)
    case .resolve(let isOn):
      return write(LESetAddressResolutionEnable(enable: isOn ? 1 : 0), into: &writer)
    case .addToResolvingList(let command): return write(command, into: &writer)
    case .setPrivacyMode(let command): return write(command, into: &writer)
    case .addToAcceptList(let device):
      return write(LEAddDeviceToFilterAcceptList(device: device), into: &writer)
    case .setAdvertisingParameters:
      guard isExtended else { return writeAdvertisingParameters(into: &writer) }
      // The sets get their parameters when they start again.
      finishPrivacy(.leSetAdvertisingParameters, status: .success, value: 0)
      return writePrivacyCommand(into: &writer, at: now)
    case .setAddress(let address): return write(LESetRandomAddress(address), into: &writer)
    }
  }

  /// Takes the result of a command, if it is one of these.
  mutating func finishPrivacy(_ opcode: HCIOpcode, status: HCIErrorCode, value: UInt8) {
    guard let address = securityRole.finishPrivacyCommand(opcode, status, value: value) else {
      return
    }
    controller.address = address
    if Server.isPresent, Server.Sets.isPresent { serverRole.sets.restart() }
  }

  /// Whether advertising is paused for a change of the controller's lists or address.
  var isAdvertisingPaused: Bool { securityRole.hasPrivacyCommand && wantsAdvertising }

  /// Whether both addresses belong to one device.
  func isSame(_ peer: DeviceAddress, _ other: DeviceAddress) -> Bool {
    let first = securityRole.identityAddress(of: peer)
    let second = securityRole.identityAddress(of: other)
    return first.bytes.span.hasSameBytes(as: second.bytes.span)
  }
}
