import BallTestSupport
import BluetoothHost
import Expectations

private func identity(_ number: UInt8) -> LocalIdentity {
  LocalIdentity(
    identityResolvingKey: Number128(words: [UInt32(number), 2, 3, 4]), address: address(number))
}

private let hidden = PrivacyPolicy(hidesIdentity: true)

/// Core Specification, Vol 3, Part C, 10.7, and Vol 6, Part B, 1.3.2.
@Suite("Private addresses of a Security Manager")
struct PrivateAddressTests {
  /// A station whose controller has started.
  private func started(
    _ privacy: PrivacyPolicy = hidden, identity: LocalIdentity? = responderIdentity
  ) -> (station: SecurityStation, address: DeviceAddress?) {
    let station = SecurityStation(identity: identity)
    station.manager.privacy = privacy
    let address = station.manager.makeAddress()
    station.manager.controllerStarted(features: 0)
    return (station, address)
  }

  @Test("A device has a private address if its policy and its identity allow it")
  func first() {
    let none = LocalIdentity(identityResolvingKey: .zero, address: responderAddress)
    let cases: [(label: String, PrivacyPolicy, LocalIdentity?, Bool)] = [
      ("the policy hides the identity", hidden, responderIdentity, true),
      ("the policy does not", PrivacyPolicy(), responderIdentity, false),
      ("there is no identity", hidden, nil, false), ("the key is zero", hidden, none, false),
    ]
    for (label, policy, identity, isPrivate) in cases {
      let (station, address) = started(policy, identity: identity)
      expect((address != nil), is: isPrivate, "\(label)")
      expect(station.manager.deadline, is: isPrivate ? at(0) : nil, "\(label)")
      station.manager.advance(to: at(5))
      expect(station.manager.deadline, is: isPrivate ? at(900_005) : nil, "\(label)")
      expect(!station.hasPrivacyCommand, "\(label)")
    }
  }

  @Test(
    "The address is renewed after the interval of the policy, which is at least 1 s",
    arguments: [(900, 900_000), (1, 1_000), (0, 1_000), (.max, 65_535_000)] as [(UInt16, UInt64)])
  func renewal(seconds: UInt16, interval: UInt64) throws {
    var (station, last) = started(PrivacyPolicy(hidesIdentity: true, renewalInterval: seconds))
    station.manager.advance(to: at(7))
    for number: UInt64 in 1...3 {
      let time = 7 + number * interval
      expect(station.manager.deadline, is: at(time))
      station.manager.advance(to: at(time - 1))
      expect(!station.hasPrivacyCommand)
      station.manager.advance(to: at(time))
      expect(station.hasPrivacyCommand)
      let command = station.manager.takePrivacyCommand()
      guard case .setAddress(let address) = command else {
        Issue.record("\(String(describing: command))")
        return
      }
      expect(address.isResolved(by: responderIdentity.identityResolvingKey))
      expect(address != last)
      last = address
      expect(station.manager.finishPrivacyCommand(.leSetScanEnable, .success, value: 0), is: nil)
      expect(station.hasPrivacyCommand)
      expect(
        station.manager.finishPrivacyCommand(.leSetRandomAddress, .success, value: 0), is: address)
      expect(station.manager.takePrivacyCommand(), is: nil)
      expect(!station.hasPrivacyCommand)
    }
  }

  @Test("An address that the controller refuses is not used")
  func refused() {
    let (station, _) = started()
    station.manager.advance(to: at(0))
    station.manager.advance(to: at(900_000))
    _ = station.manager.takePrivacyCommand()
    expect(
      station.manager.finishPrivacyCommand(.leSetRandomAddress, .commandDisallowed, value: 0),
      is: nil)
    let next = station.manager.takePrivacyCommand()
    expect(next, is: nil, "The next attempt is the next renewal.")
    expect(station.manager.deadline, is: at(1_800_000))
  }

  @Test("A restart of the controller keeps the time of the renewal; a new address begins another")
  func restart() {
    let (station, _) = started()
    station.manager.advance(to: at(0))
    station.manager.controllerStarted(features: 0)
    expect(station.manager.deadline, is: at(900_000))
    _ = station.manager.makeAddress()
    expect(station.manager.deadline, is: at(0))
    station.manager.advance(to: at(500_000))
    expect(station.manager.deadline, is: at(1_400_000))
    // Without the identity there is nothing to renew.
    station.manager.privacy.hidesIdentity = false
    _ = station.manager.makeAddress()
    expect(station.manager.deadline, is: nil)
  }

  @Test("An identity that is no longer hidden gets no other private address")
  func shownLater() {
    let (station, _) = started()
    station.manager.advance(to: at(0))
    station.manager.privacy.hidesIdentity = false
    station.manager.advance(to: at(900_000))
    expect(station.manager.takePrivacyCommand(), is: nil)
    expect(!station.hasPrivacyCommand)
  }
}

/// A manager with room for more bonds than private addresses that it notes.
private typealias Finder = SecurityManager<
  1, TestAgreement, FixedRandom, BondTable<8>, PairingRecord
>

@Suite("The addresses of bonded devices")
struct RecentAddressTests {
  /// A manager with the bonds of the devices 1 to 6, or with none. The last device has no key.
  private func makeFinder(bonds count: UInt8 = 6) -> Finder {
    var bonds = BondTable<8>()
    for number in 1..<(count + 1) {
      bonds.store(
        Bond(
          identityAddress: address(number), longTermKey: .zero,
          identityResolvingKey: number < 6 ? identity(number).identityResolvingKey : nil,
          isAuthenticated: false, isSecureConnections: true, role: .initiator))
    }
    return Finder(
      policy: PairingPolicy(), identity: nil, bonds: bonds, delegate: PairingRecord(),
      agreement: TestAgreement(), random: FixedRandom(seed: 1))
  }

  private func heard(_ number: UInt8, _ prand: UInt32 = 1) -> DeviceAddress {
    resolvableAddress(of: identity(number), prand: prand)
  }

  @Test("The last private address of a device is the one to connect to")
  func last() {
    var finder = makeFinder()
    expect(finder.linkAddress(of: address(1)), is: address(1), "none was heard")
    for prand: UInt32 in [1, 2, 3] {
      for number: UInt8 in 1...4 {
        expect(finder.noteAdvertiser(heard(number, prand)), is: address(number))
        expect(finder.linkAddress(of: address(number)), is: heard(number, prand))
      }
    }
    // Neither an identity address nor an unknown private one is noted.
    for other in [address(1), address(6), address(9), heard(9)] {
      expect(finder.noteAdvertiser(other), is: other)
      expect(finder.linkAddress(of: other) == other || other == address(1))
    }
    expect(finder.linkAddress(of: address(1)), is: heard(1, 3))
  }

  @Test("A fifth device replaces the one that was noted first")
  func capacity() {
    // The heard devices, and the known ones then.
    let cases: [(heard: [UInt8], known: [UInt8])] = [
      ([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4, 5], [2, 3, 4, 5]),
      ([1, 2, 3, 4, 2, 5], [2, 3, 4, 5]), ([1, 2, 3, 4, 1, 5], [1, 3, 4, 5]),
      ([1, 2, 2, 3, 3, 4], [1, 2, 3, 4]),
      ([1, 2, 3, 4, 5, 1], [1, 3, 4, 5]), ([1, 1, 1, 1, 1, 2], [1, 2]),
      ([1, 2, 3, 2, 4, 5, 1, 2], [1, 2, 4, 5]),
    ]
    for (numbers, known) in cases {
      var finder = makeFinder()
      for number in numbers { _ = finder.noteAdvertiser(heard(number)) }
      let found = (1...5 as ClosedRange<UInt8>).filter {
        finder.linkAddress(of: address($0)) == heard($0)
      }
      expect(found, is: known, "\(numbers)")
    }
  }

  @Test("An address belongs to a bond by identity or by key, and only that device is admitted")
  func belonging() {
    var finder = makeFinder()
    let cases: [(DeviceAddress, DeviceAddress?)] = [
      (address(1), address(1)), (address(6), address(6)), (heard(3), address(3)),
      (heard(6), nil), (heard(9), nil), (address(9), nil),
      (DeviceAddress(kind: .public, bytes: address(1).bytes), nil),
    ]
    for (address, identity) in cases {
      expect(finder.identityAddress(of: address), is: identity ?? address)
      expect(finder.admits(address), is: true, "every device")
    }
    finder.privacy.admitsBondedOnly = true
    for (address, identity) in cases { expect(finder.admits(address), is: identity != nil) }
  }

  @Test("Without bonds, no address is looked up")
  func withoutBonds() {
    var finder = makeFinder(bonds: 0)
    expect(finder.noteAdvertiser(heard(1)), is: heard(1))
    expect(finder.identityAddress(of: heard(1)), is: heard(1))
  }
}
