/// What the server keeps of one central.
///
/// Core Specification, Vol 3, Part F, 3.2.11: all of it begins anew with each connection, since
/// there are no bonds.
struct ATTBearer: ~Copyable {
  /// What both sides take.
  var mtu = ATTMTU.minimum
  /// What the central wants to be told, by slot.
  var configurations = InlineArray<8, ClientConfiguration>(repeating: .none)
  /// Client Supported Features, first byte. Core Specification, Vol 3, Part G, 7.2.
  var clientFeatures: UInt8 = 0
  /// The parts of long values not yet executed.
  var prepared = PrepareQueue()
  /// Whether an indication has been sent that is not confirmed: no other may follow until it is.
  var awaitsConfirmation = false

  init() {}

  /// Begins anew, for another central.
  mutating func reset() {
    mtu = .minimum
    for slot in configurations.indices { configurations[slot] = .none }
    clientFeatures = 0
    prepared.removeAll()
    awaitsConfirmation = false
  }
}
