/// Why a radio was lost.
public enum RadioLoss: Equatable, Sendable {
  /// The port could not read or write: it knows why.
  case port
  /// The other side closed the connection.
  case closed
  /// A packet cannot begin with this byte, so the stream cannot be read on.
  case lostSync(UInt8)
  /// The controller left every Reset unanswered.
  case silent
  /// The virtual air behind the connection has no room for another radio.
  case airIsFull
}
