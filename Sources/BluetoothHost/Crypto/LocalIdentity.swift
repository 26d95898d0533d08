/// The permanent identity of this device.
public struct LocalIdentity: Sendable {
  /// The key that resolves its resolvable private addresses; zero if it uses none.
  public var identityResolvingKey: Number128
  /// A public or a static random address.
  public var address: DeviceAddress

  /// Creates an identity, which is distributed to peers that request it.
  public init(identityResolvingKey: Number128, address: DeviceAddress) {
    self.identityResolvingKey = identityResolvingKey
    self.address = address
  }
}
