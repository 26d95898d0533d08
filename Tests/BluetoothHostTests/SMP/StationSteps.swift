import BallTestSupport
import BluetoothHost
import Expectations

// Steps of one device with a Security Manager.
extension Step where Subject == SecurityStation {
  /// Whether it can pair, or encrypt with its bond, on the link 0.
  static func pair(_ isSo: Bool = true, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.pair() }
  }
  static func secure(_ isSo: Bool = true, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.secure() }
  }
  static var encrypt: Step { Step { $0.manager.encrypt(at: 0) } }
  static func receive(_ pdus: [UInt8]..., on index: Int = 0) -> Step {
    Step { for pdu in pdus { $0.receive(pdu, at: index) } }
  }
  /// All PDUs for the peer; the code of each; they are not checked.
  static func pdus(
    _ pdus: [UInt8]..., on index: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(pdus, line) { $0.takePDUs(at: index) } }
  static func codes(_ codes: UInt8..., at line: SourceLocation = #_sourceLocation) -> Step {
    check(codes, line) { $0.takePDUs().map { $0[0] } }
  }
  static var drop: Step { Step { _ = $0.takePDUs() } }
  static func has(
    command: Bool? = nil, pdu: Bool? = nil, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { station in
      if let command { expect(station.hasCommand(), is: command, sourceLocation: line) }
      if let pdu { expect(station.hasPDU(), is: pdu, sourceLocation: line) }
    }
  }
  static func requiresEncryption(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.requiresEncryption() }
  }
  /// The delegate's calls; the outcomes among them; the last one; their number.
  static func calls(
    _ calls: PairingRecord.Call..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(calls, line) { $0.calls } }
  static func outcomes(
    _ outcomes: PairingOutcome..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(outcomes, line) { $0.outcomes } }
  static func last(_ outcome: PairingOutcome, at line: SourceLocation = #_sourceLocation) -> Step {
    check(outcome, line) { $0.outcomes.last }
  }
  static func outcomeCount(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.outcomes.count }
  }
  /// The number of bonds; the identity of the first.
  static func bonds(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.bondCount }
  }
  static func bonded(
    to address: DeviceAddress?, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(address, line) { $0.bond()?.identityAddress } }
  static func removeBond(_ number: Int = 0) -> Step { Step { $0.manager.removeBond(at: number) } }
  /// The security of a link; whether it has these properties.
  static func security(
    _ security: LinkSecurity, on index: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(security, line) { $0.manager.security(at: index) } }
  static func security(
    contains part: LinkSecurity, _ isSo: Bool = true, on index: Int = 0,
    at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.manager.security(at: index).contains(part) } }
  static func deadline(_ time: UInt64?, at line: SourceLocation = #_sourceLocation) -> Step {
    check(time, line) { $0.manager.deadline?.rawValue }
  }
  /// Sets the time; with `advances`, the manager learns it.
  static func time(_ time: UInt64, advances: Bool = false) -> Step {
    Step { station in
      station.now = Instant(rawValue: time)
      if advances { station.manager.advance(to: station.now) }
    }
  }
  /// The controller takes the start of an encryption, or there is none; it reports a change.
  static func takesStart(_ isSo: Bool = true, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.manager.takeEncryption(at: 0, at: $0.now) != nil }
  }
  static func changed(_ isEncrypted: Bool, _ status: HCIErrorCode = .success) -> Step {
    Step { $0.manager.encryptionChanged(status, isEncrypted: isEncrypted, at: 0, at: $0.now) }
  }
  static func failure(_ reason: HCIErrorCode?, at line: SourceLocation = #_sourceLocation) -> Step {
    check(reason, line) { $0.manager.takeEncryptionFailure(at: 0) }
  }
  /// The controller requests a key, and gets a reply.
  static func requestKey(_ diversifier: UInt16 = 0, _ number: UInt64 = 0) -> Step {
    Step { $0.requestKey(diversifier, number) }
  }
  static func reply(_ reply: LongTermKeyReply?, at line: SourceLocation = #_sourceLocation) -> Step
  {
    check(reply, line) { $0.manager.takeKeyReply(at: 0) }
  }
  static func recognition(
    _ recognition: ClientRecognition?, on index: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(recognition, line) { $0.manager.takeRecognition(at: index) } }
  static func set<Value: Sendable>(
    policy path: WritableKeyPath<PairingPolicy, Value> & Sendable, _ value: Value
  ) -> Step { Step { $0.manager.policy[keyPath: path] = value } }
  static func set<Value: Sendable>(
    privacy path: WritableKeyPath<PrivacyPolicy, Value> & Sendable, _ value: Value
  ) -> Step { Step { $0.manager.privacy[keyPath: path] = value } }
  static func identity(_ identity: LocalIdentity?) -> Step {
    Step { $0.manager.identity = identity }
  }
  static func controllerStarted(_ features: UInt64 = 0) -> Step {
    Step { $0.manager.controllerStarted(features: features) }
  }
}

extension SecurityStation {
  func requestKey(_ diversifier: UInt16, _ number: UInt64, at index: Int = 0) {
    manager.keyRequested(
      encryptedDiversifier: diversifier, randomNumber: number, at: index, at: now)
  }
}

/// Two devices. By default, both can display and confirm a number.
final class StationPair {
  let central: SecurityStation
  let peripheral: SecurityStation
  /// The peripheral's bond of an earlier pairing.
  var oldBond: Bond?

  init(
    _ policy: PairingPolicy = PairingPolicy(ioCapability: .displayYesNo),
    peripheral other: PairingPolicy = PairingPolicy(ioCapability: .displayYesNo),
    identity: LocalIdentity? = initiatorIdentity
  ) {
    central = SecurityStation(policy, identity: identity, seed: 1)
    peripheral = SecurityStation(other, identity: responderIdentity, seed: 2)
  }

  /// A new link, 100 s later.
  func reconnect(from address: DeviceAddress = initiatorAddress) {
    central.disconnect()
    central.now = central.now.advanced(by: 100_000)
    peripheral.now = central.now
    central.connect(to: peripheral, from: address)
  }
}

extension Step where Subject == StationPair {
  static func central(_ steps: Step<SecurityStation>...) -> Step {
    Step { pair in for step in steps { try step.take(pair.central) } }
  }
  static func peripheral(_ steps: Step<SecurityStation>...) -> Step {
    Step { pair in for step in steps { try step.take(pair.peripheral) } }
  }
  static func both(_ steps: Step<SecurityStation>...) -> Step {
    Step { pair in
      for step in steps { for one in [pair.central, pair.peripheral] { try step.take(one) } }
    }
  }
  static func connect(
    from own: DeviceAddress = initiatorAddress, peer: DeviceAddress = responderAddress
  ) -> Step { Step { $0.central.connect(to: $0.peripheral, from: own, peer: peer) } }
  static var disconnect: Step { Step { $0.central.disconnect() } }
  static func reconnect(from own: DeviceAddress = initiatorAddress) -> Step {
    Step { $0.reconnect(from: own) }
  }
  /// The central pairs, or encrypts, until nothing is left to do.
  static func pairs(at line: SourceLocation = #_sourceLocation) -> Step {
    Step { $0.central.pairs(sourceLocation: line) }
  }
  static func secures(at line: SourceLocation = #_sourceLocation) -> Step {
    Step { $0.central.secures(sourceLocation: line) }
  }
  static var run: Step { Step { $0.central.run() } }
  static var keepBond: Step { Step { $0.oldBond = $0.peripheral.bond() } }
  /// Whether the peripheral still has only the kept bond; if not, it has one with another key.
  static func hasOldBond(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    Step { pair in
      let (old, new) = (try #require(pair.oldBond), try #require(pair.peripheral.bond()))
      expect(pair.peripheral.bondCount, is: 1, sourceLocation: line)
      if isSo {
        expect(new, is: old, sourceLocation: line)
      } else {
        expect(new.longTermKey != old.longTermKey, sourceLocation: line)
      }
    }
  }
}
