import BluetoothHost
import Foundation

/// The subscribers of each characteristic, and the number of their unsent updates. `updateValue`
/// needs them at once, on any thread.
final class SubscriberTable: Sendable {
  /// How many updates may wait for one central.
  static let capacity = 32

  private struct Entry {
    let client: PeripheralHandle
    let handle: UInt16
    var subscribers: [ServedCentral] = []
  }

  private struct Contents {
    /// By published characteristic.
    var entries: [ObjectIdentifier: Entry] = [:]
    /// How many updates wait, by link.
    var waiting: [ObjectIdentifier: Int] = [:]
    /// The managers whose update was refused, by the link that had no room.
    var refused: [ObjectIdentifier: [PeripheralHandle]] = [:]

    func count(of link: ServedCentral) -> Int { waiting[ObjectIdentifier(link), default: 0] }
  }

  /// The result of reserving room.
  enum Room {
    /// The characteristic is not published by this manager.
    case unknown
    /// A subscriber has no room: nothing is sent.
    case none
    /// Room is reserved for each of these, possibly none.
    case taken([ServedCentral], handle: UInt16)
  }

  private let contents = Locked(Contents())

  func publish(
    _ characteristic: CBMutableCharacteristic, at handle: UInt16, for client: PeripheralHandle
  ) {
    contents.withLock {
      $0.entries[ObjectIdentifier(characteristic)] = Entry(client: client, handle: handle)
    }
  }

  func unpublish(_ characteristic: CBMutableCharacteristic) {
    contents.withLock { $0.entries[ObjectIdentifier(characteristic)] = nil }
  }

  /// Adds a central to the subscribers of a characteristic, or removes it.
  ///
  /// - Returns: The subscribers now.
  func setSubscribed(
    _ isSubscribed: Bool, _ link: ServedCentral, to characteristic: CBMutableCharacteristic
  ) -> [CBCentral] {
    contents.withLock {
      let key = ObjectIdentifier(characteristic)
      $0.entries[key]?.subscribers.removeAll { $0 === link }
      if isSubscribed { $0.entries[key]?.subscribers.append(link) }
      return $0.entries[key]?.subscribers.map(\.central) ?? []
    }
  }

  /// Reserves room for a value of `characteristic` for each subscriber, or only for those in
  /// `centrals` if it is not `nil`.
  func takeRoom(
    for characteristic: CBMutableCharacteristic, by client: PeripheralHandle,
    among centrals: [UUID]?
  ) -> Room {
    contents.withLock { contents in
      guard let entry = contents.entries[ObjectIdentifier(characteristic)], entry.client === client
      else { return .unknown }
      let targets = entry.subscribers.filter { link in
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

  /// Releases the room of updates that have been sent to a central, or dropped.
  ///
  /// - Returns: The managers that may update again after a refusal because of this central. They
  ///   are called once half of the room is free, not for every update.
  func giveBack(_ count: Int, of link: ServedCentral) -> [PeripheralHandle] {
    contents.withLock { contents in
      let left = max(0, contents.count(of: link) - count)
      contents.waiting[ObjectIdentifier(link)] = left == 0 ? nil : left
      guard left <= Self.capacity / 2 else { return [] }
      return contents.refused.removeValue(forKey: ObjectIdentifier(link)) ?? []
    }
  }
}

/// A connected central, as the engine knows it. Only the radio's thread uses it.
final class ServedCentral: @unchecked Sendable {
  /// A value to notify or indicate.
  struct Update {
    let handle: UInt16
    let value: [UInt8]
  }

  /// A read request: a value from an offset on.
  struct Reading: Hashable {
    let handle: UInt16
    let offset: Int
  }

  /// A written value, or the part of it from an offset on.
  struct Written {
    let handle: UInt16
    let offset: Int
    let value: [UInt8]
  }

  /// The same central in the API.
  let central: CBCentral
  /// The handles of the values that it is subscribed to.
  var subscriptions: Set<UInt16> = []
  /// The unsent updates, oldest first.
  var updates: [Update] = []

  /// The request that waits for delegates; `nil` for none.
  var pendingRequest: PendingRequest?
  /// The responses to the reads of one request so far: a request may read several values.
  var readings: [Reading: Result<[UInt8], ATTErrorCode>] = [:]
  /// The response to its write, once known.
  var writeResult: Result<Void, ATTErrorCode>?
  /// The values that the current PDU has written so far.
  var written: [Written] = []

  init(_ central: CBCentral) { self.central = central }

  /// The response has been sent: clears the request.
  func forgetRequest() {
    pendingRequest = nil
    readings = [:]
    writeResult = nil
  }
}
