import BluetoothHost

/// Something that has happened to the protection of a ball's links. Keys are no part of it.
enum PairingNews: Equatable, Sendable {
  /// Centrals may pair, for so many seconds.
  case opened(seconds: Int)
  /// No central may pair any more.
  case closed
  /// The user has to see something, or to answer.
  case prompt(PairingPrompt, place: Int)
  /// A central has paired. It goes by this address from now on, whatever it has on a link.
  case paired(place: Int, identity: DeviceAddress?, LinkSecurity)
  /// A pairing has failed.
  case failed(place: Int, PairingFault)
  /// A central could not encrypt its link with the key of its bond.
  case unencrypted(place: Int)
  /// So many bonds are forgotten.
  case forgotten(Int)
}

/// Why a pairing has failed.
enum PairingFault: Equatable, Sendable {
  /// This device ended it.
  case own(PairingFailure)
  /// The other side ended it.
  case peer(PairingFailure)
  /// The other side said nothing for 30 s.
  case timeout
  /// The link was lost.
  case linkLost
  /// The controller could not encrypt the link with the new key.
  case encryption(HCIErrorCode)
}
