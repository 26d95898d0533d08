import BluetoothHost
import Testing

/// Features with LL Privacy: Core Specification, Vol 6, Part B, 4.6.
private let resolvingFeatures: UInt64 = 1 << 6

private func address(_ number: UInt8) -> DeviceAddress {
  .staticRandom([number, 0, 0, 0, 0, 0])
}

private func key(_ number: UInt8) -> Number128 {
  Number128(words: [UInt32(number), 1, 1, 1])
}

/// A device with bonds, whose controller's lists have these sizes.
private final class ListStation {
  let station = SecurityStation(identity: responderIdentity)
  let resolvingSize: UInt8
  let acceptSize: UInt8
  /// The commands that the controller refuses.
  var refused: [HCIOpcode] = []

  /// - Parameter bonds: The numbers of the bonded devices, the last used first; whether each has a
  ///   key.
  init(
    resolving: UInt8 = 8, accept: UInt8 = 8, features: UInt64 = resolvingFeatures,
    bonds: [(number: UInt8, hasKey: Bool)]
  ) {
    resolvingSize = resolving
    acceptSize = accept
    for (number, hasKey) in bonds.reversed() { store(number, hasKey: hasKey) }
    station.manager.controllerStarted(features: features)
  }

  func store(_ number: UInt8, hasKey: Bool = true) {
    station.manager.bonds.store(
      Bond(
        identityAddress: address(number), longTermKey: key(number),
        identityResolvingKey: hasKey ? key(number) : nil, isAuthenticated: false,
        isSecureConnections: true, role: .responder))
  }

  /// Takes the next command, and does not answer it.
  func take() -> PrivacyCommand? { station.manager.takePrivacyCommand() }

  func finish(_ opcode: HCIOpcode) {
    let size = opcode == .leReadResolvingListSize ? resolvingSize : acceptSize
    _ = station.manager.finishPrivacyCommand(
      opcode, refused.contains(opcode) ? .commandDisallowed : .success, value: size)
  }

  /// Answers every command, and returns them.
  func run() -> [PrivacyCommand] {
    var commands: [PrivacyCommand] = []
    while let command = take() {
      commands.append(command)
      finish(command.testOpcode)
    }
    return commands
  }

  /// Whether the controller resolves every bonded device.
  var resolvesAll: Bool {
    _ = station.manager.noteAdvertiser(resolvable(1))
    return station.manager.linkAddress(of: address(1)) == address(1)
  }

  private func resolvable(_ number: UInt8) -> DeviceAddress {
    resolvableAddress(
      of: LocalIdentity(identityResolvingKey: key(number), address: address(number)), prand: 5)
  }
}

extension PrivacyCommand {
  fileprivate var testOpcode: HCIOpcode {
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

  fileprivate static func resolving(_ number: UInt8) -> PrivacyCommand {
    .addToResolvingList(
      LEAddDeviceToResolvingList(peer: address(number), peerKey: key(number), localKey: .zero))
  }

  fileprivate static func mode(_ number: UInt8) -> PrivacyCommand {
    .setPrivacyMode(LESetPrivacyMode(peer: address(number), mode: 0x01))
  }
}

/// Core Specification, Vol 3, Part C, 10.7; Vol 4, Part E, 7.8.38 to 7.8.44 and 7.8.77.
@Suite("The controller's lists of bonded devices")
struct PrivacyListTests {
  @Test("The lists are read, filled and used in this order; a bond without a key is passed over")
  func order() {
    let device = ListStation(bonds: [(1, true), (2, false), (3, true)])
    #expect(
      device.run() == [
        .plain(.leReadResolvingListSize), .resolving(1), .resolving(3), .mode(1), .mode(3),
        .resolve(true),
      ])
    #expect(device.resolvesAll)
    #expect(device.take() == nil)
    // A new bond begins afresh, from the first entry. The sizes are known.
    device.station.manager.removeBond(at: 2)
    #expect(
      device.run() == [
        .resolve(false), .plain(.leClearResolvingList), .resolving(1), .mode(1), .resolve(true),
      ])
  }

  @Test("A bond without a key is passed over at the front too, and is no reason for a list")
  func keyless() {
    let front = ListStation(bonds: [(2, false), (1, true)])
    #expect(
      front.run() == [
        .plain(.leReadResolvingListSize), .resolving(1), .mode(1), .resolve(true),
      ])
    let none = ListStation(bonds: [(2, false)])
    #expect(none.run() == [])
  }

  @Test("One command is under way at a time")
  func oneAtATime() {
    let device = ListStation(bonds: [(1, true)])
    #expect(device.take() == .plain(.leReadResolvingListSize))
    #expect(device.take() == nil)
    device.finish(.leSetPrivacyMode)
    #expect(device.take() == nil, "the result of another command")
    device.finish(.leReadResolvingListSize)
    #expect(device.take() == .resolving(1))
    #expect(device.take() == nil)
  }

  @Test(
    "A resolving list takes as many devices as it has entries",
    arguments: [(1, false), (2, true), (3, true)])
  func resolvingListSize(size: Int, fits: Bool) {
    let device = ListStation(
      resolving: UInt8(size), bonds: [(1, true), (2, true)])
    let added = [PrivacyCommand.resolving(1), .resolving(2)].prefix(size)
    let modes = [PrivacyCommand.mode(1), .mode(2)].prefix(size)
    #expect(
      device.run() == [.plain(.leReadResolvingListSize)] + added + modes + [.resolve(true)])
    #expect(device.resolvesAll == fits)
  }

  @Test(
    "An accept list is used if it has an entry for each bond",
    arguments: [(1, false), (2, true), (3, true)])
  func acceptListSize(size: Int, fits: Bool) {
    let device = ListStation(accept: UInt8(size), bonds: [(1, true), (2, false)])
    device.station.manager.privacy.admitsBondedOnly = true
    let commands = device.run()
    let accepted = [PrivacyCommand.addToAcceptList(address(1)), .addToAcceptList(address(2))]
    #expect(
      commands == [
        .plain(.leReadResolvingListSize), .plain(.leReadFilterAcceptListSize), .resolving(1),
        .mode(1), .resolve(true),
      ] + (fits ? accepted + [.setAdvertisingParameters] : []))
    #expect(device.station.manager.filtersConnections == fits)
  }

  @Test("A controller that refuses to resolve addresses is asked again with the next bond")
  func refusedResolution() {
    let device = ListStation(bonds: [(1, true)])
    device.refused = [.leSetAddressResolutionEnable]
    #expect(device.run().last == .resolve(true))
    #expect(!device.resolvesAll)
    device.refused = []
    device.store(2)
    device.station.manager.privacy.renewalInterval = 1
    // It does not resolve, so there is nothing to stop.
    #expect(
      device.run() == [
        .plain(.leClearResolvingList), .resolving(2), .resolving(1), .mode(2), .mode(1),
        .resolve(true),
      ])
    #expect(device.resolvesAll)
  }

  @Test("Another command's failure does not end address resolution")
  func otherRefusal() {
    let device = ListStation(bonds: [(1, true)])
    device.refused = [.leSetPrivacyMode]
    #expect(device.run().last == .resolve(true))
    #expect(device.resolvesAll)
    device.refused = [.leClearResolvingList]
    device.station.manager.privacy.renewalInterval = 1
    #expect(device.run().first == .resolve(false))
  }

  @Test("Bonds that are renumbered while the list is filled are added from the first on")
  func renumbered() {
    let device = ListStation(bonds: [(1, true), (2, true)])
    #expect(device.take() == .plain(.leReadResolvingListSize))
    device.finish(.leReadResolvingListSize)
    #expect(device.take() == .resolving(1))
    device.finish(.leAddDeviceToResolvingList)
    use(2, device)
    #expect(
      device.run() == [
        .plain(.leClearResolvingList), .resolving(2), .resolving(1), .mode(2), .mode(1),
        .resolve(true),
      ])
    // Afterwards the order does not matter.
    use(1, device)
    #expect(device.run() == [])
  }

  /// The bonded device `number` encrypts a link, and becomes the last used.
  private func use(_ number: UInt8, _ device: ListStation) {
    let now = Instant(rawValue: 0)
    device.station.manager.opened(
      PairingLink(role: .responder, ownAddress: responderAddress, peerAddress: address(number)),
      at: 0)
    device.station.manager.keyRequested(
      encryptedDiversifier: 0, randomNumber: 0, at: 0, at: now)
    _ = device.station.manager.takeKeyReply(at: 0)
    device.station.manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: now)
    device.station.manager.closed(at: 0, at: now)
    #expect(device.station.bond()?.identityAddress == address(number))
  }
}
