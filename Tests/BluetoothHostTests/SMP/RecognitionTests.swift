import BluetoothHost
import Expectations

private func record(_ features: UInt8) -> ClientRecord {
  ClientRecord(
    databaseHash: DatabaseHash(bytes: InlineArray(repeating: 1)), isChangeAware: true,
    features: features, serviceChanged: .indication, subscriptions: ClientConfigurations())
}

extension Step where Subject == SecurityStation {
  /// The link 0 is active; its client's state differs from the record.
  fileprivate static func isActive(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.manager.activeClients.contains(0) } }
  fileprivate static func isChanged(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.manager.takeChange(of: ClientState(), at: 0) } }
  fileprivate static var activity: Step { Step { $0.manager.noteActivity(of: ConnectionSet(0)) } }
  fileprivate static func save(_ features: UInt8, on index: Int = 0) -> Step {
    Step { $0.manager.save(record(features), at: index) }
  }
  fileprivate static func client(
    _ features: UInt8?, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(features.map(record), line) { $0.bond()?.client } }
  /// Whether saving a record changes the bonds.
  fileprivate static func save(
    _ features: UInt8, changes: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    check(changes, line) { station in
      station.manager.bonds.markKept()
      station.manager.save(record(features), at: 0)
      return station.manager.bonds.isChanged
    }
  }
}

private let scenarios: [Scenario<StationPair>] = [
  Scenario(
    "A client is recognised once, after its link is encrypted with the key of its bond",
    .connect(), .peripheral(.recognition(nil)), .pairs(),
    .peripheral(.recognition(.new), .recognition(nil), .save(1), .client(1)), .disconnect,
    // Bonded, and not encrypted.
    .connect(), .peripheral(.recognition(nil)), .secures(),
    .peripheral(.recognition(.known(record(1))), .recognition(nil)),
    // Encryption ends, and begins again.
    .peripheral(.changed(false), .isActive(false), .recognition(nil)), .central(.changed(false)),
    .secures(), .peripheral(.recognition(.known(record(1))))),
  Scenario(
    "A new encryption with the same key does not make the client another",
    .connect(), .pairs(), .peripheral(.recognition(.new), .requestKey()),
    .also { pair in
      let bond = try #require(pair.peripheral.bond())
      expect(pair.peripheral.manager.takeKeyReply(at: 0), is: .key(bond.longTermKey))
    },
    .peripheral(.changed(true), .recognition(nil), .isActive(true))),
  Scenario(
    "A client without a bond is not recognised",
    .peripheral(.set(policy: \.bonds, false)), .connect(), .pairs(),
    .peripheral(.security(contains: .encrypted), .recognition(nil), .activity, .isActive(false)),
    .peripheral(.isChanged(false), .save(1), .bonds(0))),
  Scenario(
    "Only a recognised client is active, until its state was compared",
    .connect(), .pairs(), .peripheral(.activity, .isActive(false), .isChanged(false)),
    // The bond has no record.
    .peripheral(.recognition(.new), .isActive(true), .isChanged(true), .isActive(false)),
    .peripheral(.isChanged(false), .activity, .isActive(true), .isChanged(false)),
    .peripheral(.isActive(false))),
  Scenario(
    "A new pairing on the link makes the saved state out of date",
    .connect(), .pairs(), .peripheral(.recognition(.new), .isChanged(true), .save(1)), .pairs(),
    .peripheral(.client(nil), .isActive(true), .isChanged(true))),
  Scenario(
    "A link that closes is not active any more, and neither is the next one",
    .connect(), .pairs(), .peripheral(.recognition(.new), .isActive(true)), .disconnect,
    .connect(), .peripheral(.isActive(false), .activity, .isActive(false), .isChanged(false))),
  Scenario(
    "A record is stored if it differs from that of the bond",
    .connect(), .pairs(), .peripheral(.save(1, changes: true), .save(1, changes: false)),
    .peripheral(.client(1), .save(2, changes: true), .save(2, changes: false), .client(2)),
    // No such link.
    .peripheral(.save(3, on: 1), .client(2))),
]

/// Core Specification, Vol 3, Part G, 2.5.2.1.
@Suite("The records of bonded clients")
struct RecognitionTests {
  @Test("A client is recognised, and its record is kept, or not", arguments: scenarios)
  func scenario(_ scenario: Scenario<StationPair>) throws {
    try scenario.run(on: StationPair(PairingPolicy(), peripheral: PairingPolicy()))
  }
}
