import BluetoothHost

extension Central {
  /// Takes a fragment, and the frame that it completes.
  func receive(_ header: ACLHeader, _ data: Span<UInt8>, at now: Instant) {
    guard let link = link(header.handle), link.isOpen else { return }
    let startsFrame = header.boundary != .continuing
    guard let frame = link.assembler.receive(data, startsFrame: startsFrame) else { return }
    switch frame.channel {
    case .att:
      receivePDU(frame.payload.span, on: link, at: now)
    case .leSignalling:
      receiveSignal(frame.payload.span, on: link)
    case .securityManager:
      let answer = [UInt8].written(upTo: 2) {
        PairingRefusal.respond(to: frame.payload.span, response: &$0)
      }
      if !answer.isEmpty { link.outbox.answer(answer, on: .securityManager) }
    default:
      return
    }
  }

  private func receivePDU(_ pdu: Span<UInt8>, on link: Link, at now: Instant) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    switch opcode {
    case .handleValueNotification:
      notified(reader, on: link)
    case .handleValueIndication:
      guard notified(reader, on: link) else { return }
      link.outbox.answer([ATTOpcode.handleValueConfirmation.rawValue], on: .att)
    case .handleValueConfirmation, .multipleHandleValueNotification:
      // A client sends no indications, and has not said that it takes several values at once.
      return
    case _ where opcode.isResponse:
      receiveResponse(opcode, reader.readRemaining(), on: link, at: now)
    case _ where opcode.isCommand:
      return
    default:
      // The peer is a client too, but there is no server here.
      let error = ErrorResponse(request: opcode, handle: .none, code: .requestNotSupported)
      link.outbox.answer([UInt8].written(upTo: 5) { error.write(to: &$0) }, on: .att)
    }
  }

  @discardableResult
  private func notified(_ parameters: consuming ByteReader, on link: Link) -> Bool {
    guard let attribute = AttributeValue(parameters) else { return false }
    if attribute.handle == link.client.serviceChanged {
      // Core Specification, Vol 3, Part G, 7.1.
      var reader = ByteReader(attribute.value)
      guard let range = AttributeHandleRange(&reader), range.isValid else { return true }
      post(.servicesChanged(link.id, range))
      return true
    }
    post(.notified(link.id, handle: attribute.handle, value: [UInt8](attribute.value)))
    return true
  }

  private func receiveResponse(
    _ opcode: ATTOpcode, _ parameters: Span<UInt8>, on link: Link, at now: Instant
  ) {
    let (pdu, done) = link.client.receive(
      opcode, parameters, at: now, timeout: configuration.transactionTimeout)
    if let pdu { link.outbox.append(pdu, on: .att) }
    guard let done else { return }
    complete(done, on: link)
    if done.isOutOfStep { close(link, at: now) }
  }

  private func receiveSignal(_ frame: Span<UInt8>, on link: Link) {
    switch Signalling.receive(frame) {
    case .ignore:
      return
    case .answer(let answer):
      link.outbox.answer(answer, on: .leSignalling)
    case .update(let answer, let parameters):
      link.outbox.answer(answer, on: .leSignalling)
      guard let handle = link.handle else { return }
      run(.connectionUpdate(LEConnectionUpdate(handle: handle, parameters: parameters)))
    }
  }
}

extension ATTOpcode {
  /// Whether it answers a request.
  var isResponse: Bool {
    switch self {
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
      .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse, .executeWriteResponse,
      .readMultipleVariableResponse:
      true
    default:
      false
    }
  }
}
