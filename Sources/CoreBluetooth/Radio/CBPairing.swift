import Foundation

/// How a radio pairs: what its user can see and type, and the function that asks the user.
///
/// Apple's CoreBluetooth has no such type: a Mac or a phone asks its user. Here a program sets
/// `CBRadio.pairing`. Without that the radio pairs with every peer and never asks (Just Works),
/// which suits tests and machines without a user.
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
    /// No input and no output.
    case none
    /// The device can show six digits.
    case display
    /// The device can show six digits, and the user can answer yes or no.
    case displayYesNo
    /// The user can type six digits.
    case keyboard
    /// The device can show six digits, and the user can type six digits.
    case keyboardDisplay
  }

  /// What the user has to see or do.
  public enum Prompt: Equatable, Sendable {
    /// Whether to pair: nothing is compared or typed.
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

  /// Pairs with every peer, and never asks.
  public static let automatic = CBPairing(isOpen: true)

  /// Refuses every pairing. Links to peers with a bond are still encrypted.
  public static let refused = CBPairing(isOpen: false)

  /// Pairs with peers that the user accepts.
  ///
  /// - Parameters:
  ///   - ability: What the user can see and type. The two devices choose their prompts accordingly.
  ///   - requiresUser: Whether a pairing without comparison or passkey fails: it is not protected
  ///     against a man in the middle.
  ///   - ended: Called after each pairing, with the peer's identifier, and with the error if it
  ///     failed. That peer's requests are then over.
  ///   - ask: Called for each request, on a private queue. It may answer later, from any thread. A
  ///     pairing without an answer fails after 30 s.
  public init(
    ability: Ability, requiresUser: Bool = false,
    ended: (@Sendable (UUID, (any Error)?) -> Void)? = nil,
    ask: @escaping @Sendable (CBPairingRequest) -> Void
  ) {
    self.init(isOpen: true, ability: ability, requiresUser: requiresUser, ask: ask, ended: ended)
  }

  private init(
    isOpen: Bool, ability: Ability = .none, requiresUser: Bool = false,
    ask: (@Sendable (CBPairingRequest) -> Void)? = nil,
    ended: (@Sendable (UUID, (any Error)?) -> Void)? = nil
  ) {
    self.isOpen = isOpen
    self.ability = ability
    self.requiresUser = requiresUser
    self.ask = ask
    self.ended = ended
  }
}

/// A question of a pairing to the user of this device. The first answer counts.
public final class CBPairingRequest: Sendable {
  /// The peer: the identifier of the `CBPeripheral` or of the `CBCentral`.
  public let peer: UUID
  /// What the user has to see or do.
  public let prompt: CBPairing.Prompt

  /// The user's answer.
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

  /// Answers `confirm` and `compare`. `false` also refuses `enterPasskey`. Otherwise it has no
  /// effect.
  public func answer(_ isConfirmed: Bool) {
    switch prompt {
    case .confirm, .compare: answer(.confirmed(isConfirmed))
    case .enterPasskey where !isConfirmed: answer(.passkey(nil))
    case .enterPasskey, .showPasskey: return
    }
  }

  /// Answers `enterPasskey` with what the user has typed.
  ///
  /// - Parameter passkey: Six digits.
  /// - Returns: `false`, with no answer, if they are not six digits or the prompt is another.
  @discardableResult public func enter(_ passkey: String) -> Bool {
    guard prompt == .enterPasskey, passkey.utf8.count == 6,
      passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(passkey)
    else { return false }
    answer(.passkey(number))
    return true
  }

  private func answer(_ answer: Answer) { if isAnswered.set() { send(answer) } }
}
