import BluetoothHost
import EightBall

// A ball whose links are protected. Nothing here is called, nor compiled into a program, without that.
extension BallProgram where Security: ~Copyable {
  /// When the desk wants a turn; `nil` if it waits for nothing.
  var securityDeadline: Instant? { host.security.desk.deadline }

  /// The ball begins: one without bonds lets centrals pair.
  mutating func openFirstPairing(at now: Instant) {
    if host.security.bondCount == 0 { openPairing(at: now) }
  }

  private mutating func openPairing(at now: Instant) {
    host.security.desk.open(at: now)
    host.security.isPairingOpen = true
  }

  /// Closes pairing when its time is over. What has begun goes on.
  mutating func advanceSecurity(to now: Instant) {
    guard let closing = host.security.desk.closing, closing <= now else { return }
    if host.security.desk.close(at: now) { host.security.isPairingOpen = false }
  }

  /// A button was pressed.
  mutating func note(_ action: PanelAction, at now: Instant) {
    host.security.desk.press(action, at: now)
  }

  /// Does what the buttons were held for.
  mutating func holdButtons(at now: Instant) {
    guard host.security.desk.deadline != nil else { return }
    let shake = panel.panel.isPressed(.shake)
    let clear = panel.panel.isPressed(.clear)
    switch host.security.desk.hold(shake: shake, clear: clear, at: now) {
    case .open: openPairing(at: now)
    case .forget:
      host.security.desk.append(.forgotten(host.security.bondCount))
      host.security.forgetBonds()
      // Who is encrypted with a key that is forgotten begins afresh, too.
      host.disconnectAll()
    case nil: break
    }
  }

  /// The user has said yes or no. Nothing happens if nobody has asked.
  mutating func answer(_ isConfirmed: Bool, at now: Instant) {
    guard let place = host.security.desk.question?.place else { return }
    host.security.desk.promptIsOver()
    host.security.answer(isConfirmed, at: place, at: now)
  }

  /// What the user has to answer; `nil` if nothing.
  var question: PairingPrompt? { host.security.desk.question?.prompt }

  /// Words what has happened.
  @inline(never)
  mutating func tellSecurity() {
    while host.security.desk.hasNews, let news = host.security.desk.nextNews() {
      var central: DeviceAddress?
      switch news {
      case .prompt(_, let place), .paired(let place, _, _), .failed(let place, _),
        .unencrypted(let place):
        central = host.server.withApplication { $0.address(at: place) }
      case .opened, .closed, .forgotten: break
      }
      printer.tell(news, of: central)
    }
  }

  /// Hands the bonds to `port` if they have changed.
  mutating func keepBonds<Port: BondPort & ~Copyable>(on port: inout Port) {
    guard port.keepsBonds, host.security.areBondsChanged else { return }
    keepChangedBonds(on: &port)
  }

  @inline(never)
  private mutating func keepChangedBonds<Port: BondPort & ~Copyable>(on port: inout Port) {
    var file = BondFileBytes()
    host.security.keepBonds(in: &file)
    let isKept = port.keepBonds(file.span)
    file.wipe()
    let wasKept = host.security.desk.areBondsKept
    host.security.desk.areBondsKept = isKept
    guard isKept != wasKept else { return }
    if isKept { return printer.tellBondsKept() }
    var reason = ByteBuffer<384>()
    reason.write { port.writeBondsTrouble(to: &$0) }
    printer.tellBondsLost(reason.span)
  }
}
