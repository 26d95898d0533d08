/// The program that uses a Security Manager: it shows prompts to the user, and receives the
/// results.
///
/// The manager makes these calls while it works: answer a prompt after the call, with
/// `SecurityManager.confirm` or `enterPasskey`. `index` is the connection index.
public protocol PairingDelegate: ~Copyable {
  /// Whether this device is ever the central of a link. If false, the code for it is left out.
  static var isEverCentral: Bool { get }

  /// Whether the manager maintains the controller's resolving list and accept list, and this device
  /// may use private addresses. If false, the code for it is left out, `SecurityManager.privacy`
  /// has no effect, and only the host resolves the addresses of peers.
  static var keepsPrivacy: Bool { get }

  /// Shows the user a prompt. Without an answer the pairing ends 30 s after the last PDU.
  mutating func show(_ prompt: PairingPrompt, at index: Int)

  /// A pairing has ended. Remove its prompts.
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int)

  /// The security of the link changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)

  /// The link could not be encrypted with the key of its bond. The bond stays. With the reason
  /// `pinOrKeyMissing` the peer has lost its own bond.
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int)
}

extension PairingDelegate where Self: ~Copyable {
  /// `true`.
  @inlinable
  public static var isEverCentral: Bool { true }

  /// `true`.
  @inlinable
  public static var keepsPrivacy: Bool { true }
}
