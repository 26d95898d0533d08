// What the server remembers of clients with bonds: Core Specification, Vol 3, Part G, 2.5.2.1 and 3.3.3.3.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Recognises the client at `index`, once: its link is encrypted with the key of its bond. `nil` if it is
  /// not, or if that has been taken.
  public mutating func takeRecognition(at index: Int) -> ClientRecognition? {
    guard isOpen(index), !table[index].isRecognized,
      table[index].security.contains(.encrypted | .bonded), let number = bondIndex(at: index),
      let bond = bonds.bond(at: number)
    else { return nil }
    table[index].isRecognized = true
    forgetKept(at: index)
    return bond.client.map { .known($0) } ?? .new
  }

  /// The server may know something new of the client at `index`. Nothing happens unless it is recognised.
  public mutating func noteActivity(at index: Int) {
    if isOpen(index), table[index].isRecognized { activeClients.insert(index) }
  }

  /// Whether the bond of the client at `index` does not keep `state` yet. The client is no longer active.
  public mutating func isNews(_ state: ClientState, at index: Int) -> Bool {
    activeClients.remove(index)
    guard isOpen(index), table[index].isRecognized, table[index].kept != state else {
      return false
    }
    table[index].kept = state
    return true
  }

  /// Keeps `record` with the bond of the client at `index`. Nothing happens if there is none, or if it keeps
  /// that already.
  public mutating func keep(_ record: ClientRecord, at index: Int) {
    guard let number = bondIndex(at: index), var bond = bonds.bond(at: number),
      bond.client != record
    else { return }
    bond.client = record
    bonds.store(bond)
    bondsMoved()
  }

  /// What the bond keeps may not be the latest.
  mutating func forgetKept(at index: Int) {
    table[index].kept = nil
    noteActivity(at: index)
  }
}
