// What the controller answers to commands.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  mutating func receiveCommandComplete(_ parameters: Span<UInt8>, at now: Instant) {
    guard let event = CommandComplete(parameters: parameters) else { return }
    var reader = ByteReader(event.returnParameters)
    // A command without return parameters, against the specification, has at least not failed.
    let status = HCIErrorCode(rawValue: reader.readUInt8() ?? 0)
    finish(
      event.opcode, status: status, credits: event.commandCredits, reader: reader, at: now)
  }

  mutating func receiveCommandStatus(_ parameters: Span<UInt8>, at now: Instant) {
    guard let event = CommandStatus(parameters: parameters) else { return }
    finish(
      event.opcode, status: event.status, credits: event.commandCredits,
      reader: ByteReader(Span()), at: now)
  }

  /// A command has been left unanswered for too long.
  mutating func giveUp(_ opcode: HCIOpcode, at now: Instant) {
    switch controller.phase {
    case .off:
      break
    case .starting(let step):
      if step.isOptional {
        proceed(after: step)
      } else {
        fail(.unanswered(opcode), restartAt: now)
      }
    case .ready:
      if opcode.isNeeded {
        fail(.unanswered(opcode), restartAt: now)
      } else {
        // Data length, PHY and the like: the link works without.
        controller.distrust(opcode)
        if Security.isPresent, opcode == .leEnableEncryption {
          encryptionWasRefused(.unspecifiedError, at: now)
        }
        if Security.isPresent {
          finishSecurity(opcode, status: .unspecifiedError, ByteReader(Span()))
        }
        if Client.isPresent { answerUnreadRSSI(opcode) }
        controller.owesCommands = true
      }
    }
  }

  /// The controller has failed: every link is forgotten, and it is reset at the given time.
  @inline(never)
  mutating func fail(_ fault: RadioFault, restartAt time: Instant) {
    closeAll(reason: .hardwareFailure)
    reset()
    controller.restart()
    controller.owesCommands = false
    controller.restartTime = time
    report(.fault(fault))
  }

  @inline(never)
  private mutating func finish(
    _ opcode: HCIOpcode, status: HCIErrorCode, credits: UInt8, reader: consuming ByteReader,
    at now: Instant
  ) {
    let isExpected = commands.complete(opcode, credits: credits, at: now)
    // A reset that waits is not hastened by a stray answer.
    controller.owesCommands = controller.restartTime == nil
    guard isExpected else { return }
    switch controller.phase {
    case .off:
      break
    case .starting(let step):
      if status == .success {
        take(reader, of: step)
        proceed(after: step)
      } else if step.isOptional {
        proceed(after: step)
      } else {
        fail(.refused(opcode, status), restartAt: now.advanced(by: CommandFlow.patience))
      }
    case .ready:
      finishReady(opcode, status: status, reader, at: now)
    }
  }

  /// Takes the return parameters of a start-up command, after its status.
  private mutating func take(_ reader: consuming ByteReader, of step: StartUpStep) {
    switch step {
    case .readAddress:
      if let address = DeviceAddress(&reader, kind: .public), address != .zero {
        controller.publicAddress = address
      }
    case .readLEBufferSize:
      guard let length = reader.readUInt16(), let count = reader.readUInt8() else { return }
      guard length > 0, count > 0 else { return }
      controller.setBuffers(length: length, count: UInt16(count))
      controller.hasLEBuffers = true
    case .readBufferSize:
      guard let length = reader.readUInt16(), reader.readUInt8() != nil,
        let count = reader.readUInt16()
      else { return }
      controller.setBuffers(length: length, count: count)
    case .readLEFeatures:
      controller.features = reader.readUInt64() ?? 0
    default:
      break
    }
  }

  private mutating func proceed(after step: StartUpStep) {
    var next = step.next
    if next == .readBufferSize, controller.hasLEBuffers { next = .readLEFeatures }
    if next == .setRandomAddress {
      chooseAddress()
      if controller.address.kind == .public { next = .setAdvertisingParameters }
    }
    if !Server.isPresent, next == .setAdvertisingParameters { next = nil }
    controller.owesCommands = true
    if let next {
      controller.phase = .starting(next)
    } else {
      controller.phase = .ready
      if Security.isPresent { securityRole.controllerStarted(features: controller.features) }
      report(.silent)
    }
  }

  private mutating func chooseAddress() {
    if Security.isPresent, let address = securityRole.makePrivateAddress() {
      controller.address = address
      return
    }
    switch configuration.address {
    case .automatic(let random):
      controller.address = controller.publicAddress ?? random
    case .public:
      controller.address = controller.publicAddress ?? .zero
    case .random(let random):
      controller.address = random
    }
  }

  private mutating func finishReady(
    _ opcode: HCIOpcode, status: HCIErrorCode, _ reader: consuming ByteReader, at now: Instant
  ) {
    switch opcode {
    case .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
      .leSetAdvertisingParameters:
      if Server.isPresent { finishAdvertising(opcode, status: status, at: now) }
      if Security.isPresent { finishPrivacy(opcode, status: status, value: 0) }
    case .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel:
      if Client.isPresent { finishInitiator(opcode, status: status) }
    case .leEnableEncryption:
      if Security.isPresent, status != .success { encryptionWasRefused(status, at: now) }
    case .disconnect where status == .unknownConnectionIdentifier:
      // The link is gone, and its Disconnection Complete was lost.
      if let handle = controller.closing, let index = table.index(of: handle),
        connections[index].timers[.close] != nil
      {
        linkIsMissing(handle, at: now)
      }
    case .readRSSI:
      finishReadRSSI(status, reader, at: now)
    default:
      if Security.isPresent {
        finishSecurity(opcode, status: status, reader)
      }
    }
  }

  /// The controller has answered a command of the Security Manager's, or left it unanswered.
  private mutating func finishSecurity(
    _ opcode: HCIOpcode, status: HCIErrorCode, _ parameters: consuming ByteReader
  ) {
    var reader = parameters
    guard opcode == .leRand else {
      return finishPrivacy(opcode, status: status, value: reader.readUInt8() ?? 0)
    }
    securityRole.takeRandomNumber(status == .success ? reader.readUInt64() : nil)
  }

  /// The controller has answered how strong the signal of a peer is; or it has no such link.
  private mutating func finishReadRSSI(
    _ status: HCIErrorCode, _ parameters: consuming ByteReader, at now: Instant
  ) {
    var reader = parameters
    if Client.isPresent, let handle = controller.checking, let index = table.index(of: handle),
      connections[index].owesRSSI
    {
      connections[index].owesRSSI = false
      let rssi = status == .success && reader.readUInt16() != nil ? reader.readInt8() : nil
      clientRole.readRSSI(
        rssi == LEAdvertisingReport.unknownRSSI ? nil : rssi, of: connections[index])
    }
    if status == .unknownConnectionIdentifier { linkIsMissing(controller.checking, at: now) }
  }

  private mutating func finishAdvertising(
    _ opcode: HCIOpcode, status: HCIErrorCode, at now: Instant
  ) {
    switch opcode {
    case .leSetAdvertisingEnable:
      if status == .success || !serverRole.advertiser.requestedAdvertising {
        // What cannot be turned off is not on.
        serverRole.advertiser.isAdvertising = serverRole.advertiser.requestedAdvertising
      } else if refuseAdvertising(opcode, status, at: now) {
        return
      }
      scheduleCheck(at: now)
      reportWorking()
    case .leSetAdvertisingParameters:
      advertisingWasChecked(status, at: now)
    default:
      if status != .success { refuseAdvertising(opcode, status, at: now) }
    }
  }

  /// The controller refuses to advertise. It is asked again when a link, an attempt to
  /// connect or a scan has ended. If there is none whose end could change its mind, it is reset; whether
  /// it was.
  @discardableResult
  private mutating func refuseAdvertising(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, at now: Instant
  ) -> Bool {
    guard table.count == 0, !Client.isPresent || clientRole.initiator.isOff else {
      serverRole.advertiser.refusesAdvertising = true
      return false
    }
    // If it is on already, as some refusals mean, then not by the host's doing.
    fail(.refused(opcode, status), restartAt: now.advanced(by: CommandFlow.patience))
    return true
  }
}

extension HCIOpcode {
  /// Whether a controller that leaves it unanswered once it is set up is of no more use.
  fileprivate var isNeeded: Bool {
    switch self {
    case .leSetAdvertisingEnable, .leSetAdvertisingParameters, .leSetAdvertisingData,
      .leSetScanResponseData, .disconnect, .leSetScanParameters, .leSetScanEnable,
      .leCreateConnection, .leCreateConnectionCancel:
      true
    default: false
    }
  }
}
