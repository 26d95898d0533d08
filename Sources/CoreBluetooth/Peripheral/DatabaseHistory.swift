import BluetoothHost

/// Earlier states of a database that changes.
///
/// A bonded client that is away subscribed in one of them. Of its subscriptions, the device needs
/// those of the services that still exist. Nothing is computed until such a client returns.
struct DatabaseHistory {
  /// A database before a change.
  private struct State {
    let table: [Attribute]
    /// Its hash, once computed.
    var hash: DatabaseHash?
    /// The index in the table of each Client Characteristic Configuration, in the order of their
    /// handles; `nil` after its service was removed.
    var configurations: [Int?]
  }

  /// The number of states. The oldest ones are forgotten.
  static let capacity = 16

  /// The oldest is the first.
  private var states: [State] = []

  /// Notes the database `table` before it changes. `hash` is its hash if that is known.
  mutating func note(_ table: [Attribute], hash: DatabaseHash?) {
    // A service that comes and goes must not displace other states. A client of the equal state
    // would have had all its subscriptions restored until now, so the last one is the valid one.
    states.removeAll {
      $0.table.count == table.count && $0.table.elementsEqual(table, by: Attribute.isSame)
    }
    if states.count == Self.capacity { states.removeFirst() }
    states.append(
      State(
        table: table, hash: hash, configurations: table.indices.filter { table[$0].isSlotted }))
  }

  /// Notes that the attributes at `indices` are removed.
  mutating func remove(_ indices: Range<Int>) {
    for state in states.indices {
      for number in states[state].configurations.indices {
        guard let index = states[state].configurations[number], indices.contains(index) else {
          continue
        }
        states[state].configurations[number] = nil
      }
    }
  }

  /// The index that each Client Characteristic Configuration of the database with `hash` has now, in
  /// the order of their handles then; `nil` for one that was removed since. `nil` if there was no
  /// such database.
  mutating func configurations(of hash: DatabaseHash) -> [Int?]? {
    for state in states.indices.reversed() {
      let table = states[state].table
      if case nil = states[state].hash { states[state].hash = DatabaseHash(of: table.span) }
      if states[state].hash == hash { return states[state].configurations }
    }
    return nil
  }
}

extension Attribute {
  /// Whether it uses a slot for client characteristic configurations.
  var isSlotted: Bool {
    if case .clientConfiguration = value { true } else { false }
  }

  fileprivate static func isSame(_ left: Attribute, _ right: Attribute) -> Bool {
    left.type == right.type && left.value == right.value && left.properties == right.properties
      && left.protection.rawValue == right.protection.rawValue
  }
}
