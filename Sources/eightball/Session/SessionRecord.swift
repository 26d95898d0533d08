import BluetoothHost

/// A session as a file for `eightball replay`: the peripheral, as far as the session shows it, and the steps.
struct SessionRecord {
  private(set) var description: PeripheralDescription
  /// What the file lacks, each as a sentence.
  private(set) var warnings: [String] = []

  /// A value that the steps may name.
  private struct Place {
    let handle: UInt16
    let label: String
    let properties: GATTProperties
    /// Whether it is the Client Characteristic Configuration of the label's characteristic.
    var isConfiguration = false
  }

  private var places: [Place] = []
  private var start: UInt64 = 0
  /// The parts of values that wait for the Execute Write Request.
  private var prepared: [(handle: UInt16, bytes: [UInt8])] = []
  /// How many exchanges concern attributes that the session did not discover.
  private var unknown = 0

  /// The session in a transcript.
  ///
  /// - Parameter peer: The address of the other device; `nil` if there is only one.
  /// - Throws: Why there is no session, or that there are several.
  init(_ transcript: Transcript, with peer: DeviceAddress?) throws(CaptureError) {
    let all = transcript.links.filter { !$0.exchanges.isEmpty }
    let links = all.filter { link in
      peer.map { link.peer?.bytes.span.hasSameBytes(as: $0.bytes.span) == true } ?? true
    }
    guard let first = links.first else {
      throw CaptureError(
        peer.map { "The capture has no session with \($0.text)." }
          ?? "The capture has no packets of the Attribute Protocol.")
    }
    guard links.allSatisfy({ $0.peer == first.peer && $0.isCentral == first.isCentral }) else {
      var names: [String] = []
      for link in links {
        let name = link.peer?.text ?? "a device without an address"
        if !names.contains(name) { names.append(name) }
      }
      throw CaptureError(
        "The capture has sessions with \(names.joined(separator: ", ")): choose one with --peer.")
    }
    if let warning = transcript.warning(about: "steps") { warnings.append(warning) }
    let copy = DeviceCopy(links, of: transcript.peripheral(of: first))
    description = copy.description
    findPlaces()
    for exchange in links.flatMap(\.exchanges) { noteProtection(exchange) }
    start = first.start
    for link in links { add(link) }
    if let stepWarning { warnings.append(stepWarning) }
    for fault in copy.faults(of: description) { warnings.append(fault) }
  }

  /// The warning about steps that are left out; `nil` if none is.
  var stepWarning: String? {
    guard unknown > 0 else { return nil }
    return "\(unknown == 1 ? "1 step is" : "\(unknown) steps are") left out: the session did not "
      + "discover their attributes."
  }

  /// The places of all values that the application of a peripheral serves. The host serves the others.
  private mutating func findPlaces() {
    let database = PeripheralDatabase(description)
    for service in description.services {
      for characteristic in service.characteristics {
        let label = service.label + "." + characteristic.label
        let isServed = database.serves(characteristic.valueHandle)
        if isServed {
          places.append(
            Place(
              handle: characteristic.valueHandle, label: label,
              properties: characteristic.properties))
        }
        for descriptor in characteristic.descriptors {
          if descriptor.isConfiguration, isServed {
            places.append(
              Place(
                handle: descriptor.handle, label: label, properties: .read | .write,
                isConfiguration: true))
          } else if database.serves(descriptor.handle) {
            places.append(
              Place(
                handle: descriptor.handle, label: label + "." + descriptor.label,
                properties: descriptor.properties))
          }
        }
      }
    }
  }

  /// Protects what the central could not write or subscribe to without encryption.
  private mutating func noteProtection(_ exchange: Transcript.Exchange) {
    guard let error = exchange.error, exchange.opcode != .readRequest,
      error.code.wantsProtection,
      let place = places.first(where: { $0.handle == error.handle.rawValue })
    else { return }
    var security = place.isConfiguration ? AttributeProtection.updateEncrypted : .writeEncrypted
    if exchange.isEncrypted {
      security = place.isConfiguration ? .updateAuthenticated : .writeAuthenticated
    }
    for service in description.services.indices {
      for index in description.services[service].characteristics.indices {
        let characteristic = description.services[service].characteristics[index]
        if place.label == description.services[service].label + "." + characteristic.label {
          description.services[service].characteristics[index].security =
            characteristic.security | security
        }
      }
    }
  }

  // MARK: Steps

  private func milliseconds(_ time: UInt64) -> UInt32 {
    UInt32(clamping: (max(time, start) - start) / 1_000)
  }

  /// Adds a step, not before the last one: a wall clock may be set back.
  private mutating func append(_ step: SessionStep) {
    var step = step
    step.time = max(step.time, description.steps.last?.time ?? 0)
    description.steps.append(step)
  }

  private mutating func add(_ link: Transcript.Link) {
    append(SessionStep(time: milliseconds(link.start), action: .connect))
    prepared = []
    for exchange in link.exchanges { add(exchange) }
    if let end = link.end {
      append(
        SessionStep(
          time: milliseconds(end), action: link.isEndedByPeripheral ? .drop : .disconnect))
    }
  }

  private mutating func add(
    _ action: SessionStep.Action, _ handle: UInt16, _ value: [UInt8],
    _ exchange: Transcript.Exchange
  ) {
    guard let place = places.first(where: { $0.handle == handle }) else {
      // What the host serves by itself is no loss.
      if !description.hasAttribute(at: handle) { unknown += 1 }
      return
    }
    var step = SessionStep(
      time: milliseconds(exchange.time), action: action, label: place.label, value: value,
      error: exchange.error?.code.rawValue, wait: exchange.wait)
    if let code = exchange.error?.code, code.isServers(action, place.properties) { return }
    if place.isConfiguration {
      // The host refuses or accepts it, at once.
      guard action == .write, step.error == nil, let bits = value.first else { return }
      step.action = .subscribe
      step.value = [bits & 3]
      step.wait = 0
    }
    append(step)
  }

  private mutating func add(_ exchange: Transcript.Exchange) {
    var request = ByteReader(exchange.pdu.span)
    _ = request.readUInt8()
    switch exchange.opcode {
    case .readRequest, .readMultipleVariableRequest, .readByTypeRequest:
      let values = exchange.readValues
      for (handle, value) in values { add(.read, handle, value, exchange) }
      if let error = exchange.error, exchange.opcode == .readRequest {
        add(.read, error.handle.rawValue, [], exchange)
      }
    case .readBlobRequest:
      // The next part of the last value that was read.
      guard let blob = ReadBlobRequest(&request), exchange.error == nil,
        let label = places.first(where: { $0.handle == blob.handle.rawValue })?.label,
        let index = description.steps.lastIndex(where: { $0.action == .read }),
        description.steps[index].label == label,
        description.steps[index].value.count == Int(blob.offset)
      else { return }
      description.steps[index].value += exchange.response.dropFirst()
    case .writeRequest, .writeCommand, .signedWriteCommand:
      guard let handle = request.readUInt16(),
        exchange.opcode.isCommand || !exchange.response.isEmpty
      else { return }
      add(
        exchange.opcode.isCommand ? .writeCommand : .write, handle,
        [UInt8](request.readRemaining()), exchange)
    case .prepareWriteRequest:
      guard let part = PrepareWrite(request), exchange.error == nil else { return }
      if part.offset > 0,
        let index = prepared.lastIndex(where: { $0.handle == part.handle.rawValue })
      {
        prepared[index].bytes += [UInt8](part.value)
      } else {
        prepared.append((part.handle.rawValue, [UInt8](part.value)))
      }
    case .executeWriteRequest:
      if ExecuteWriteRequest(&request)?.writes == true {
        for write in prepared { add(.write, write.handle, write.bytes, exchange) }
      }
      prepared = []
    case .handleValueNotification, .handleValueIndication:
      guard let handle = request.readUInt16() else { return }
      add(
        exchange.opcode == .handleValueIndication ? .indicate : .notify, handle,
        [UInt8](request.readRemaining()), exchange)
    case .multipleHandleValueNotification:
      while let handle = request.readUInt16(), let length = request.readUInt16(),
        let value = request.readBytes(Int(length))
      {
        add(.notify, handle, [UInt8](value), exchange)
      }
    default: break
    }
  }
}

extension ATTErrorCode {
  /// Whether a server answers with it by itself, for lack of a permission or of security.
  fileprivate func isServers(_ action: SessionStep.Action, _ properties: GATTProperties) -> Bool {
    switch self {
    case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
      .insufficientEncryptionKeySize:
      true
    case .readNotPermitted: action == .read && !properties.contains(.read)
    case .writeNotPermitted: action == .write && !properties.contains(.write)
    default: false
    }
  }
}

extension PeripheralDescription {
  /// Whether a service has an attribute at `handle`.
  fileprivate func hasAttribute(at handle: UInt16) -> Bool {
    services.contains { service in
      service.handle == handle
        || service.characteristics.contains { characteristic in
          characteristic.handle == handle || characteristic.valueHandle == handle
            || characteristic.descriptors.contains { $0.handle == handle }
        }
    }
  }
}

/// Why a capture cannot be used, as a sentence.
struct CaptureError: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
