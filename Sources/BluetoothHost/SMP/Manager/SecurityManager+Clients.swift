// The records of bonded clients: Core Specification, Vol 3, Part G, 2.5.2.1 and 3.3.3.3.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Takes the record of the client at `index` after its link is encrypted with the key of its
  /// bond; `nil` before that, and after it was taken.
  public mutating func takeRecognition(at index: Int) -> ClientRecognition? {
    guard isOpen(index), !recognizedClients.contains(index), table[index].isProved,
      table[index].security.contains(.encrypted | .bonded), let number = bondIndex(at: index),
      let bond = bonds.bond(at: number)
    else { return nil }
    recognizedClients.insert(index)
    invalidateSaved(at: index)
    return bond.client.map { .known($0) } ?? .new
  }

  /// The server's state of these clients may have changed. Only noted for recognised clients.
  public mutating func noteActivity(of clients: ConnectionSet) {
    activeClients = activeClients.union(clients.intersection(recognizedClients))
  }

  /// Whether `state` of the client at `index` differs from the state last saved to its bond. The
  /// call records `state` as saved, and removes the client from `activeClients` in either case.
  public mutating func takeChange(of state: ClientState, at index: Int) -> Bool {
    activeClients.remove(index)
    guard isOpen(index), recognizedClients.contains(index), table[index].saved != state else {
      return false
    }
    table[index].saved = state
    return true
  }

  /// Stores `record` in the bond of the client at `index`. Does nothing if there is no bond, or it
  /// is unchanged.
  public mutating func save(_ record: ClientRecord, at index: Int) {
    guard let number = bondIndex(at: index), var bond = bonds.bond(at: number),
      bond.client != record
    else { return }
    bond.client = record
    bonds.store(bond)
    bondsRenumbered()
  }

  /// The bond's state may be out of date.
  mutating func invalidateSaved(at index: Int) {
    table[index].saved = nil
    noteActivity(of: ConnectionSet(index))
  }
}
