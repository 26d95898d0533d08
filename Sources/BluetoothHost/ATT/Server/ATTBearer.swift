/// What the server keeps of one client.
///
/// Core Specification, Vol 3, Part F, 3.2.11: all of it begins anew with each connection, since
/// there are no bonds.
struct ATTBearer: ~Copyable {
  /// The Client Characteristic Configurations, by slot.
  var configurations = ClientConfigurations()
  /// Client Supported Features, first byte. Core Specification, Vol 3, Part G, 7.2.
  var clientFeatures: UInt8 = 0
  /// The parts of long values not yet executed.
  var prepared = PrepareQueue()
  /// Whether an indication has been sent that is not confirmed: no other may follow until it is.
  var awaitsConfirmation = false
  /// Whether that indication is of the last change of the database.
  var indicatesChange = false
  /// Whether the client knows of that change.
  var awareness = ChangeAwareness.aware
  /// Whether a request waits for the application.
  var hasPutOff = false
  /// The range for the next Service Changed indication.
  var changedServices: AttributeHandleRange?

  /// What protects the link.
  var security = LinkSecurity.none {
    didSet { lacking = AttributeProtection(lackingOn: security) }
  }
  /// What the link lacks of what attributes may want.
  private(set) var lacking = AttributeProtection(lackingOn: .none)

  init() {}

  /// Why a client may not do what it wants with an attribute that its link is too weak for.
  ///
  /// Core Specification, Vol 3, Part C, 10.3.1: without a key for the link, or with one that was not
  /// protected against a man in the middle, Insufficient Authentication; with a key that the link is not
  /// encrypted with, Insufficient Encryption.
  var securityError: ATTErrorCode {
    !security.contains(.encrypted) && security.contains(.bonded)
      ? .insufficientEncryption : .insufficientAuthentication
  }

  /// Whether the link lacks what an attribute with this protection wants for `use`: `.read` or `.write`.
  @inline(__always)
  func lacks(_ protection: AttributeProtection, for use: AttributeProtection) -> Bool {
    protection.rawValue & lacking.rawValue & use.rawValue != 0
  }

  /// Forgets what the central wants to be told but for the descriptors among `attributes` that are
  /// not in `range`, and the one with the slot `exception`.
  mutating func keepConfigurations(
    of attributes: Span<Attribute>, outside range: AttributeHandleRange, and exception: Int?
  ) {
    var kept = ClientConfigurations()
    if let exception { kept[exception] = configurations[exception] }
    for index in attributes.indices {
      guard case .clientConfiguration(let slot) = attributes[index].value else { continue }
      let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
      if handle < range.start || handle > range.end { kept[slot] = configurations[slot] }
    }
    configurations = kept
  }
}
