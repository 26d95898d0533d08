import BluetoothHost
import Foundation

/// The values of the published services: constant ones, and those that delegates supply. A request
/// for a delegate is put off. Once the delegate has responded, the host asks again and finds the
/// response in the link.
struct DelegateServer: GATTApplication {
  let subscribers: SubscriberTable
  /// The attributes of the application, by handle.
  var served: [UInt16: ServedAttribute] = [:]
  /// The connected centrals, by connection index.
  private(set) var links: [ServedCentral?]
  private(set) var radio = RadioState.starting

  init(capacity: Int, subscribers: SubscriberTable) {
    self.subscribers = subscribers
    links = Array(repeating: nil, count: capacity)
  }

  /// The connection index of a central; `nil` if it has disconnected.
  func location(of link: ServedCentral) -> Int? { links.firstIndex { $0 === link } }

  // MARK: Connections and subscriptions

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    links[connectionIndex] = ServedCentral(CBCentral(address: address))
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    guard let link = links[connectionIndex] else { return }
    links[connectionIndex] = nil
    for handle in link.subscriptions.sorted() { setSubscribed(false, link, at: handle) }
    dropUpdates(of: link) { _ in true }
    link.forgetRequest()
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    guard let link = links[connectionIndex] else { return }
    setSubscribed(configuration != .none, link, at: attribute.rawValue)
  }

  private func setSubscribed(_ isSubscribed: Bool, _ link: ServedCentral, at handle: UInt16) {
    guard case .delegate(let characteristic, let client) = served[handle]?.source,
      link.subscriptions.contains(handle) != isSubscribed
    else { return }
    if isSubscribed { link.subscriptions.insert(handle) } else { link.subscriptions.remove(handle) }
    let central = link.central
    let centrals = subscribers.setSubscribed(isSubscribed, link, to: characteristic)
    client.callManager { manager in
      characteristic.subscribedCentrals = centrals
      if isSubscribed {
        manager.delegate?.peripheralManager(
          manager, central: central, didSubscribeTo: characteristic)
      } else {
        manager.delegate?.peripheralManager(
          manager, central: central, didUnsubscribeFrom: characteristic)
      }
    }
    if !isSubscribed { dropUpdates(of: link) { $0 == handle } }
  }

  mutating func radioChanged(to state: RadioState) { radio = state }

  // MARK: Reading

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    guard let link = links[connectionIndex], let entry = served[attribute.rawValue] else {
      throw .error(.unlikelyError)
    }
    switch entry.source {
    case .constant(let bytes):
      try entry.check([.readable, .readEncryptionRequired], .readNotPermitted)
      value.writePrefix(of: bytes.span)
    case .delegate(let characteristic, let client):
      try entry.check([.readable, .readEncryptionRequired], .readNotPermitted)
      guard offset <= maximumAttributeValueLength else { throw .error(.invalidOffset) }
      let reading = ServedCentral.Reading(handle: attribute.rawValue, offset: offset)
      switch link.readings[reading] {
      case .success(let bytes):
        // The delegate has supplied the bytes from the offset on.
        for _ in 0..<offset { value.write(UInt8(0)) }
        value.writePrefix(of: bytes.span)
      case .failure(let code): throw .error(code)
      case nil:
        ask(for: reading, of: characteristic, client, link)
        throw .later
      }
    }
  }

  private func ask(
    for reading: ServedCentral.Reading, of characteristic: CBMutableCharacteristic,
    _ client: PeripheralHandle, _ link: ServedCentral
  ) {
    let pending = PendingRequest(link, [reading.handle], reading: reading)
    pending.missing = 1
    link.pendingRequest = pending
    let request = CBATTRequest(
      central: link.central, characteristic: characteristic, offset: reading.offset, value: nil,
      ticket: RequestTicket(client, pending))
    client.callManager { manager in
      if let delegate = manager.delegate {
        delegate.peripheralManager(manager, didReceiveRead: request)
      } else {
        manager.respond(to: request, withResult: .requestNotSupported)
      }
    }
  }

  // MARK: Writing

  func prepareWrite(to attribute: ApplicationAttribute, at connectionIndex: Int) throws(GATTRefusal)
  {
    guard let entry = served[attribute.rawValue] else { throw .error(.unlikelyError) }
    try entry.checkWrite()
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) { try write(value, from: 0, to: attribute, at: connectionIndex) }

  /// The delegates have the values, and check the offsets.
  func permitsWrite(to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int)
    -> Bool
  { true }

  mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int
  ) throws(GATTRefusal) {
    guard let link = links[connectionIndex], let entry = served[attribute.rawValue] else {
      throw .error(.unlikelyError)
    }
    try entry.checkWrite()
    // The delegates have responded to these values already.
    guard link.writeResult == nil else { return }
    link.written.append(
      ServedCentral.Written(
        handle: attribute.rawValue, offset: offset, value: part.indices.map { part[$0] }))
  }

  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {
    guard let link = links[connectionIndex] else { return }
    switch isCommand ? nil : link.writeResult {
    case .success: return
    case .failure(let code): throw .error(code)
    case nil: break
    }
    let written = link.written
    link.written = []
    guard !written.isEmpty else { return }
    let pending = PendingRequest(link, written.map(\.handle))
    for (client, values) in parts(of: written) {
      let ticket = RequestTicket(client, isCommand ? nil : pending)
      pending.missing += 1
      let requests = values.map { characteristic, written in
        CBATTRequest(
          central: link.central, characteristic: characteristic, offset: written.offset,
          value: Data(written.value), ticket: ticket)
      }
      let callDelegate = { @Sendable (manager: CBPeripheralManager) in
        if let delegate = manager.delegate {
          delegate.peripheralManager(manager, didReceiveWrite: requests)
        } else if let first = requests.first {
          manager.respond(to: first, withResult: .requestNotSupported)
        }
      }
      if isCommand {
        client.callManagerForCommand(callDelegate)
      } else {
        client.callManager(callDelegate)
      }
    }
    guard !isCommand else { return }
    link.pendingRequest = pending
    throw .later
  }

  private typealias Part = (
    client: PeripheralHandle, values: [(CBMutableCharacteristic, ServedCentral.Written)]
  )

  /// The parts of a write for each manager: it may contain values of several.
  private func parts(of written: [ServedCentral.Written]) -> [Part] {
    var parts: [Part] = []
    for value in written {
      guard case .delegate(let characteristic, let client) = served[value.handle]?.source else {
        continue
      }
      if let index = parts.firstIndex(where: { $0.client === client }) {
        parts[index].values.append((characteristic, value))
      } else {
        parts.append((client, [(characteristic, value)]))
      }
    }
    return parts
  }

  // MARK: Updates

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    links[connectionIndex]?.updates.first.map { ApplicationAttribute(rawValue: $0.handle) }
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    guard let link = links[connectionIndex], !link.updates.isEmpty else { return }
    let update = link.updates.removeFirst()
    value.writePrefix(of: update.value.span)
    drop(1, of: link)
  }

  /// Sends a value to a central once the host asks for it.
  mutating func send(_ update: ServedCentral.Update, to link: ServedCentral) {
    link.updates.append(update)
  }

  /// Drops a central's unsent updates for some handles.
  func dropUpdates(of link: ServedCentral, where isGone: (UInt16) -> Bool) {
    let count = link.updates.count
    link.updates.removeAll { isGone($0.handle) }
    drop(count - link.updates.count, of: link)
  }

  /// This many of a central's updates have been sent or dropped.
  func drop(_ count: Int, of link: ServedCentral) {
    for client in subscribers.giveBack(count, of: link) {
      client.callManager { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
  }
}

extension ServedAttribute {
  /// Checks the permissions. The server has checked the link's security.
  fileprivate func check(_ wanted: CBAttributePermissions, _ code: ATTErrorCode) throws(GATTRefusal)
  { guard !permissions.isDisjoint(with: wanted) else { throw .error(code) } }

  /// Checks that the value may be written.
  fileprivate func checkWrite() throws(GATTRefusal) {
    switch source {
    case .constant: throw .error(.writeNotPermitted)
    case .delegate: try check([.writeable, .writeEncryptionRequired], .writeNotPermitted)
    }
  }
}
