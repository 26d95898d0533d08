// The controller's answers to commands.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  mutating func receiveCommandComplete(_ parameters: Span<UInt8>, at now: Instant) {
    guard let event = CommandComplete(parameters: parameters) else { return }
    var reader = ByteReader(event.returnParameters)
    // A response without return parameters violates the specification; it counts as success.
    let status = HCIErrorCode(rawValue: reader.readUInt8() ?? 0)
    finish(event.opcode, status: status, credits: event.commandCredits, reader: reader, at: now)
  }

  mutating func receiveCommandStatus(_ parameters: Span<UInt8>, at now: Instant) {
    guard let event = CommandStatus(parameters: parameters) else { return }
    finish(
      event.opcode, status: event.status, credits: event.commandCredits, reader: ByteReader(Span()),
      at: now)
  }

  /// The controller has not answered a command in time.
  mutating func handleTimeout(_ opcode: HCIOpcode, at now: Instant) {
    switch controller.phase {
    case .off: break
    case .starting(let step):
      // Both sides of a pairing compute with their addresses, so a host with security does not guess its own.
      if isOptional(step), !Security.isPresent || step != .readAddress {
        proceed(after: step)
      } else {
        fail(.unanswered(opcode), restartAt: now)
      }
    case .ready:
      if opcode.isNeeded || Self.isExtended && Self.isExtended(opcode) {
        fail(.unanswered(opcode), restartAt: now)
      } else {
        // A controller that does not answer about its links may answer nothing: about its advertising it must.
        // The image of a machine without security has no room for this.
        if Server.isPresent, Security.isPresent, opcode == .readRSSI, controller.checksLinks {
          serverRole.advertiser.isAdvertisingUncertain = true
        }
        // Optional commands, such as for data length and PHY: links work without them. One lost answer about a link
        // is not enough: the next one may show that the controller was reset.
        if Security.isPresent, opcode == .readRSSI, !controller.hasMissedLinkAnswer {
          controller.hasMissedLinkAnswer = true
        } else {
          controller.disableFeature(opcode)
        }
        if Security.isPresent, opcode == .leEnableEncryption {
          encryptionWasRefused(.unspecifiedError, at: now)
        }
        if Security.isPresent {
          finishSecurity(opcode, status: .unspecifiedError, ByteReader(Span()))
        }
        if Client.isPresent { reportUnreadRSSI(opcode) }
        if Client.Scanner.isExtended, opcode == .leSubrateRequest {
          controller.disableSubrating()
          finishSubrateCommand(.unspecifiedError)
        }
        controller.mayHaveCommands = true
      }
    }
  }

  /// The controller has failed: closes every link, and resets the controller at `time`.
  @inline(never) mutating func fail(_ error: ControllerError, restartAt time: Instant) {
    closeAll(reason: .hardwareFailure)
    reset()
    controller.restart()
    controller.mayHaveCommands = false
    controller.restartTime = time
    report(.fault(error))
  }

  @inline(never) private mutating func finish(
    _ opcode: HCIOpcode, status: HCIErrorCode, credits: UInt8, reader: consuming ByteReader,
    at now: Instant
  ) {
    let isExpected = commands.complete(opcode, credits: credits, at: now)
    // An unexpected answer does not bring a scheduled reset forward.
    controller.mayHaveCommands = controller.restartTime == nil
    guard isExpected else { return }
    switch controller.phase {
    case .off: break
    case .starting(let step):
      if status == .success {
        take(reader, of: step)
        proceed(after: step)
      } else if isOptional(step) {
        proceed(after: step)
      } else {
        fail(.refused(opcode, status), restartAt: now.advanced(by: CommandFlow.timeout))
      }
    case .ready: finishReady(opcode, status: status, reader, at: now)
    }
  }

  /// Whether this host works without a start-up step. One with sets needs LE Set Event Mask, since their ends are off by
  /// default (Core Specification, Vol 4, Part E, 7.8.1), and has to know whether the controller has sets.
  private func isOptional(_ step: StartUpStep) -> Bool {
    step.isOptional && !(Self.isExtended && (step == .setLEEventMask || step == .readLEFeatures))
  }

  /// Reads the return parameters of a start-up command, after its status.
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
    case .readLEFeatures: controller.features = reader.readUInt64() ?? 0
    default: break
    }
  }

  private mutating func proceed(after step: StartUpStep) {
    var next = step.next
    if next == .readBufferSize, controller.hasLEBuffers { next = .readLEFeatures }
    if next == .setHostFeature, !supportsSubrating { next = .setRandomAddress }
    if next == .setRandomAddress {
      chooseAddress()
      if controller.address.kind == .public { next = .setAdvertisingParameters }
    }
    if !Server.isPresent || isExtended, next == .setAdvertisingParameters { next = nil }
    controller.mayHaveCommands = true
    if let next {
      controller.phase = .starting(next)
    } else {
      controller.phase = .ready
      if Security.isPresent { securityRole.controllerStarted(features: controller.features) }
      report(.silent)
    }
  }

  private mutating func chooseAddress() {
    if Security.isPresent, let address = securityRole.makeAddress() {
      controller.address = address
      return
    }
    switch configuration.address {
    case .automatic(let random): controller.address = controller.publicAddress ?? random
    case .public: controller.address = controller.publicAddress ?? .zero
    case .random(let random): controller.address = random
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
    case .readRSSI: finishReadRSSI(status, reader, at: now)
    default:
      if Self.isExtended, finishExtended(opcode, status, at: now) { return }
      if Client.Scanner.isExtended, opcode == .leSubrateRequest {
        return finishSubrateCommand(status)
      }
      if Security.isPresent { finishSecurity(opcode, status: status, reader) }
    }
  }

  /// Takes the result of a Security Manager's command. An unanswered command has the status
  /// `unspecifiedError` and no parameters.
  private mutating func finishSecurity(
    _ opcode: HCIOpcode, status: HCIErrorCode, _ parameters: consuming ByteReader
  ) {
    var reader = parameters
    guard opcode == .leRand else {
      return finishPrivacy(opcode, status: status, value: reader.readUInt8() ?? 0)
    }
    securityRole.takeRandomNumber(status == .success ? reader.readUInt64() : nil)
  }

  /// Takes the result of Read RSSI: the signal strength, or that the link does not exist.
  private mutating func finishReadRSSI(
    _ status: HCIErrorCode, _ parameters: consuming ByteReader, at now: Instant
  ) {
    var reader = parameters
    if Client.isPresent, let handle = controller.checking, let index = table.index(of: handle),
      connections[index].isRSSIPending
    {
      connections[index].isRSSIPending = false
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
        // Advertising that cannot be disabled is not on.
        serverRole.advertiser.isAdvertising = serverRole.advertiser.requestedAdvertising
      } else if refuseAdvertising(opcode, status, at: now) {
        return
      }
      // The check of the links has its time, however often centrals come and go.
      if table.count == 0 { scheduleCheck(at: now) }
      reportWorking()
    case .leSetAdvertisingParameters: advertisingWasChecked(status, at: now)
    default: if status != .success { refuseAdvertising(opcode, status, at: now) }
    }
  }

  /// The controller refuses to advertise. The host tries again when a link, a connection attempt or
  /// a scan has ended, and each minute. If none is active, it resets the controller and returns true.
  @discardableResult mutating func refuseAdvertising(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, at now: Instant
  ) -> Bool {
    guard table.count == 0, !Client.isPresent || clientRole.initiator.isOff else {
      serverRole.advertiser.isAdvertisingRefused = true
      if Security.isPresent, table.count > 0 { controllerSeemsReset(at: now) }
      return false
    }
    // No link, scan or attempt explains the refusal. Perhaps the controller already advertises
    // without the host's command.
    fail(.refused(opcode, status), restartAt: now.advanced(by: CommandFlow.timeout))
    return true
  }
}

extension HCIOpcode {
  /// Whether a controller that does not answer this command has to be reset.
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
