import Foundation

/// How a radio pairs: what its user can see and type, and who answers for the user.
///
/// Apple's CoreBluetooth has no such type: a Mac or a phone asks its user. Here a program sets
/// `CBRadio.pairing`. Without that the radio pairs with everybody and asks nobody (Just Works), which
/// suits tests and machines without a user.
///
///     radio.pairing = CBPairing(ability: .displayYesNo) { request in
///       guard case .compare(let number) = request.prompt else { return request.answer(false) }
///       print("Does the other device show \(number)?")
///       request.answer(readLine() == "yes")
///     }
///
/// Core Specification, Vol 3, Part H, 2.3.5.1.
public struct CBPairing: Sendable {
  /// What the user of this device can see and type.
  public enum Ability: Equatable, Sendable {
    /// Nothing.
    case none
    /// Six digits are shown.
    case display
    /// Six digits are shown, and the user says yes or no.
    case displayYesNo
    /// The user types six digits.
    case keyboard
    /// Six digits are shown, and the user types six digits.
    case keyboardDisplay
  }

  /// What the user has to see or to do.
  public enum Prompt: Equatable, Sendable {
    /// Whether to pair at all: nothing else is compared or typed.
    case confirm
    /// Whether the other device shows the same six digits.
    case compare(String)
    /// Show these six digits, which are typed on the other device. There is nothing to answer.
    case showPasskey(String)
    /// Type the six digits that the other device shows.
    case enterPasskey
  }

  let isOpen: Bool
  let ability: Ability
  let requiresUser: Bool
  let ask: (@Sendable (CBPairingRequest) -> Void)?
  let ended: (@Sendable (UUID, (any Error)?) -> Void)?

  /// Pairs with everybody, and asks nobody.
  public static let automatic = CBPairing(
    isOpen: true, ability: .none, requiresUser: false, ask: nil, ended: nil)

  /// Pairs with nobody. Peers with a bond are encrypted as before.
  public static let refused = CBPairing(
    isOpen: false, ability: .none, requiresUser: false, ask: nil, ended: nil)

  /// Pairs with peers whose requests are answered with yes.
  ///
  /// - Parameters:
  ///   - ability: What the user can see and type, from which the two devices choose what they ask.
  ///   - requiresUser: Whether a pairing without comparison or passkey fails: it is not protected
  ///     against a man in the middle.
  ///   - ended: Called each time a pairing has ended, with the peer's identifier, and with the error
  ///     if it failed: requests of that peer are over.
  ///   - ask: Called for each request, on a queue of its own. It may answer later, from any thread. A
  ///     pairing without an answer fails after 30 s.
  public init(
    ability: Ability, requiresUser: Bool = false,
    ended: (@Sendable (UUID, (any Error)?) -> Void)? = nil,
    ask: @escaping @Sendable (CBPairingRequest) -> Void
  ) {
    self.init(
      isOpen: true, ability: ability, requiresUser: requiresUser, ask: ask, ended: ended)
  }

  private init(
    isOpen: Bool, ability: Ability, requiresUser: Bool,
    ask: (@Sendable (CBPairingRequest) -> Void)?,
    ended: (@Sendable (UUID, (any Error)?) -> Void)?
  ) {
    self.isOpen = isOpen
    self.ability = ability
    self.requiresUser = requiresUser
    self.ask = ask
    self.ended = ended
  }
}

/// Something that a pairing asks the user of this device. The first answer counts.
public final class CBPairingRequest: Sendable {
  /// Who pairs: the identifier of the `CBPeripheral` or of the `CBCentral`.
  public let peer: UUID
  /// What the user has to see or to do.
  public let prompt: CBPairing.Prompt

  /// What the user has said.
  enum Answer: Equatable, Sendable {
    case confirmed(Bool)
    case passkey(UInt32?)
  }

  private let send: @Sendable (Answer) -> Void
  private let isAnswered = Locked(false)

  init(peer: UUID, prompt: CBPairing.Prompt, send: @escaping @Sendable (Answer) -> Void) {
    self.peer = peer
    self.prompt = prompt
    self.send = send
  }

  /// Answers `confirm` and `compare`; `false` also refuses `enterPasskey`. Any other answer does
  /// nothing.
  public func answer(_ isConfirmed: Bool) {
    switch prompt {
    case .confirm, .compare: answer(.confirmed(isConfirmed))
    case .enterPasskey where !isConfirmed: answer(.passkey(nil))
    case .enterPasskey, .showPasskey: return
    }
  }

  /// Answers `enterPasskey` with what the user has typed; for other prompts nothing happens.
  ///
  /// - Parameter passkey: Six digits.
  /// - Returns: `false`, and nothing is answered, if they are not six digits.
  @discardableResult
  public func enter(_ passkey: String) -> Bool {
    guard prompt == .enterPasskey, passkey.utf8.count == 6,
      passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(passkey)
    else { return false }
    answer(.passkey(number))
    return true
  }

  private func answer(_ answer: Answer) {
    let isFirst = isAnswered.withLock { isAnswered in
      defer { isAnswered = true }
      return !isAnswered
    }
    if isFirst { send(answer) }
  }
}
