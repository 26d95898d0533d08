import Foundation

/// Who is told of what, and how much of it waits: the part of the engine that `updateValue` has to
/// look into at once, from any thread.
final class UpdateBoard: Sendable {
  /// How many values may wait for one central.
  static let capacity = 32

  private struct Entry {
    let client: PeripheralClient
    let handle: UInt16
    var listeners: [ServedCentral] = []
  }

  private struct Contents {
    /// By published characteristic.
    var entries: [ObjectIdentifier: Entry] = [:]
    /// How many values wait, by link.
    var waiting: [ObjectIdentifier: Int] = [:]
    /// Managers that found no room, by the link that had none.
    var refused: [ObjectIdentifier: [PeripheralClient]] = [:]

    func count(of link: ServedCentral) -> Int { waiting[ObjectIdentifier(link), default: 0] }
  }

  /// What `updateValue` finds.
  enum Room {
    /// The characteristic is not published by this manager.
    case unknown
    /// Somebody has no room: nothing is sent to anybody.
    case none
    /// A place has been taken for each of these, who may be nobody.
    case taken([ServedCentral], handle: UInt16)
  }

  private let contents = Locked(Contents())

  func publish(
    _ characteristic: CBMutableCharacteristic, at handle: UInt16, for client: PeripheralClient
  ) {
    contents.withLock {
      $0.entries[ObjectIdentifier(characteristic)] = Entry(client: client, handle: handle)
    }
  }

  func unpublish(_ characteristic: CBMutableCharacteristic) {
    contents.withLock { $0.entries[ObjectIdentifier(characteristic)] = nil }
  }

  /// Adds a central to those who are told of a characteristic, or takes it away.
  ///
  /// - Returns: Those who are told now.
  func setListening(
    _ isListening: Bool, _ link: ServedCentral, to characteristic: CBMutableCharacteristic
  ) -> [CBCentral] {
    contents.withLock {
      let key = ObjectIdentifier(characteristic)
      $0.entries[key]?.listeners.removeAll { $0 === link }
      if isListening { $0.entries[key]?.listeners.append(link) }
      return $0.entries[key]?.listeners.map(\.central) ?? []
    }
  }

  /// Takes a place for a value of `characteristic` for each who is told of it; for those among
  /// `centrals` alone, if there is such a list.
  func takeRoom(
    for characteristic: CBMutableCharacteristic, by client: PeripheralClient,
    among centrals: [UUID]?
  ) -> Room {
    contents.withLock { contents in
      guard let entry = contents.entries[ObjectIdentifier(characteristic)],
        entry.client === client
      else { return .unknown }
      let targets = entry.listeners.filter { link in
        centrals?.contains(link.central.identifier) ?? true
      }
      if let full = targets.first(where: { contents.count(of: $0) >= Self.capacity }) {
        let key = ObjectIdentifier(full)
        if !contents.refused[key, default: []].contains(where: { $0 === client }) {
          contents.refused[key, default: []].append(client)
        }
        return .none
      }
      for link in targets { contents.waiting[ObjectIdentifier(link), default: 0] += 1 }
      return .taken(targets, handle: entry.handle)
    }
  }

  /// Gives back as many places as values have been sent to a central, or will not be.
  ///
  /// - Returns: The managers that this central kept from sending, and that are to be told that there
  ///   is room: once half of it is free, so that they need not be told for every value.
  func giveBack(_ count: Int, of link: ServedCentral) -> [PeripheralClient] {
    contents.withLock { contents in
      let left = max(0, contents.count(of: link) - count)
      contents.waiting[ObjectIdentifier(link)] = left == 0 ? nil : left
      guard left <= Self.capacity / 2 else { return [] }
      return contents.refused.removeValue(forKey: ObjectIdentifier(link)) ?? []
    }
  }
}
