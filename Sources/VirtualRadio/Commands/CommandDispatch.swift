import BluetoothHost

/// What a virtual controller needs for a command.
enum CommandNeed: Equatable {
  case nothing
  case dataLengthExtension
  case phys
  case extendedAdvertising
  case periodicAdvertising
  case subrating
  case encryption
  case privacy
  /// The configuration that refuses the commands of P-256.
  case p256
}

extension HCIOpcode {
  /// The commands of virtual controllers, in the order of their opcodes. Each group of commands has
  /// fewer than 256 (Core Specification, Vol 4, Part E, 7).
  static let simulated = [0x0400, 0x0C00, 0x1000, 0x1400, 0x2000].flatMap { (group: UInt16) in
    (group..<group + 0x100).map { HCIOpcode(rawValue: $0) }.filter { $0.need != nil }
  }

  /// What a virtual controller needs for the command; `nil` if none knows it.
  var need: CommandNeed? {
    switch self {
    case .leEncrypt, .leEnableEncryption, .leLongTermKeyRequestReply,
      .leLongTermKeyRequestNegativeReply:
      .encryption
    case .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength,
      .leReadMaximumDataLength:
      .dataLengthExtension
    case .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2: .p256
    case .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
      .leReadResolvingListSize, .leReadPeerResolvableAddress, .leReadLocalResolvableAddress,
      .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode:
      .privacy
    case .leReadPHY, .leSetDefaultPHY, .leSetPHY: .phys
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
      .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
      .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
      .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
      .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection:
      .extendedAdvertising
    case .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .lePeriodicAdvertisingCreateSync,
      .lePeriodicAdvertisingCreateSyncCancel, .lePeriodicAdvertisingTerminateSync,
      .leAddDeviceToPeriodicAdvertiserList, .leRemoveDeviceFromPeriodicAdvertiserList,
      .leClearPeriodicAdvertiserList, .leReadPeriodicAdvertiserListSize:
      .periodicAdvertising
    case .leSetHostFeature, .leSetDefaultSubrate, .leSubrateRequest: .subrating
    case .leReadBufferSizeV2: nil
    default: declaration == nil ? nil : .nothing
    }
  }

  /// The family of commands for advertising, scanning and connecting that it belongs to; `nil` for
  /// others: Core Specification, Vol 4, Part E, 3.1.1.
  fileprivate var advertisingCommands: AdvertisingCommands? {
    switch self {
    case .leSetAdvertisingParameters, .leReadAdvertisingChannelTxPower, .leSetAdvertisingData,
      .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
      .leCreateConnection:
      .legacy
    default: need == .extendedAdvertising || need == .periodicAdvertising ? .extended : nil
    }
  }
}

extension ControllerConfiguration {
  /// The declaration of a command; `nil` if a controller of this configuration does not know it.
  func declaration(of opcode: HCIOpcode) -> HCICommandDeclaration? {
    let isKnown =
      switch opcode.need {
      case .nothing?: true
      case .dataLengthExtension?: supportsDataLengthExtension
      case .phys?: supports2MPHY || supportsCodedPHY
      case .extendedAdvertising?: supportsExtendedAdvertising
      case .periodicAdvertising?: supportsExtendedAdvertising && supportsPeriodicAdvertising
      case .subrating?: supportsSubrating
      case .encryption?: supportsEncryption
      case .privacy?: supportsPrivacy
      case .p256?: p256Commands != .unknown
      case nil: false
      }
    return isKnown ? opcode.declaration : nil
  }
}

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
    if let refusal {
      counters.refusedCommands += 1
      return refuse(opcode, refusal, parameters)
    }
    switch faults.takeCommandChange(opcode) {
    case .leaveUnanswered:
      counters.unansweredCommands += 1
      return
    case .refuse(let status): return refuse(opcode, status, parameters)
    case nil: break
    }
    guard let declaration = configuration.declaration(of: opcode) else {
      if onUnknownCommand?(opcode, parameters) == true { return }
      return refuse(opcode, .unknownCommand, parameters)
    }
    let length = declaration.parameterLength
    guard
      declaration.hasVariableLength ? parameters.count >= length : parameters.count == length
    else { return refuse(opcode, .invalidCommandParameters, parameters) }
    if let commands = opcode.advertisingCommands {
      guard commands == state.advertisingCommands ?? commands else {
        return refuse(opcode, .commandDisallowed, parameters)
      }
      state.advertisingCommands = commands
    }
    if faults.takeLinkLoss(opcode) { loseLink(of: parameters) }
    if let status = perform(opcode, parameters) { refuse(opcode, status, parameters) }
  }

  /// Executes and answers the command, or returns the status to refuse it with.
  private func perform(_ opcode: HCIOpcode, _ parameters: Span<UInt8>) -> HCIErrorCode? {
    var reader = ByteReader(parameters)
    switch opcode.need {
    case .dataLengthExtension?: return performDataLength(opcode, &reader)
    case .phys?: return performPHY(opcode, &reader)
    case .privacy?: return performPrivacy(opcode, &reader)
    case .periodicAdvertising?: return performPeriodicAdvertising(opcode, &reader)
    case .subrating?: return performSubrating(opcode, &reader)
    case .encryption? where opcode != .leEncrypt: return performEncryption(opcode, &reader)
    case .p256?:
      guard case .refused(let status) = configuration.p256Commands else { return .unknownCommand }
      return status
    default: break
    }
    switch opcode {
    case .reset, .setEventMask, .leSetEventMask, .leEncrypt, .leRand, .readRSSI:
      return performBasic(opcode, &reader)
    case .readLocalName, .readLocalVersionInformation, .readLocalSupportedCommands,
      .readLocalSupportedFeatures, .readBufferSize, .readBDADDR, .leReadBufferSize,
      .leReadLocalSupportedFeatures,
      .leReadSupportedStates, .leReadAdvertisingChannelTxPower:
      answerInformational(opcode)
      return nil
    case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData,
      .leSetScanResponseData, .leSetAdvertisingEnable:
      return performAdvertising(opcode, &reader)
    case .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters,
      .leSetExtendedScanEnable:
      return performScanning(opcode, &reader)
    case .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
      .leRemoveDeviceFromFilterAcceptList:
      return performAcceptList(opcode, &reader)
    case .leCreateConnection, .leExtendedCreateConnection, .leCreateConnectionCancel:
      return performInitiation(opcode, &reader)
    case .disconnect, .readRemoteVersionInformation, .leReadRemoteFeatures:
      return performLink(opcode, &reader)
    case .leConnectionUpdate, .leRemoteConnectionParameterRequestReply,
      .leRemoteConnectionParameterRequestNegativeReply:
      return performUpdate(opcode, &reader)
    case _ where opcode.need == .extendedAdvertising: return performAdvertisingSets(opcode, &reader)
    default: return .unknownCommand
    }
  }

  /// Breaks the contact on the link in a command's first parameter.
  private func loseLink(of parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    guard let air, let handle = ConnectionHandle(&reader) else { return }
    link(handle)?.breakContact(at: air.now)
  }

  private func performBasic(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .reset:
      resetState()
      succeed(opcode)
    case .setEventMask:
      guard let request = SetEventMask(&reader) else { return .invalidCommandParameters }
      state.eventMask = request.mask
      succeed(opcode)
    case .leSetEventMask:
      guard let request = LESetEventMask(&reader) else { return .invalidCommandParameters }
      state.leEventMask = request.mask
      succeed(opcode)
    case .leEncrypt:
      guard let request = LEEncrypt(&reader) else { return .invalidCommandParameters }
      let block = AES128(key: request.key).encrypt(request.plaintext)
      succeed(opcode) { block.write(to: &$0) }
    case .leRand:
      let value = random.next()
      succeed(opcode) { $0.write(value) }
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      let transmitter = end.peer?.controller
      let strength = transmitter.flatMap { air?.signalStrength(from: $0, to: self) } ?? nil
      succeed(opcode, handle) { $0.write(strength ?? LEAdvertisingReport.unknownRSSI) }
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
  /// The name for a host that reads it. Drivers of some chips, such as Linux's btbcm, need one, although a
  /// controller without BR/EDR has none.
  static let name = "Virtual controller"

  /// Answers a command that only reads.
  func answerInformational(_ opcode: HCIOpcode) {
    switch opcode {
    case .readLocalName:
      // A name is 248 bytes long: 7.3.12.
      succeed(opcode) { writer in
        for byte in Self.name.utf8 { writer.write(byte) }
        for _ in Self.name.utf8.count..<248 { writer.write(UInt8(0)) }
      }
    case .readLocalVersionInformation:
      succeed(opcode) { writer in
        writer.write(Self.coreVersion)
        writer.write(UInt16(0))  // HCI subversion
        writer.write(Self.coreVersion)  // Link layer version
        writer.write(Self.company)
        writer.write(UInt16(0))  // Link layer subversion
      }
    case .readLocalSupportedCommands:
      let mask = supportedCommands
      succeed(opcode) { $0.write(mask.span) }
    case .readLocalSupportedFeatures:
      // Octet 4: BR/EDR Not Supported (bit 5), LE Supported (Controller) (bit 6).
      succeed(opcode) { $0.write(UInt64(0x60) &<< 32) }
    case .readBufferSize:
      succeed(opcode) { writer in
        writer.write(configuration.aclDataLength)
        writer.write(UInt8(0))  // No synchronous data,
        writer.write(UInt16(configuration.aclPacketCount))
        writer.write(UInt16(0))  // and no buffers for it.
      }
    case .readBDADDR: succeed(opcode) { address.writeBytes(to: &$0) }
    case .leReadBufferSize:
      succeed(opcode) { writer in
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclDataLength)
        writer.write(configuration.sharesBuffers ? 0 : configuration.aclPacketCount)
      }
    case .leReadLocalSupportedFeatures: succeed(opcode) { $0.write(features) }
    case .leReadSupportedStates:
      // Every combination of roles: bits 0 to 41. Core Specification, Vol 4, Part E, 7.8.27.
      succeed(opcode) { $0.write(UInt64(0x0000_03FF_FFFF_FFFF)) }
    default: succeed(opcode) { $0.write(Int8(0)) }  // Tx power, in dBm
    }
  }

  /// A bit for each known command.
  private var supportedCommands: [UInt8] {
    var mask = [UInt8](repeating: 0, count: 64)
    for opcode in HCIOpcode.simulated {
      guard let bit = configuration.declaration(of: opcode)?.supportedBit else { continue }
      mask[bit.octet] |= 1 << UInt8(bit.bit)
    }
    return mask
  }
}
