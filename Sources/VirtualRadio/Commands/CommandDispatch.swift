import BluetoothHost

extension VirtualController {
  /// The number of unread packets at which a controller drops commands.
  private static let unreadLimit = 1_000

  /// Answers one command.
  func receiveCommand(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) {
    // A host that never reads must not make the queue grow without limit.
    guard outgoing.count < Self.unreadLimit || opcode == .reset else {
      counters.droppedCommands += 1
      return
    }
    let definition = CommandDefinition.find(opcode, for: configuration)
    if let refusal {
      counters.refusedCommands += 1
      guard let definition else { return refuseUnknown(opcode) }
      return refuse(definition, refusal, parameters)
    }
    switch faults.takeCommandChange(opcode) {
    case .leaveUnanswered:
      counters.unansweredCommands += 1
      return
    case .refuse(let status):
      guard let definition else { return refuseUnknown(opcode) }
      return refuse(definition, status, parameters)
    case nil:
      break
    }
    guard let definition else { return refuseUnknown(opcode) }
    guard parameters.count == definition.parameterLength else {
      return refuse(definition, .invalidCommandParameters, parameters)
    }
    if faults.takeLinkLoss(opcode) { loseLink(of: parameters) }
    if let status = perform(opcode, definition, parameters) {
      refuse(definition, status, parameters)
    }
  }

  /// Executes and answers the command, or returns the status to refuse it with.
  private func perform(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ parameters: Span<UInt8>
  ) -> HCIErrorCode? {
    var reader = ByteReader(parameters)
    switch opcode {
    case .reset, .setEventMask, .leSetEventMask, .leEncrypt, .leRand, .readRSSI:
      return performBasic(opcode, command, &reader)
    case .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures,
      .readBufferSize, .readBDADDR, .leReadBufferSize, .leReadLocalSupportedFeatures,
      .leReadSupportedStates, .leReadAdvertisingChannelTxPower:
      answerInformational(opcode, command)
      return nil
    case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData,
      .leSetScanResponseData, .leSetAdvertisingEnable:
      return performAdvertising(opcode, command, &reader)
    case .leSetScanParameters, .leSetScanEnable:
      return performScanning(opcode, command, &reader)
    case .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
      .leRemoveDeviceFromFilterAcceptList:
      return performAcceptList(opcode, command, &reader)
    case .leCreateConnection, .leCreateConnectionCancel:
      return performInitiation(opcode, command, &reader)
    case .disconnect, .readRemoteVersionInformation, .leReadRemoteFeatures:
      return performLink(opcode, command, &reader)
    case .leConnectionUpdate, .leRemoteConnectionParameterRequestReply,
      .leRemoteConnectionParameterRequestNegativeReply:
      return performUpdate(opcode, command, &reader)
    case .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength,
      .leReadMaximumDataLength:
      return performDataLength(opcode, command, &reader)
    case .leReadPHY, .leSetDefaultPHY, .leSetPHY:
      return performPHY(opcode, command, &reader)
    case .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2:
      guard case .refused(let status) = configuration.p256Commands else { return .unknownCommand }
      return status
    case .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
      .leReadResolvingListSize, .leReadPeerResolvableAddress, .leReadLocalResolvableAddress,
      .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode:
      return performPrivacy(opcode, command, &reader)
    case .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply:
      return performEncryption(opcode, command, &reader)
    default:
      return .unknownCommand
    }
  }

  /// Breaks the contact on the link in a command's first parameter.
  private func loseLink(of parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    guard let air, let handle = ConnectionHandle(&reader) else { return }
    link(handle)?.breakContact(at: air.now)
  }

  private func performBasic(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    switch opcode {
    case .reset:
      resetState()
      succeed(command)
    case .setEventMask:
      guard let request = SetEventMask(&reader) else { return .invalidCommandParameters }
      state.eventMask = request.mask
      succeed(command)
    case .leSetEventMask:
      guard let request = LESetEventMask(&reader) else { return .invalidCommandParameters }
      state.leEventMask = request.mask
      succeed(command)
    case .leEncrypt:
      guard let request = LEEncrypt(&reader) else { return .invalidCommandParameters }
      let block = AES128(key: request.key).encrypt(request.plaintext)
      succeed(command) { block.write(to: &$0) }
    case .leRand:
      let value = random.next()
      succeed(command) { $0.write(value) }
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      let transmitter = end.peer?.controller
      let strength =
        transmitter.flatMap { air?.signalStrength(from: $0, to: self) } ?? nil
      succeed(command, handle) { $0.write(strength ?? LEAdvertisingReport.unknownRSSI) }
    }
    return nil
  }
}

/// The controller's information about itself.
extension VirtualController {
  /// Bluetooth 5.0. Assigned Numbers, 2.1.
  static let coreVersion: UInt8 = 0x09
  /// The company identifier for internal use. Assigned Numbers, 7.1.
  static let company: UInt16 = 0xFFFF

  /// Answers a command that only reads.
  func answerInformational(_ opcode: HCIOpcode, _ command: CommandDefinition) {
    switch opcode {
    case .readLocalVersionInformation:
      succeed(command) { writer in
        writer.write(Self.coreVersion)
        writer.write(UInt16(0))  // HCI subversion
        writer.write(Self.coreVersion)  // Link layer version
        writer.write(Self.company)
        writer.write(UInt16(0))  // Link layer subversion
      }
    case .readLocalSupportedCommands:
      let mask = supportedCommands
      succeed(command) { $0.write(mask.span) }
    case .readLocalSupportedFeatures:
      // Octet 4: BR/EDR Not Supported (bit 5), LE Supported (Controller) (bit 6).
      succeed(command) { $0.write(UInt64(0x60) &<< 32) }
    case .readBufferSize:
      succeed(command) { writer in
        writer.write(configuration.aclDataLength)
        writer.write(UInt8(0))  // No synchronous data,
        writer.write(UInt16(configuration.aclPacketCount))
        writer.write(UInt16(0))  // and no buffers for it.
      }
    case .readBDADDR:
      succeed(command) { address.writeBytes(to: &$0) }
    case .leReadBufferSize:
      succeed(command) { writer in
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclDataLength)
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclPacketCount)
      }
    case .leReadLocalSupportedFeatures:
      succeed(command) { $0.write(configuration.features) }
    case .leReadSupportedStates:
      // Every combination of roles: bits 0 to 41. Core Specification, Vol 4, Part E, 7.8.27.
      succeed(command) { $0.write(UInt64(0x0000_03FF_FFFF_FFFF)) }
    default:
      succeed(command) { $0.write(Int8(0)) }  // Tx power, in dBm
    }
  }

  /// A bit for each known command of the table.
  private var supportedCommands: [UInt8] {
    var mask = [UInt8](repeating: 0, count: 64)
    for definition in CommandDefinition.all where definition.isKnown(to: configuration) {
      guard let position = definition.supportedBit else { continue }
      mask[position.octet] |= 1 << UInt8(position.bit)
    }
    return mask
  }
}
