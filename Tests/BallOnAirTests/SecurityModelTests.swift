import BallTestSupport
import EightBall
import Expectations
import VirtualRadio

@testable import BluetoothHost

private typealias Handle = GuardedDatabase.Handle

/// Two devices with random events in any order, and their invariants.
private final class SecurityModel {
  let pair: SecurePair
  private var source: RandomSource
  private let seed: UInt64
  /// The last bonds, and their strength.
  private var strongest: [[DeviceAddress: Bond]] = [[:], [:]]
  private var steps: [String] = []
  /// How often a link was encrypted, and how often a protected value was sent.
  private(set) var encryptions = 0
  private(set) var protectedValues = 0

  private var devices: [SecureDevice] { pair.devices }

  init(seed: UInt64, hidden: Bool) {
    self.seed = seed
    source = RandomSource(seed: seed)
    let privacy = PrivacyPolicy(hidesIdentity: hidden, renewalInterval: 60)
    pair = SecurePair(
      keys: (Number128(words: [1, 2, 3, 4]), Number128(words: [5, 6, 7, 8])),
      privacy: privacy, seed: seed)
    pair.check = { [unowned self] in check() }
    for device in devices {
      device.onPacket = { [unowned self, unowned device] in sent($0, by: device) }
    }
  }

  private func below(_ bound: UInt32) -> UInt32 { source.next(below: bound) }
  private func either() -> SecureDevice { devices[Int(below(2))] }

  private func fail(_ comment: String) {
    Issue.record("seed \(seed): \(comment), after \(steps.suffix(12))")
  }

  // MARK: Invariants

  private func check() {
    for (number, device) in devices.enumerated() {
      for index in 0..<2 {
        guard let handle = device.host.connections[index].handle else { continue }
        let security = device.host.security.security(at: index)
        guard security.contains(.encrypted) else { continue }
        // An event on its way may report the change; a link that has ended carries nothing.
        guard let isEncrypted = device.radio.isEncrypted(handle) else { continue }
        if !isEncrypted { fail("device \(number) believes its link encrypted") }
      }
      checkBonds(of: device, number)
    }
  }

  private func checkBonds(of device: SecureDevice, _ number: Int) {
    var seen: [DeviceAddress: Bond] = [:]
    for index in 0..<device.bondCount {
      guard let bond = device.host.security.bonds.bond(at: index) else { continue }
      if let old = strongest[number][bond.identityAddress], bond.isWeaker(than: old) {
        fail("the bond of device \(number) became weaker")
      }
      seen[bond.identityAddress] = bond
    }
    for (address, _) in strongest[number] where seen[address] == nil {
      fail("device \(number) lost a bond")
    }
    strongest[number] = seen
  }

  /// No protected value leaves a host for a link that is not encrypted.
  private func sent(_ packet: [UInt8], by device: SecureDevice) {
    guard packet[0] == 0x02, packet.count > 9, packet[7] == 4, packet[8] == 0 else { return }
    let handle = ConnectionHandle(rawValue: (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0xFFF)
    let isProtected =
      switch packet[9] {
      case 0x0B: packet.count == 11 && packet[10] >= 0xE2
      case 0x1B, 0x1D: packet[10] >= 0x0E && packet[10] <= 0x11
      default: false
      }
    guard isProtected else { return }
    protectedValues += 1
    if device.radio.isEncrypted(handle) == false { fail("a protected value went out in the clear") }
    let isAuthenticated = packet[9] == 0x0B ? packet[10] == 0xE3 : packet[10] == 0x11
    let index = device.host.table.index(of: handle) ?? 0
    if isAuthenticated, !device.host.security.security(at: index).contains(.authenticated) {
      fail("a value for authenticated links went out on another")
    }
  }

  // MARK: Events

  func step() {
    // Random events alone would seldom get far.
    if pair.central.host.connectionCount == 0, below(2) == 0 {
      _ = pair.central.host.connect(to: target)
      pair.run(for: 500)
    } else if !pair.central.isEncrypted, below(4) == 0 {
      _ = pair.central.secure()
      pair.run(for: below(300))
      answer(true)
      pair.run(for: 500)
    }
    let kind = below(20)
    steps.append("\(kind)")
    switch kind {
    case 0...3: _ = pair.central.host.connect(to: target)
    case 4: either().host.disconnectAll()
    case 5, 6: _ = either().pair()
    case 7, 8: _ = either().secure()
    case 9: answer(below(4) > 0)
    case 10: choosePolicy(of: either())
    case 11: either().restart()
    case 12: forget(Int(below(2)))
    case 13: fault(either())
    case 14: pair.run(for: below(90_000))
    case 15: peripheral(below(3))
    case 16: pair.central.host.cancelConnection()
    default: ask()
    }
    answer(true)
    pair.run(for: below(4) == 0 ? 2_000 : below(60))
    encryptions += pair.central.isEncrypted ? 1 : 0
  }

  private var target: DeviceAddress {
    pair.central.bondCount > 0 && below(4) > 0
      ? pair.peripheral.address : pair.peripheral.host.address
  }

  private func answer(_ isConfirmed: Bool) {
    for device in devices {
      _ = device.confirm(isConfirmed)
      if case .showPasskey(let key) = device.record.prompts.last {
        for other in devices {
          _ = other.host.security.enterPasskey(isConfirmed ? key : nil, at: 0, at: pair.bench.now)
        }
      }
    }
  }

  private func choosePolicy(of device: SecureDevice) {
    let capabilities: [IOCapability] = [
      .noInputNoOutput, .displayYesNo, .keyboardDisplay, .displayOnly,
    ]
    device.host.security.policy = PairingPolicy(
      ioCapability: capabilities[Int(below(4))],
      secureConnections: below(2) == 0 ? .notOffered : .wherePossible)
  }

  private func forget(_ number: Int) {
    devices[number].host.security.removeBond(at: 0)
    strongest[number] = [:]
    checkBonds(of: devices[number], number)
  }

  private func fault(_ device: SecureDevice) {
    switch below(9) {
    case 0, 1: device.radio.faults.changeKeys(1)
    case 2: device.radio.faults.loseLink(at: .leEnableEncryption)
    case 3: device.radio.faults.loseLink(at: .leLongTermKeyRequestReply)
    case 4: device.radio.faults.loseLink(afterPackets: Int(below(8)) + 1)
    case 5: device.radio.faults.delayKeyAnswer(by: below(45_000))
    case 6: device.radio.faults.refuse(.leEnableEncryption, with: .commandDisallowed)
    case 7: device.radio.faults.leaveUnanswered(.leEnableEncryption)
    default: device.radio.faults.losePacket(type: .event)
    }
  }

  private func peripheral(_ number: UInt32) {
    pair.peripheral.update(
      ApplicationAttribute(rawValue: UInt16(number)), number == 0 ? 0x11 : 0xE1 + UInt8(number))
  }

  private func ask() {
    let operations: [ClientOperation] = [
      .read(Handle.guarded), .read(Handle.authenticated), .read(Handle.open),
      .subscribe(Handle.guardedConfiguration, .notification),
      .subscribe(Handle.authenticatedConfiguration, .indication),
      .subscribe(Handle.openConfiguration, .notification),
      .write(Handle.clientFeatures, byteCount: 1),
    ]
    _ = pair.central.perform(operations[Int(below(7))], value: [1])
  }

  /// Without faults both can start again.
  func heal() {
    for (number, device) in devices.enumerated() {
      device.radio.faults.removeAll()
      device.host.security.policy = PairingPolicy()
      while device.bondCount > 0 { forget(number) }
      device.restart()
    }
    pair.run(for: 120_000)
    pair.connect(to: pair.peripheral.host.address)
    _ = pair.central.pair()
    pair.run(for: 3_000)
    if !pair.central.protection.contains(.encrypted | .bonded)
      || !pair.peripheral.protection.contains(.encrypted | .bonded)
    {
      fail("they cannot pair any more: \(devices.map(\.record.outcomes))")
    }
    if pair.perform(.read(Handle.guarded)) != nil { fail("a bonded client may not read") }
  }
}

@Suite("No host treats an unprotected link as protected, whatever happens")
struct SecurityModelTests {
  @Test("The invariants hold for random interleavings", arguments: 1...12 as ClosedRange<UInt64>)
  func interleavings(_ seed: UInt64) {
    let model = SecurityModel(seed: seed, hidden: seed % 3 == 0)
    for _ in 0..<120 { model.step() }
    model.heal()
    expect(model.encryptions > 0)
    expect(model.protectedValues > 0)
  }
}
