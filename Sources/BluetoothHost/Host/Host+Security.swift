// Protection of links: between the Security Manager, the controller and the attributes.
// Core Specification, Vol 3, Part C, 10; Part H.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// The Security Manager has had an input about the link at `index`: sees to what it owes now, and to
  /// what protects the link.
  @inline(never)
  mutating func noteSecurity(at index: Int) {
    guard Security.isPresent, isOpen(index) else { return }
    if securityRole.hasPacket(for: connections[index]) { pending.insert(index) }
    if securityRole.owesCommand(at: index) || securityRole.owesPrivacyCommand {
      controller.owesCommands = true
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
    case .new, nil:
      break
    }
  }

  private mutating func noteClientSecurity(_ security: LinkSecurity, at index: Int) {
    clientRole.securityChanged(to: security, at: index)
    if let reason = securityRole.takeEncryptionFailure(at: index) {
      clientRole.encryptionFailed(reason, on: connections[index])
    }
    // What waited until the peer had proved itself can be sent.
    if clientRole.hasPacket(for: connections[index]) { pending.insert(index) }
  }

  /// Whether the client may neither ask the peer at `index` nor believe it before the link is encrypted.
  @inline(__always)
  func isUnproven(_ index: Int) -> Bool {
    Security.isPresent && securityRole.isUnproven(at: index)
  }

  /// The client has an operation for the peer at `index`, which may have to prove itself first.
  mutating func prove(_ index: Int) {
    guard isUnproven(index) else { return }
    securityRole.prove(at: index)
    noteSecurity(at: index)
  }

  /// The bonds of active clients get what the server knows of these. Called when there is nothing to send,
  /// since a store may write to a disk.
  @inline(never)
  mutating func keepClients() {
    var remaining = securityRole.activeClients
    while let index = remaining.first(from: 0) {
      remaining.remove(index)
      keepClient(at: index)
    }
  }

  /// The bond of the client at `index` gets what the server knows of it.
  mutating func keepClient(at index: Int) {
    guard Security.isPresent, Server.isPresent,
      securityRole.isNews(serverRole.clientState(at: index), at: index),
      let record = serverRole.clientRecord(at: index)
    else { return }
    securityRole.keep(record, at: index)
  }

  /// The same for all links, after an input that may concern any.
  mutating func noteSecurityOfAll() {
    for index in 0..<links { noteSecurity(at: index) }
    if Security.isPresent, securityRole.owesPrivacyCommand { controller.owesCommands = true }
  }

  /// Writes the command by which a link gets its key; `nil` if none is owed.
  mutating func writeKeyCommand(
    _ handle: ConnectionHandle, at index: Int, into writer: inout ByteWriter, at now: Instant
  ) -> HCIOpcode? {
    if let reply = securityRole.takeKeyReply(at: index) {
      switch reply {
      case .key(let key):
        return write(LELongTermKeyRequestReply(handle: handle, key: key), into: &writer)
      case .refusal:
        return write(LELongTermKeyRequestNegativeReply(handle: handle), into: &writer)
      }
    }
    guard securityRole.owesCommand(at: index) else { return nil }
    guard let start = securityRole.takeEncryption(at: index, at: now) else {
      // Its key has gone meanwhile.
      noteSecurity(at: index)
      return nil
    }
    controller.encrypting = handle
    return write(
      LEEnableEncryption(
        handle: handle, randomNumber: start.randomNumber,
        encryptedDiversifier: start.encryptedDiversifier, key: start.longTermKey), into: &writer)
  }

  /// The controller asks for the key of a link. Core Specification, Vol 4, Part E, 7.7.65.5.
  mutating func receiveKeyRequest(_ reader: inout ByteReader, at now: Instant) {
    guard let event = LELongTermKeyRequest(&reader), let index = table.index(of: event.handle)
    else { return }
    guard Security.isPresent else {
      connections[index].owesKeyRefusal = true
      controller.owesCommands = true
      return
    }
    securityRole.keyRequested(
      encryptedDiversifier: event.encryptedDiversifier, randomNumber: event.randomNumber,
      at: index, at: now)
    noteSecurity(at: index)
  }

  /// A link is encrypted, or no longer, or could not be.
  mutating func encryptionChanged(
    _ handle: ConnectionHandle, _ status: HCIErrorCode, isEncrypted: Bool, at now: Instant
  ) {
    guard Security.isPresent, let index = table.index(of: handle) else { return }
    if controller.encrypting == handle { controller.encrypting = nil }
    // What the client has said under the old key belongs to its bond.
    keepClient(at: index)
    securityRole.encryptionChanged(status, isEncrypted: isEncrypted, at: index, at: now)
    noteSecurity(at: index)
  }

  /// The controller refuses to encrypt a link, or leaves the command unanswered.
  mutating func encryptionWasRefused(_ status: HCIErrorCode, at now: Instant) {
    guard let handle = controller.encrypting, let index = table.index(of: handle) else { return }
    let isEncrypted = securityRole.security(at: index).contains(.encrypted)
    encryptionChanged(handle, status, isEncrypted: isEncrypted, at: now)
  }
}
