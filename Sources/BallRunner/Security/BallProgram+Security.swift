import BluetoothHost
import EightBall

// The parts of a ball that protects its links. A program without protection calls and compiles none
// of it.
extension BallProgram where Security: ~Copyable {
  /// When pairing needs a turn; `nil` if nothing is due.
  var securityDeadline: Instant? { host.security.pairingGate.deadline }

  /// At the start: opens pairing if there are no bonds.
  mutating func openFirstPairing(at now: Instant) {
    if host.security.pairingGate.protection != .none, host.security.bondCount == 0 {
      openPairing(at: now)
    }
  }

  private mutating func openPairing(at now: Instant) {
    host.security.pairingGate.open(at: now)
    host.security.isPairingOpen = true
  }

  /// Closes pairing when its time is over. A pairing that has begun continues.
  mutating func advanceSecurity(to now: Instant) {
    guard let closing = host.security.pairingGate.closing, closing <= now else { return }
    host.security.isPairingOpen = false
    host.security.pairingGate.close()
  }

  /// Notes that a button was pressed.
  mutating func note(_ action: FrontPanelAction, at now: Instant) {
    host.security.pairingGate.press(action, at: now)
  }

  /// Carries out the action of a button that was held long enough.
  mutating func holdButtons(at now: Instant) {
    guard host.security.pairingGate.deadline != nil else { return }
    let shake = panel.panel.isPressed(.shake)
    let clear = panel.panel.isPressed(.clear)
    switch host.security.pairingGate.hold(shake: shake, clear: clear, at: now) {
    case .open: openPairing(at: now)
    case .forget:
      host.security.pairingGate.append(.forgotten(host.security.bondCount))
      host.security.forgetBonds()
      // Also ends the links that are encrypted with a deleted key.
      host.disconnectAll()
    case nil: break
    }
  }

  /// The user has answered. Does nothing if no question is open.
  mutating func answer(_ isConfirmed: Bool, at now: Instant) {
    guard let connectionIndex = host.security.pairingGate.question?.connectionIndex else { return }
    host.security.pairingGate.promptIsOver()
    host.security.answer(isConfirmed, at: connectionIndex, at: now)
  }

  /// The question that the user has to answer; `nil` without one.
  var question: PairingPrompt? { host.security.pairingGate.question?.prompt }

  /// Reports the events of pairing.
  ///
  /// - Parameters:
  ///   - endedIndex: The connection that has ended, if its end is the reason to report.
  ///   - endedCentral: Its central.
  @inline(never) mutating func reportSecurity(
    ofEnded endedIndex: Int? = nil, _ endedCentral: DeviceAddress? = nil
  ) {
    // A central has paired.
    if !host.security.isPairingOpen { host.security.pairingGate.close() }
    while host.security.pairingGate.hasEvents, let event = host.security.pairingGate.nextEvent() {
      var central: DeviceAddress?
      switch event {
      case .prompt(_, let connectionIndex), .paired(let connectionIndex, _, _),
        .failed(let connectionIndex, _), .unencrypted(let connectionIndex):
        central =
          connectionIndex == endedIndex
          ? endedCentral : host.server.withApplication { $0.address(at: connectionIndex) }
      case .opened, .closed, .forgotten: break
      }
      printer.report(event, of: central)
    }
  }

  /// Hands the bonds to `port` if they have changed.
  mutating func keepBonds<Port: BondPort & ~Copyable>(on port: inout Port) {
    guard port.keepsBonds, host.security.areBondsChanged else { return }
    keepChangedBonds(on: &port)
  }

  @inline(never) private mutating func keepChangedBonds<Port: BondPort & ~Copyable>(
    on port: inout Port
  ) {
    var file = BondFileBytes()
    host.security.keepBonds(in: &file)
    let isKept = port.keepBonds(file.span)
    file.wipe()
    let wasKept = host.security.pairingGate.areBondsKept
    host.security.pairingGate.areBondsKept = isKept
    guard isKept != wasKept else { return }
    if isKept { return printer.reportBondsKept() }
    var reason = ByteBuffer<384>()
    reason.write { port.writeBondsError(to: &$0) }
    printer.reportBondsLost(reason.span)
  }
}
