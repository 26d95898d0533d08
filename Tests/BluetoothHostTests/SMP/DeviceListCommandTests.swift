import BluetoothHost
import Expectations

private func key(_ number: UInt8) -> Number128 { Number128(words: [UInt32(number), 2, 3, 4]) }

private func bond(_ number: UInt8) -> Bond {
  // Odd numbers have a resolving key.
  Bond(
    identityAddress: address(number), longTermKey: Number128(words: [UInt32(number), 0, 0, 0]),
    identityResolvingKey: number & 1 == 1 ? key(number) : nil, isAuthenticated: false,
    isSecureConnections: true, role: .responder)
}

private let readResolving = PrivacyCommand.plain(.leReadResolvingListSize)
private let readAccept = PrivacyCommand.plain(.leReadFilterAcceptListSize)
private let clearResolving = PrivacyCommand.plain(.leClearResolvingList)
private let clearAccept = PrivacyCommand.plain(.leClearFilterAcceptList)
private func resolve(_ number: UInt8, localKey: Number128 = .zero) -> PrivacyCommand {
  .addToResolvingList(
    LEAddDeviceToResolvingList(peer: address(number), peerKey: key(number), localKey: localKey))
}
private func mode(_ number: UInt8) -> PrivacyCommand {
  .setPrivacyMode(LESetPrivacyMode(peer: address(number), mode: 0x01))
}
private func accept(_ number: UInt8) -> PrivacyCommand { .addToAcceptList(address(number)) }

/// All commands for the bonds 1, 2 and 3 if only bonded devices may connect.
private let resolvingPart = [resolve(1), resolve(3), mode(1), mode(3), .resolve(true)]
private let acceptPart = [accept(1), accept(2), accept(3)]
private let first =
  [readResolving, readAccept] + resolvingPart + acceptPart + [.setAdvertisingParameters]
/// The same again, for a controller with full lists.
private let second =
  [.resolve(false), clearResolving] + resolvingPart + [clearAccept] + acceptPart

extension PrivacyCommand {
  /// The opcode with which the controller answers.
  fileprivate var answer: HCIOpcode {
    switch self {
    case .plain(let opcode): opcode
    case .resolve: .leSetAddressResolutionEnable
    case .addToResolvingList: .leAddDeviceToResolvingList
    case .setPrivacyMode: .leSetPrivacyMode
    case .addToAcceptList: .leAddDeviceToFilterAcceptList
    case .setAdvertisingParameters: .leSetAdvertisingParameters
    case .setAddress: .leSetRandomAddress
    }
  }
}

extension SecurityStation {
  /// Answers each command for the lists, as a controller with room for this many devices.
  fileprivate func update(
    resolving: UInt8 = 8, accepting: UInt8 = 8, refusing refused: [PrivacyCommand] = []
  ) -> [PrivacyCommand] {
    var commands: [PrivacyCommand] = []
    while let command = manager.takePrivacyCommand() {
      commands.append(command)
      let value: UInt8 =
        command == readResolving ? resolving : command == readAccept ? accepting : 0
      let address = manager.finishPrivacyCommand(
        command.answer, refused.contains(command) ? .commandDisallowed : .success, value: value)
      expect(address, is: nil, "not an address")
    }
    return commands
  }

  /// The bonded device `number` encrypts a link, and becomes the last used.
  fileprivate func use(_ number: UInt8) {
    let now = Instant(rawValue: 0)
    manager.opened(
      PairingLink(role: .responder, ownAddress: responderAddress, peerAddress: address(number)),
      at: 0)
    manager.keyRequested(encryptedDiversifier: 0, randomNumber: 0, at: 0, at: now)
    _ = manager.takeKeyReply(at: 0)
    manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: now)
    manager.closed(at: 0, at: now)
    expect(bond()?.identityAddress, is: address(number))
  }
}

/// The bonds 1, 2 and 3, in this order.
private func makeStation(
  _ numbers: [UInt8] = [1, 2, 3], admitsBondedOnly: Bool = true, features: UInt64
) -> SecurityStation {
  let station = SecurityStation(identity: responderIdentity)
  for number in numbers.reversed() { station.manager.bonds.store(bond(number)) }
  station.manager.privacy.admitsBondedOnly = admitsBondedOnly
  station.manager.controllerStarted(features: features)
  return station
}

/// LL Privacy: Vol 6, Part B, 4.6.
private let resolves: UInt64 = 1 << 6

private let readBoth = [readResolving, readAccept]
private let setParameters = [PrivacyCommand.setAdvertisingParameters]
private let clearing = [PrivacyCommand.resolve(false), clearResolving]

extension Step where Subject == SecurityStation {
  /// The commands for the lists until there is none, of a controller with room for this many
  /// devices, which refuses some.
  fileprivate static func update(
    _ commands: [PrivacyCommand], resolving: UInt8 = 8, accepting: UInt8 = 8,
    refusing refused: [PrivacyCommand] = [], at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { station in
      let found = station.update(resolving: resolving, accepting: accepting, refusing: refused)
      expect(found, is: commands, sourceLocation: line)
      expect(!station.hasPrivacyCommand, sourceLocation: line)
      expect(station.manager.takePrivacyCommand(), is: nil, sourceLocation: line)
    }
  }
  /// Any other policy updates the lists.
  fileprivate static var otherPolicy: Step { Step { $0.manager.privacy.renewalInterval += 1 } }
  fileprivate static func hasCommand(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.hasPrivacyCommand } }
  /// Whether the controller filters connections.
  fileprivate static func filters(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.filtersConnections } }
  /// The next command; then its answer.
  fileprivate static func next(
    _ command: PrivacyCommand?, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(command, line) { $0.manager.takePrivacyCommand() } }
  fileprivate static func answer(_ opcode: HCIOpcode, _ value: UInt8 = 0) -> Step {
    Step { _ = $0.manager.finishPrivacyCommand(opcode, .success, value: value) }
  }
  fileprivate static func use(_ number: UInt8) -> Step { Step { $0.use(number) } }
}

/// The first commands follow the bonds, the policy and the controller. Then the lists are up to
/// date.
private let firstUpdates: [Scenario<SecurityStation>] = [
  Scenario(
    "no bonds, and every device may connect",
    on: { makeStation([], admitsBondedOnly: false, features: resolves) },
    .hasCommand(false), .update([]), .filters(false)),
  Scenario(
    "no bonds, and only bonded devices may connect", on: { makeStation([], features: resolves) },
    .hasCommand(true), .filters(false), .update([readAccept] + setParameters), .filters(true)),
  Scenario(
    "bonds without keys", on: { makeStation([2], admitsBondedOnly: false, features: resolves) },
    .hasCommand(true), .update([]), .filters(false)),
  Scenario(
    "a bond without a key before one with a key",
    on: { makeStation([2, 1], admitsBondedOnly: false, features: resolves) },
    .hasCommand(true), .update([readResolving, resolve(1), mode(1), .resolve(true)]),
    .filters(false)),
  Scenario(
    "every device may connect", on: { makeStation(admitsBondedOnly: false, features: resolves) },
    .hasCommand(true), .update([readResolving] + resolvingPart), .filters(false)),
  Scenario(
    "only bonded devices may connect",
    .hasCommand(true), .filters(false), .update(first), .filters(true)),
  Scenario(
    "all features but LL Privacy", on: { makeStation(features: ~resolves) },
    .hasCommand(true), .update([readAccept]), .filters(false)),
  Scenario(
    "no LL Privacy, and bonds without keys", on: { makeStation([2, 4], features: 0) },
    .hasCommand(true), .update([readAccept, accept(2), accept(4)] + setParameters),
    .filters(true)),
  Scenario(
    "a resolving list with just enough room",
    .update(first, resolving: 2, accepting: 3), .filters(true)),
  Scenario(
    "a resolving list that is too short by one",
    .update(readBoth + [resolve(1), mode(1), .resolve(true)], resolving: 1), .filters(false)),
  Scenario("a resolving list without room", .update(readBoth, resolving: 0), .filters(false)),
  Scenario(
    "an accept list that is too short by one",
    .update(readBoth + resolvingPart, accepting: 2), .filters(false)),
]

/// A command that the controller refuses has these consequences, also for the next update.
private let refusals: [Scenario<SecurityStation>] = [
  Scenario(
    "the size of the resolving list",
    .update(readBoth, refusing: [readResolving]), .filters(false), .otherPolicy, .update([]),
    .filters(false)),
  Scenario(
    "the size of the accept list",
    .update(readBoth + resolvingPart, refusing: [readAccept]), .filters(false), .otherPolicy,
    .update(clearing + resolvingPart), .filters(false)),
  Scenario(
    "the first device for the resolving list",
    .update(readBoth + [resolve(1)], refusing: [resolve(1)]), .filters(false), .otherPolicy,
    .update(resolvingPart + acceptPart + setParameters), .filters(true)),
  Scenario(
    "the last device for the resolving list",
    .update(readBoth + [resolve(1), resolve(3), mode(1), .resolve(true)], refusing: [resolve(3)]),
    .filters(false), .otherPolicy,
    .update(clearing + resolvingPart + acceptPart + setParameters), .filters(true)),
  Scenario(
    "the privacy modes",
    .update(first, refusing: [mode(1), mode(3)]), .filters(true), .otherPolicy, .update(second),
    .filters(true)),
  Scenario(
    "address resolution",
    .update(readBoth + resolvingPart, refusing: [.resolve(true)]), .filters(false), .otherPolicy,
    .update([clearResolving] + resolvingPart + acceptPart + setParameters), .filters(true)),
  Scenario(
    "a device for the accept list",
    .update(readBoth + resolvingPart + [accept(1), accept(2)], refusing: [accept(2)]),
    .filters(false), .otherPolicy, .update(second + setParameters), .filters(true)),
  Scenario(
    "the end of resolving, which goes on with the old list",
    .update(first), .otherPolicy,
    .update(
      clearing + [resolve(1), resolve(3), mode(1), mode(3), clearAccept] + setParameters,
      refusing: clearing + [resolve(3)]),
    .filters(false), .otherPolicy,
    // The next update tries again.
    .next(.resolve(false))),
  Scenario(
    "the clearing of the accept list, which the next update tries again",
    on: { makeStation([2], features: 0) },
    .update([readAccept, accept(2)] + setParameters), .set(privacy: \.admitsBondedOnly, false),
    .update([clearAccept] + setParameters, refusing: [clearAccept]), .otherPolicy,
    .update([clearAccept]), .otherPolicy, .update([])),
]

private let fewer = clearing + [resolve(3), mode(3), .resolve(true)]

private let changes: [Scenario<SecurityStation>] = [
  Scenario(
    "A change of the policy or of the bonds updates the lists; the same policy does not",
    .update(first), .set(privacy: \.admitsBondedOnly, true), .hasCommand(false), .removeBond(),
    .hasCommand(true), .update(fewer + [clearAccept, accept(2), accept(3)]),
    .set(privacy: \.admitsBondedOnly, false), .update(fewer + [clearAccept] + setParameters),
    .filters(false), .removeBond(1), .removeBond(),
    // The controller still resolves.
    .hasCommand(true), .update(clearing), .otherPolicy, .hasCommand(false)),
  Scenario(
    "Without bonds, a filter is removed", on: { makeStation([], features: resolves) },
    .update([readAccept] + setParameters), .set(privacy: \.admitsBondedOnly, false),
    .hasCommand(true), .update(setParameters)),
  Scenario(
    "Without bonds, a resolving list that is not used is cleared",
    on: { makeStation([1], features: resolves) },
    .also { _ = $0.update(refusing: [.resolve(true)]) }, .removeBond(),
    .set(privacy: \.admitsBondedOnly, false), .hasCommand(true), .update([clearResolving])),
  Scenario(
    "Without bonds, an accept list that is not used is cleared",
    on: { makeStation([2, 4], features: resolves) },
    .also { _ = $0.update(refusing: [accept(4)]) }, .removeBond(), .removeBond(),
    .set(privacy: \.admitsBondedOnly, false), .hasCommand(true), .update([clearAccept])),
  Scenario(
    "Each command waits for the answer to the one before, and ignores other answers",
    .next(readResolving), .answer(.leReadFilterAcceptListSize), .next(nil), .hasCommand(true),
    .answer(.leSetRandomAddress), .next(nil), .hasCommand(true), .answer(.reset), .next(nil),
    .hasCommand(true), .answer(.leReadResolvingListSize, 8), .answer(.leReadResolvingListSize),
    .update(Array(first.dropFirst()))),
  Scenario(
    "A bond that is removed during an update begins it again",
    .next(readResolving), .answer(readResolving.answer, 8), .next(readAccept),
    .answer(readAccept.answer, 8), .next(resolve(1)), .removeBond(2), .answer(resolve(1).answer),
    .update(
      [clearResolving, resolve(1), mode(1), .resolve(true), accept(1), accept(2)] + setParameters)),
  Scenario(
    "Bonds that are renumbered during an update are added from the first on",
    on: { makeStation([1, 3], admitsBondedOnly: false, features: resolves) },
    .next(readResolving), .answer(readResolving.answer, 8), .next(resolve(1)),
    .answer(resolve(1).answer, 8), .use(3),
    .update([clearResolving, resolve(3), resolve(1), mode(3), mode(1), .resolve(true)]), .use(1),
    // Afterwards the order does not matter.
    .update([])),
  Scenario(
    "A reset of the controller empties its lists, and its sizes are read again",
    .update(first), .also { _ = $0.manager.makeAddress() }, .filters(false),
    .controllerStarted(resolves), .update(first), .controllerStarted(), .update([readAccept])),
  Scenario(
    "A device that hides its identity gives the controller its own key",
    on: { makeStation([1], admitsBondedOnly: false, features: resolves) },
    .set(privacy: \.hidesIdentity, true),
    .also { station in
      let made = station.manager.makeAddress()
      let address = try #require(made)
      expect(address.isResolved(by: responderIdentity.identityResolvingKey))
    },
    .controllerStarted(resolves),
    .update([
      readResolving, resolve(1, localKey: responderIdentity.identityResolvingKey), mode(1),
      .resolve(true),
    ])),
]

/// Core Specification, Vol 4, Part E, 7.8.15 to 7.8.18, 7.8.38 to 7.8.44 and 7.8.77.
@Suite("The controller's lists of bonded devices")
struct DeviceListCommandTests {
  @Test(
    "are filled, do without a command that is refused, and follow the policy and the bonds",
    arguments: firstUpdates + refusals + changes)
  func updated(_ scenario: Scenario<SecurityStation>) throws {
    try scenario.run(on: makeStation(features: resolves))
  }

  @Test(
    "With every bond in its list, the controller gets identity addresses to connect to",
    arguments: [
      // The room in the list, a refused command, and whether the controller resolves all.
      (2, [], true), (1, [], false), (0, [], false), (2, [.resolve(true)], false),
      (2, [resolve(3)], false), (2, [mode(1)], true),
    ] as [(UInt8, [PrivacyCommand], Bool)])
  func addressToConnectTo(room: UInt8, refused: [PrivacyCommand], resolvesAll: Bool) {
    let identity = LocalIdentity(identityResolvingKey: key(1), address: address(1))
    let heard = resolvableAddress(of: identity, prand: 5)
    let station = makeStation(admitsBondedOnly: false, features: resolves)
    expect(station.manager.noteAdvertiser(heard), is: address(1))
    expect(station.manager.linkAddress(of: address(1)), is: heard, "before the update")
    _ = station.update(resolving: room, refusing: refused)
    expect(station.manager.linkAddress(of: address(1)), is: resolvesAll ? address(1) : heard)
  }
}
