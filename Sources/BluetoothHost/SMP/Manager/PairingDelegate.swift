/// The owner of a Security Manager: shows what the user has to see, and hears how it ends.
///
/// The calls come while the manager works: answer a prompt later, by `SecurityManager.confirm` or
/// `enterPasskey`. `index` is the number of the connection.
public protocol PairingDelegate: ~Copyable {
  /// Whether this device ever is the central of a link. The code for it is left out where this is false.
  static var isEverCentral: Bool { get }

  /// Whether the controller's resolving list and accept list are kept, and whether this device may hide
  /// who it is. Where this is false, the code for it is left out, `SecurityManager.privacy` has no effect,
  /// and the host alone resolves the addresses of peers.
  static var keepsPrivacy: Bool { get }

  /// Shows the user a prompt. A prompt without an answer ends with the pairing, 30 s after the last
  /// PDU.
  mutating func show(_ prompt: PairingPrompt, at index: Int)

  /// A pairing has ended: prompts on this connection are over.
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int)

  /// What protects the link has changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)

  /// The link could not be encrypted with the key of the bond, which is kept. With the reason
  /// `pinOrKeyMissing` the peer has lost its own.
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
