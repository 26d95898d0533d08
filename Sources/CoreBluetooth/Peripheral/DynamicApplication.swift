import BluetoothHost
import Foundation

/// What is behind the published services: fixed values, and delegates that are asked for the others.
///
/// A request that a delegate is asked is put off. Once it has been answered, the host asks again, and
/// finds the answer in the link.
struct DynamicApplication: GATTApplication {
  let board: UpdateBoard
  /// What there is, by handle.
  var served: [UInt16: ServedAttribute] = [:]
  /// Who is connected, by place.
  private(set) var links: [ServedCentral?]
  /// What the radio is doing.
  private(set) var radio = RadioState.starting

  init(places: Int, board: UpdateBoard) {
    self.board = board
    links = Array(repeating: nil, count: places)
  }

  /// Where a central is; `nil` if it has gone.
  func place(of link: ServedCentral) -> Int? {
    links.firstIndex { $0 === link }
  }

  // MARK: Coming and going

  mutating func centralConnected(at place: Int, address: DeviceAddress) {
    links[place] = ServedCentral(CBCentral(address: address))
  }

  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    guard let link = links[place] else { return }
    links[place] = nil
    for handle in link.subscriptions.sorted() { setListening(false, link, at: handle) }
    dropUpdates(of: link) { _ in true }
    link.forgetRequest()
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    guard let link = links[place] else { return }
    setListening(configuration != .none, link, at: attribute.rawValue)
  }

  private func setListening(_ isListening: Bool, _ link: ServedCentral, at handle: UInt16) {
    guard case .asked(let characteristic, let client) = served[handle]?.source,
      link.subscriptions.contains(handle) != isListening
    else { return }
    if isListening { link.subscriptions.insert(handle) } else { link.subscriptions.remove(handle) }
    let central = link.central
    let centrals = board.setListening(isListening, link, to: characteristic)
    client.tell { manager in
      characteristic.subscribedCentrals = centrals
      if isListening {
        manager.delegate?.peripheralManager(
          manager, central: central, didSubscribeTo: characteristic)
      } else {
        manager.delegate?.peripheralManager(
          manager, central: central, didUnsubscribeFrom: characteristic)
      }
    }
    if !isListening { dropUpdates(of: link) { $0 == handle } }
  }

  mutating func radioChanged(to state: RadioState) {
    radio = state
  }

  // MARK: Reading

  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    guard let link = links[place], let entry = served[attribute.rawValue] else {
      throw .error(.unlikelyError)
    }
    switch entry.source {
    case .fixed(let bytes):
      try entry.check([.readable, .readEncryptionRequired], .readNotPermitted)
      value.writePrefix(of: bytes.span)
    case .asked(let characteristic, let client):
      try entry.check([.readable, .readEncryptionRequired], .readNotPermitted)
      guard offset <= maximumAttributeValueLength else { throw .error(.invalidOffset) }
      let reading = ServedCentral.Reading(handle: attribute.rawValue, offset: offset)
      switch link.readings[reading] {
      case .success(let bytes):
        // The delegate has given what is behind the offset.
        for _ in 0..<offset { value.write(UInt8(0)) }
        value.writePrefix(of: bytes.span)
      case .failure(let code):
        throw .error(code)
      case nil:
        ask(for: reading, of: characteristic, client, link)
        throw .later
      }
    }
  }

  private func ask(
    for reading: ServedCentral.Reading, of characteristic: CBMutableCharacteristic,
    _ client: PeripheralClient, _ link: ServedCentral
  ) {
    let question = PeripheralQuestion(link, [reading.handle], reading: reading)
    question.missing = 1
    link.question = question
    let request = CBATTRequest(
      central: link.central, characteristic: characteristic, offset: reading.offset, value: nil,
      ticket: RequestTicket(client, question))
    client.tell { manager in
      if let delegate = manager.delegate {
        delegate.peripheralManager(manager, didReceiveRead: request)
      } else {
        manager.respond(to: request, withResult: .requestNotSupported)
      }
    }
  }

  // MARK: Writing

  func prepareWrite(to attribute: ApplicationAttribute, at place: Int) throws(GATTRefusal) {
    guard let entry = served[attribute.rawValue] else { throw .error(.unlikelyError) }
    try entry.checkWrite()
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    guard let link = links[place], let entry = served[attribute.rawValue] else {
      throw .error(.unlikelyError)
    }
    try entry.checkWrite()
    // What has been answered is known to those who answered.
    guard link.verdict == nil else { return }
    link.written.append((attribute.rawValue, value.indices.map { value[$0] }))
  }

  mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal) {
    guard let link = links[place] else { return }
    switch isCommand ? nil : link.verdict {
    case .success: return
    case .failure(let code): throw .error(code)
    case nil: break
    }
    let written = link.written
    link.written = []
    guard !written.isEmpty else { return }
    let question = PeripheralQuestion(link, written.map(\.handle))
    for (client, values) in parts(of: written) {
      let ticket = RequestTicket(client, isCommand ? nil : question)
      question.missing += 1
      let requests = values.map { characteristic, value in
        CBATTRequest(
          central: link.central, characteristic: characteristic, offset: 0, value: Data(value),
          ticket: ticket)
      }
      let tell = { @Sendable (manager: CBPeripheralManager) in
        if let delegate = manager.delegate {
          delegate.peripheralManager(manager, didReceiveWrite: requests)
        } else if let first = requests.first {
          manager.respond(to: first, withResult: .requestNotSupported)
        }
      }
      if isCommand { client.tellCommand(tell) } else { client.tell(tell) }
    }
    guard !isCommand else { return }
    link.question = question
    throw .later
  }

  private typealias Part = (
    client: PeripheralClient, values: [(CBMutableCharacteristic, [UInt8])]
  )

  /// What each manager is asked of a write, which may be about the values of several.
  private func parts(of written: [(handle: UInt16, value: [UInt8])]) -> [Part] {
    var parts: [Part] = []
    for (handle, value) in written {
      guard case .asked(let characteristic, let client) = served[handle]?.source else { continue }
      if let index = parts.firstIndex(where: { $0.client === client }) {
        parts[index].values.append((characteristic, value))
      } else {
        parts.append((client, [(characteristic, value)]))
      }
    }
    return parts
  }

  // MARK: Telling

  func pendingUpdate(at place: Int) -> ApplicationAttribute? {
    links[place]?.updates.first.map { ApplicationAttribute(rawValue: $0.handle) }
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    guard let link = links[place], !link.updates.isEmpty else { return }
    let update = link.updates.removeFirst()
    value.writePrefix(of: update.value.span)
    drop(1, of: link)
  }

  /// Sends a value to a central once the host asks for it.
  mutating func send(_ update: ServedCentral.Update, to link: ServedCentral) {
    link.updates.append(update)
  }

  /// Forgets what a central has yet to be told of the values at some handles.
  func dropUpdates(of link: ServedCentral, where isGone: (UInt16) -> Bool) {
    let count = link.updates.count
    link.updates.removeAll { isGone($0.handle) }
    drop(count - link.updates.count, of: link)
  }

  /// So many places are free again.
  func drop(_ count: Int, of link: ServedCentral) {
    for client in board.giveBack(count, of: link) {
      client.tell { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
  }
}

extension ServedAttribute {
  /// Lets pass what may be done at all. The server has seen to what it takes of the link.
  fileprivate func check(
    _ wanted: CBAttributePermissions, _ code: ATTErrorCode
  ) throws(GATTRefusal) {
    guard !permissions.isDisjoint(with: wanted) else { throw .error(code) }
  }

  /// Lets pass what may be written.
  fileprivate func checkWrite() throws(GATTRefusal) {
    switch source {
    case .fixed: throw .error(.writeNotPermitted)
    case .asked: try check([.writeable, .writeEncryptionRequired], .writeNotPermitted)
    }
  }
}
