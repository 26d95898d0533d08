/// The server's state of one client.
///
/// It begins afresh with each connection (Core Specification, Vol 3, Part F, 3.2.11); a bond
/// restores its `ClientRecord`.
struct ATTBearer: ~Copyable {
  /// The Client Characteristic Configurations, by slot.
  var configurations = ClientConfigurations()
  /// Client Supported Features, first byte. Core Specification, Vol 3, Part G, 7.2.
  var clientFeatures: UInt8 = 0
  /// The queued parts of long values.
  var prepared = PrepareQueue()
  /// Whether an indication was sent and not confirmed. No other may be sent meanwhile.
  var awaitsConfirmation = false
  /// Whether that indication announces the last change of the database.
  var indicatesChange = false
  /// Whether the client knows about that change.
  var awareness = ChangeAwareness.aware
  /// Whether the application has put off a request.
  var hasPutOff = false
  /// The range for the next Service Changed indication.
  var changedServices: AttributeHandleRange?

  /// The security of the link.
  var security = LinkSecurity.none {
    didSet { lacking = AttributeProtection(lackingOn: security) }
  }
  /// The requirements that the link does not meet.
  private(set) var lacking = AttributeProtection(lackingOn: .none)

  init() {}

  /// The error for an attribute that requires more security than the link has.
  ///
  /// Core Specification, Vol 3, Part C, 10.3.1: Insufficient Authentication without a key, or with
  /// one that is not protected against man-in-the-middle attacks; Insufficient Encryption with a
  /// key that the link does not use.
  var securityError: ATTErrorCode {
    !security.contains(.encrypted) && security.contains(.bonded)
      ? .insufficientEncryption : .insufficientAuthentication
  }

  /// Whether the link fails the requirements of `protection` for `use`: `.read` or `.write`.
  @inline(__always)
  func lacks(_ protection: AttributeProtection, for use: AttributeProtection) -> Bool {
    protection.rawValue & lacking.rawValue & use.rawValue != 0
  }

  /// Removes the subscriptions in `range`, and those in slots that no attribute uses. Keeps the
  /// subscription in the slot `exception`.
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
