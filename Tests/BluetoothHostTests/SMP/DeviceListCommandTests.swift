import BluetoothHost
import Testing

private func address(_ number: UInt8) -> DeviceAddress { .staticRandom([number, 0, 0, 0, 0, 0]) }

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
      #expect(address == nil, "not an address")
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
    #expect(bond()?.identityAddress == address(number))
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

/// A controller and its bonds, the first commands for its lists, and whether it filters then.
private struct ListCase: Sendable {
  var bonds: [UInt8] = [1, 2, 3]
  var admitsBondedOnly = true
  var features = resolves
  var resolving: UInt8 = 8
  var accepting: UInt8 = 8
  var expected: [PrivacyCommand]
  var filters: Bool
}

private let listCases: [Row<ListCase>] = [
  Row(
    "no bonds, and every device may connect",
    ListCase(bonds: [], admitsBondedOnly: false, expected: [], filters: false)),
  Row(
    "no bonds, and only bonded devices may connect",
    ListCase(bonds: [], expected: [readAccept, .setAdvertisingParameters], filters: true)),
  Row(
    "bonds without keys",
    ListCase(bonds: [2], admitsBondedOnly: false, expected: [], filters: false)),
  Row(
    "a bond without a key before one with a key",
    ListCase(
      bonds: [2, 1], admitsBondedOnly: false,
      expected: [readResolving, resolve(1), mode(1), .resolve(true)], filters: false)),
  Row(
    "every device may connect",
    ListCase(admitsBondedOnly: false, expected: [readResolving] + resolvingPart, filters: false)),
  Row("only bonded devices may connect", ListCase(expected: first, filters: true)),
  Row(
    "all features but LL Privacy",
    ListCase(features: ~resolves, expected: [readAccept], filters: false)),
  Row(
    "no LL Privacy, and bonds without keys",
    ListCase(
      bonds: [2, 4], features: 0,
      expected: [readAccept, accept(2), accept(4), .setAdvertisingParameters], filters: true)),
  Row(
    "a resolving list with just enough room",
    ListCase(resolving: 2, accepting: 3, expected: first, filters: true)),
  Row(
    "a resolving list that is too short by one",
    ListCase(
      resolving: 1,
      expected: [readResolving, readAccept, resolve(1), mode(1), .resolve(true)], filters: false)),
  Row(
    "a resolving list without room",
    ListCase(resolving: 0, expected: [readResolving, readAccept], filters: false)),
  Row(
    "an accept list that is too short by one",
    ListCase(
      accepting: 2, expected: [readResolving, readAccept] + resolvingPart, filters: false)),
]

/// The refused commands of the first update, those that follow, and those of the next one, in which
/// nothing is refused; and whether the controller filters after each.
private struct RefusalCase: Sendable {
  let refused: [PrivacyCommand]
  let expected: [PrivacyCommand]
  let filters: Bool
  let next: [PrivacyCommand]
  let filtersNext: Bool
}

private let refusalCases: [Row<RefusalCase>] = [
  Row(
    "the size of the resolving list",
    RefusalCase(
      refused: [readResolving], expected: [readResolving, readAccept], filters: false, next: [],
      filtersNext: false)),
  Row(
    "the size of the accept list",
    RefusalCase(
      refused: [readAccept], expected: [readResolving, readAccept] + resolvingPart, filters: false,
      next: [.resolve(false), clearResolving] + resolvingPart, filtersNext: false)),
  Row(
    "the first device for the resolving list",
    RefusalCase(
      refused: [resolve(1)], expected: [readResolving, readAccept, resolve(1)], filters: false,
      next: resolvingPart + acceptPart + [.setAdvertisingParameters], filtersNext: true)),
  Row(
    "the last device for the resolving list",
    RefusalCase(
      refused: [resolve(3)],
      expected: [readResolving, readAccept, resolve(1), resolve(3), mode(1), .resolve(true)],
      filters: false,
      next: [.resolve(false), clearResolving] + resolvingPart + acceptPart
        + [.setAdvertisingParameters], filtersNext: true)),
  Row(
    "the privacy modes",
    RefusalCase(
      refused: [mode(1), mode(3)], expected: first, filters: true, next: second, filtersNext: true)),
  Row(
    "address resolution",
    RefusalCase(
      refused: [.resolve(true)], expected: [readResolving, readAccept] + resolvingPart,
      filters: false,
      next: [clearResolving] + resolvingPart + acceptPart + [.setAdvertisingParameters],
      filtersNext: true)),
  Row(
    "a device for the accept list",
    RefusalCase(
      refused: [accept(2)],
      expected: [readResolving, readAccept] + resolvingPart + [accept(1), accept(2)],
      filters: false, next: second + [.setAdvertisingParameters], filtersNext: true)),
]

/// Core Specification, Vol 4, Part E, 7.8.15 to 7.8.18, 7.8.38 to 7.8.44 and 7.8.77.
@Suite("The controller's lists of bonded devices")
struct DeviceListCommandTests {
  @Test("The first commands follow the bonds, the policy and the controller", arguments: listCases)
  fileprivate func firstUpdate(row: Row<ListCase>) {
    let list = row.value
    let station = makeStation(
      list.bonds, admitsBondedOnly: list.admitsBondedOnly, features: list.features)
    #expect(
      station.hasPrivacyCommand == (list.admitsBondedOnly || !list.bonds.isEmpty))
    #expect(!station.filtersConnections)
    let commands = station.update(resolving: list.resolving, accepting: list.accepting)
    #expect(commands == list.expected)
    #expect(station.filtersConnections == list.filters)
    #expect(!station.hasPrivacyCommand)
    #expect(station.update() == [], "everything is up to date")
  }

  @Test("A command that the controller refuses has these consequences", arguments: refusalCases)
  fileprivate func refusals(row: Row<RefusalCase>) {
    let station = makeStation(features: resolves)
    #expect(station.update(refusing: row.value.refused) == row.value.expected)
    #expect(station.filtersConnections == row.value.filters)
    #expect(!station.hasPrivacyCommand)
    // Any other policy updates the lists.
    station.manager.privacy.renewalInterval = 1
    #expect(station.update() == row.value.next)
    #expect(station.filtersConnections == row.value.filtersNext)
  }

  @Test("A controller that cannot stop resolving continues, with its old list")
  func refusedStop() {
    let station = makeStation(features: resolves)
    #expect(station.update() == first)
    station.manager.privacy.renewalInterval = 1
    #expect(
      station.update(refusing: [.resolve(false), clearResolving, resolve(3)])
        == [
          .resolve(false), clearResolving, resolve(1), resolve(3), mode(1), mode(3), clearAccept,
          .setAdvertisingParameters,
        ])
    #expect(!station.filtersConnections)
    station.manager.privacy.renewalInterval = 2
    #expect(station.update().first == .resolve(false), "The next update tries again.")
  }

  @Test("An accept list that the controller does not clear is cleared by the next update")
  func refusedClear() {
    let station = makeStation([2], features: 0)
    #expect(station.update() == [readAccept, accept(2), .setAdvertisingParameters])
    station.manager.privacy.admitsBondedOnly = false
    #expect(
      station.update(refusing: [clearAccept]) == [clearAccept, .setAdvertisingParameters])
    station.manager.privacy.renewalInterval = 1
    #expect(station.update() == [clearAccept])
    station.manager.privacy.renewalInterval = 2
    #expect(station.update() == [])
  }

  @Test("A change of the policy or of the bonds updates the lists; the same policy does not")
  func changes() {
    let station = makeStation(features: resolves)
    #expect(station.update() == first)
    station.manager.privacy.admitsBondedOnly = true
    #expect(!station.hasPrivacyCommand)
    station.manager.removeBond(at: 0)
    #expect(station.hasPrivacyCommand)
    let fewer = [.resolve(false), clearResolving, resolve(3), mode(3), .resolve(true)]
    #expect(station.update() == fewer + [clearAccept, accept(2), accept(3)])
    station.manager.privacy.admitsBondedOnly = false
    #expect(station.update() == fewer + [clearAccept, .setAdvertisingParameters])
    #expect(!station.filtersConnections)
    station.manager.removeBond(at: 1)
    station.manager.removeBond(at: 0)
    #expect(station.hasPrivacyCommand, "the controller still resolves")
    #expect(station.update() == [.resolve(false), clearResolving])
    station.manager.privacy.renewalInterval = 1
    #expect(!station.hasPrivacyCommand)
  }

  @Test("Without bonds, each remainder in the controller is removed")
  func remainders() {
    // The refused commands of the first update, and those after the last bond was removed.
    let cases: [(label: String, bonds: [UInt8], refused: [PrivacyCommand], [PrivacyCommand])] = [
      ("a filter", [], [], [.setAdvertisingParameters]),
      ("a resolving list that is not used", [1], [.resolve(true)], [clearResolving]),
      ("an accept list that is not used", [2, 4], [accept(4)], [clearAccept]),
    ]
    for (label, bonds, refused, expected) in cases {
      let station = makeStation(bonds, features: resolves)
      _ = station.update(refusing: refused)
      for _ in bonds { station.manager.removeBond(at: 0) }
      station.manager.privacy.admitsBondedOnly = false
      #expect(station.hasPrivacyCommand, "\(label)")
      #expect(station.update() == expected, "\(label)")
      #expect(!station.hasPrivacyCommand, "\(label)")
    }
  }

  @Test("Each command waits for the answer to the one before, and ignores other answers")
  func order() {
    let station = makeStation(features: resolves)
    let command = station.manager.takePrivacyCommand()
    #expect(command == readResolving)
    for opcode: HCIOpcode in [.leReadFilterAcceptListSize, .leSetRandomAddress, .reset] {
      _ = station.manager.finishPrivacyCommand(opcode, .success, value: 0)
      let next = station.manager.takePrivacyCommand()
      #expect(next == nil)
      #expect(station.hasPrivacyCommand)
    }
    _ = station.manager.finishPrivacyCommand(.leReadResolvingListSize, .success, value: 8)
    _ = station.manager.finishPrivacyCommand(.leReadResolvingListSize, .success, value: 0)
    #expect(station.update() == Array(first.dropFirst()), "The second answer is ignored.")
  }

  @Test("A bond that is removed during an update begins it again")
  func restart() {
    let station = makeStation(features: resolves)
    for command in first.prefix(3) {
      let next = station.manager.takePrivacyCommand()
      #expect(next == command)
      if command == resolve(1) { station.manager.removeBond(at: 2) }
      _ = station.manager.finishPrivacyCommand(command.answer, .success, value: 8)
    }
    #expect(
      station.update() == [
        clearResolving, resolve(1), mode(1), .resolve(true), accept(1), accept(2),
        .setAdvertisingParameters,
      ])
  }

  @Test("Bonds that are renumbered during an update are added from the first on")
  func renumbered() {
    let station = makeStation([1, 3], admitsBondedOnly: false, features: resolves)
    for command in [readResolving, resolve(1)] {
      let next = station.manager.takePrivacyCommand()
      #expect(next == command)
      _ = station.manager.finishPrivacyCommand(command.answer, .success, value: 8)
    }
    station.use(3)
    #expect(
      station.update() == [
        clearResolving, resolve(3), resolve(1), mode(3), mode(1), .resolve(true),
      ])
    station.use(1)
    #expect(station.update() == [], "Afterwards the order does not matter.")
  }

  @Test("A reset of the controller empties its lists, and its sizes are read again")
  func reset() {
    let station = makeStation(features: resolves)
    #expect(station.update() == first)
    _ = station.manager.makePrivateAddress()
    #expect(!station.filtersConnections)
    station.manager.controllerStarted(features: resolves)
    #expect(station.update() == first)
    station.manager.controllerStarted(features: 0)
    #expect(station.update() == [readAccept])
  }

  @Test("A device that hides its identity gives the controller its own key")
  func localKey() {
    let station = makeStation([1], admitsBondedOnly: false, features: resolves)
    station.manager.privacy.hidesIdentity = true
    let address = station.manager.makePrivateAddress()
    #expect(address?.isResolved(by: responderIdentity.identityResolvingKey) == true)
    station.manager.controllerStarted(features: resolves)
    #expect(
      station.update() == [
        readResolving, resolve(1, localKey: responderIdentity.identityResolvingKey), mode(1),
        .resolve(true),
      ])
  }

  @Test("With every bond in its list, the controller gets identity addresses to connect to")
  func addressToConnectTo() {
    let identity = LocalIdentity(identityResolvingKey: key(1), address: address(1))
    let heard = resolvableAddress(of: identity, prand: 5)
    // The room in the list, a refused command, and whether the controller resolves all.
    let cases: [(UInt8, [PrivacyCommand], Bool)] = [
      (2, [], true), (1, [], false), (0, [], false), (2, [.resolve(true)], false),
      (2, [resolve(3)], false), (2, [mode(1)], true),
    ]
    for (room, refused, resolvesAll) in cases {
      let station = makeStation(admitsBondedOnly: false, features: resolves)
      let noted = station.manager.noteAdvertiser(heard)
      #expect(noted == address(1))
      #expect(station.manager.linkAddress(of: address(1)) == heard, "before the update")
      _ = station.update(resolving: room, refusing: refused)
      #expect(
        station.manager.linkAddress(of: address(1)) == (resolvesAll ? address(1) : heard),
        "room for \(room), refused \(refused)")
    }
  }
}
