import BluetoothHost

extension Central {
  /// A command has been answered, with these parameters after the status.
  func finished(
    _ command: Command, _ status: HCIErrorCode, _ returned: Span<UInt8>, at now: Instant
  ) {
    switch command {
    case .startUp(let step, _):
      finished(step, status, returned)
    case .scanParameters, .scanEnable:
      scanChanged(command, status)
    case .createConnection:
      guard status != .success, let link = links.first(where: { $0.isAttempted }) else { return }
      refused(link, status, at: now)
    case .readRSSI(let handle, let operation):
      guard let link = link(handle), link.rssiReadings.contains(operation) else { return }
      link.rssiReadings.removeAll { $0 == operation }
      // A status, which has been taken, the handle, and the strength.
      var reader = ByteReader(returned)
      let rssi = status == .success && reader.readUInt16() != nil ? reader.readInt8() : nil
      let known = rssi == LEAdvertisingReport.unknownRSSI ? nil : rssi
      post(.completed(operation, link.id, .success(.rssi(known))))
    case .disconnect(let disconnect):
      // The link is gone already, or cannot be ended by us: either way it is of no more use.
      guard status != .success, let link = link(disconnect.handle) else { return }
      end(link, .controller(status))
    case .cancelConnection, .connectionUpdate, .parametersReply, .parametersRefusal:
      return
    }
  }

  private func scanChanged(_ command: Command, _ status: HCIErrorCode) {
    switch command {
    case .scanParameters(let options, _) where status == .success:
      scanner.state = .prepared(options)
    case .scanEnable(let enable) where enable.enable == 0:
      // A controller that refuses to stop was not scanning.
      scanner.state = .off
    case .scanEnable where status == .success:
      if case .prepared(let options) = scanner.state { scanner.state = .on(options) }
    default:
      scanner.state = .off
      scanner.wanted = nil
      post(.scanFailed(status))
    }
  }

  /// A step of the start has been answered: takes the next.
  private func finished(_ step: StartUpStep, _ status: HCIErrorCode, _ returned: Span<UInt8>) {
    guard status == .success || step.isOptional else {
      return fail(.refused(step.opcode, status))
    }
    var reader = ByteReader(returned)
    switch step {
    case .reset:
      state = .starting(.setEventMask)
    case .setEventMask:
      state = .starting(.leSetEventMask)
    case .leSetEventMask:
      state = .starting(.readAddress)
    case .readAddress:
      let own = status == .success ? DeviceAddress(&reader, kind: .public) : nil
      let isRandom = configuration.prefersRandomAddress || own == nil || own == .zero
      address = isRandom ? configuration.randomAddress : own ?? configuration.randomAddress
      state = .starting(.readLEBuffers)
    case .readLEBuffers:
      guard status == .success, let length = reader.readUInt16(), let count = reader.readUInt8(),
        budget.set(length: Int(length), total: Int(count))
      else {
        // No buffers for LE alone: it shares those for BR/EDR, 7.8.2.
        state = .starting(.readSharedBuffers)
        return
      }
      state = .starting(.readLEFeatures)
    case .readSharedBuffers:
      guard let length = reader.readUInt16(), reader.readUInt8() != nil,
        let count = reader.readUInt16(), budget.set(length: Int(length), total: Int(count))
      else { return fail(.malformed(step.opcode)) }
      state = .starting(.readLEFeatures)
    case .readLEFeatures where address.kind == .random:
      state = .starting(.setRandomAddress)
    case .readLEFeatures, .setRandomAddress:
      state = .ready
      post(.ready(address: address))
    }
  }

  /// The controller is of no use as it is: everything ends, and it is started again, unless that
  /// has been tried too often.
  func fail(_ fault: ControllerFault) {
    failures += 1
    guard failures < configuration.startAttempts else {
      post(.radioFailed(fault))
      return halt()
    }
    post(.radioFault(fault))
    restart()
  }

  /// Begins with a Reset. Attempts that the controller does not know of yet keep their turn.
  func restart() {
    forgetController(except: { $0.phase == .waiting })
    state = .starting(.reset)
  }

  /// Ends everything, until the next start.
  func halt() {
    forgetController(except: { _ in false })
    state = .stopped
  }

  /// Forgets everything that the controller had a part in.
  private func forgetController(except isKept: (Link) -> Bool) {
    gate = CommandGate()
    budget = ACLBudget()
    scanner.state = .off
    errands = []
    for link in links where !isKept(link) {
      if link.isPending { fail(link, .radioLost) } else { end(link, .radioLost) }
    }
  }
}
