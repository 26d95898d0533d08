import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

private typealias Handle = GuardedDatabase.Handle

/// A peer that uses a bonded peer's address does not have its key (the attack BLESA). The central
/// sends it no request, and accepts no value from it, before the link is encrypted.
@Suite("A central trusts a bonded peer only on an encrypted link")
struct BeliefTests {
  /// A pair with bonds, on a new link: an unencrypted one with `inClear`.
  private func bondedPair(
    inClear: Bool = false, disturb: (SecurePair) -> Void = { _ in }
  ) -> SecurePair {
    let pair = SecurePair()
    pair.pair()
    pair.disconnect()
    disturb(pair)
    pair.connect(inClear: inClear)
    return pair
  }

  /// Gives the central's host a value of the peripheral, as if from its link.
  private func notify(_ central: SecureDevice, opcode: UInt8 = 0x1B) {
    let link = UInt8(truncatingIfNeeded: central.radio.connectionHandles[0].rawValue)
    // The link, packet boundary 2, 8 bytes; 4 bytes, channel 4; the opcode, its handle, one byte.
    let packet: [UInt8] = [
      0x02, link, 0x20, 8, 0, 4, 0, 4, 0, opcode, UInt8(Handle.open.rawValue), 0, 0x21,
    ]
    central.host.receive(packet.span, at: central.now)
  }

  @Test("A link to a bonded peer is encrypted at once; no request is sent unencrypted")
  func encryptsFirst() {
    let pair = bondedPair()
    for device in pair.devices { expect(device.isEncrypted) }
    expect(pair.central.perform(.exchangeMTU))
    pair.run(for: 1_000)
    expect(pair.central.isEncrypted)
    expect(pair.central.operation, is: nil)
    let mtu = pair.central.host.mtu(at: 0)
    expect(mtu != .minimum)
    expect(pair.central.collector.errors, is: [])
    expect(pair.peripheral.packetsInClear, is: 0)
  }

  @Test("A peer without the key receives no request, and the operation fails; the link stays")
  func impostor() {
    let pair = bondedPair { $0.peripheral.removeBonds() }
    expect(pair.central.record.encryptionFailures, is: [.pinOrKeyMissing])
    expect(pair.central.protection, is: .bonded)
    expect(pair.peripheral.protection, is: .none)
    expect(pair.central.host.connectionCount, is: 1)
    for count in 1...2 {
      expect(pair.central.perform(.read(Handle.open)))
      pair.run(for: 1_000)
      expect(
        pair.central.collector.errors,
        is: Array(repeating: .encryptionFailed(.pinOrKeyMissing), count: count))
    }
    expect(pair.peripheral.packetsInClear, is: 0)
    expect(pair.central.bondCount, is: 1)
    // Nor does it when the program asks for encryption.
    let failures = pair.central.record.encryptionFailures.count
    _ = pair.central.secure()
    pair.run(for: 1_000)
    expect(pair.central.record.encryptionFailures.dropFirst(failures), is: [.pinOrKeyMissing])
    expect(pair.central.protection, is: .bonded)
  }

  @Test("A value from an unencrypted link is dropped, and accepted from an encrypted one")
  func notification() {
    let pair = bondedPair(inClear: true)
    expect(pair.central.collector.security, is: .bonded)
    notify(pair.central)
    expect(pair.central.collector.notified.isEmpty)
    _ = pair.central.secure()
    pair.run(for: 1_000)
    expect(pair.central.isEncrypted)
    expect(pair.central.collector.security, is: pair.central.protection)
    notify(pair.central)
    expect(pair.central.collector.notified.count, is: 1)
  }

  /// A peer that gets no confirmation ends the link after 30 s: Vol 3, Part F, 3.3.3.
  @Test("An indication from an unencrypted link is confirmed, and its value dropped")
  func indication() {
    let pair = bondedPair(inClear: true)
    expect(!pair.central.isEncrypted)
    var confirmations = 0
    pair.central.onPacket = { if $0.count == 10, $0[9] == 0x1E { confirmations += 1 } }
    for opcode: UInt8 in [0x1D, 0x1B] {
      notify(pair.central, opcode: opcode)
      pair.run(for: 100)
      expect(confirmations, is: 1)
      expect(pair.central.collector.notified.isEmpty)
    }
  }

  @Test("Without its bond, a peer is treated as unbonded")
  func dropped() {
    let pair = bondedPair(inClear: true)
    pair.central.removeBonds()
    notify(pair.central)
    expect(pair.central.collector.notified.count, is: 1)
    expect(pair.central.perform(.exchangeMTU))
    pair.run(for: 1_000)
    expect(pair.central.operation, is: nil)
    expect(pair.central.protection, is: .none)
  }

  @Test("A pairing that fails on a link with a bond fails the operation that waits for it")
  func failedPairing() {
    let pair = bondedPair(inClear: true) { $0.peripheral.host.security.policy.isOpen = false }
    expect(pair.central.pair())
    expect(pair.central.perform(.exchangeMTU))
    pair.run(for: 1_000)
    expect(pair.central.collector.errors, is: [.encryptionFailed(.authenticationFailure)])
    expect(pair.peripheral.packetsInClear, is: 0)
  }

  @Test("The wait for a controller's encryption event ends after 45 s")
  func silentController() {
    let pair = bondedPair(inClear: true)
    let central = pair.central
    // The command is acknowledged, and encryption never begins.
    pair.peripheral.radio.faults.leaveUnanswered(.leLongTermKeyRequestReply)
    expect(central.perform(.exchangeMTU))
    #expect(throws: Never.self) { try pair.bench.settle() }
    let begin = pair.bench.now
    central.host.advance(to: begin.advanced(by: 44_999))
    expect(central.collector.errors, is: [])
    central.host.advance(to: begin.advanced(by: 45_000))
    expect(central.collector.errors, is: [.encryptionFailed(.connectionTimeout)])
    expect(central.record.encryptionFailures, is: [.commandDisallowed, .connectionTimeout])
  }
}
