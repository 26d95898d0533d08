/// The server's state of one client, new with each link
/// (Core Specification, Vol 3, Part F, 3.2.11); a bond restores its `ClientRecord`.
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
  var security = LinkSecurity.none { didSet { lacking = AttributeProtection(lackingOn: security) } }
  /// The requirements that the link does not meet.
  private(set) var lacking = AttributeProtection(lackingOn: .none)

  init() {}

  /// The error for a link with too little security: Core Specification, Vol 3, Part C, 10.3.1.
  /// Insufficient Encryption with a key that the link does not use, else Insufficient
  /// Authentication.
  var securityError: ATTErrorCode {
    !security.contains(.encrypted) && security.contains(.bonded)
      ? .insufficientEncryption : .insufficientAuthentication
  }

  /// Whether the link fails the requirements of `protection` for `use`: `.read` or `.write`.
  @inline(__always) func lacks(_ protection: AttributeProtection, for use: AttributeProtection)
    -> Bool
  { protection.rawValue & lacking.rawValue & use.rawValue != 0 }

  /// Removes the subscriptions in `range` and in unused slots, but not that of `exception`.
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

/// Whether a client knows the last change of the database:
/// Core Specification, Vol 3, Part G, 2.5.2.1.
enum ChangeAwareness: UInt8 {
  /// The client is change-aware: nothing changed, or it has confirmed the change.
  case aware
  /// The client is change-unaware.
  case unaware
  /// It got Database Out Of Sync or read the hash: its next request makes it change-aware.
  case awareWithNextRequest
}

/// What the server does with a PDU of a client that may be change-unaware.
enum ChangeVerdict {
  /// The server handles it as usual.
  case answered
  /// The server ignores it.
  case ignored
  /// The server refuses it with Database Out Of Sync.
  case refused(ATTOpcode)
}

// Robust caching, for clients that support it according to their Client Supported Features.
extension ATTBearer {
  /// Makes the client change-unaware.
  mutating func databaseChanged() {
    awareness = .unaware
    indicatesChange = false
  }

  /// Whether the client is change-unaware and supports robust caching: it then gets only Service
  /// Changed.
  var isOutOfSync: Bool { awareness != .aware && clientFeatures & Self.robustCaching != 0 }

  /// Bit 0 of Client Supported Features. Core Specification, Vol 3, Part G, 7.2.
  private static var robustCaching: UInt8 { 0b001 }

  /// Takes the client's confirmation of an indication.
  mutating func confirm() {
    awaitsConfirmation = false
    guard indicatesChange else { return }
    indicatesChange = false
    awareness = .aware
  }

  /// Decides about `pdu` of a client that is not change-aware; `isInTurn` if no response is due.
  mutating func verdict(on pdu: Span<UInt8>, isInTurn: Bool) -> ChangeVerdict {
    var reader = ByteReader(pdu)
    guard isOutOfSync, let byte = reader.readUInt8() else { return .answered }
    let opcode = ATTOpcode(rawValue: byte)
    if opcode.isCommand { return .ignored }
    guard isInTurn, opcode != .handleValueConfirmation else { return .answered }
    if awareness == .awareWithNextRequest {
      awareness = .aware
      return .answered
    }
    switch opcode {
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
      .writeRequest, .prepareWriteRequest:
      break
    case .readByTypeRequest:
      guard let request = ReadByTypeRequest(&reader) else { return .answered }
      if request.type == .include || request.type == .characteristic { return .answered }
      if request.range == .all {
        if request.type == .databaseHash { awareness = .awareWithNextRequest }
        return .answered
      }
    default: return .answered
    }
    awareness = .awareWithNextRequest
    return .refused(opcode)
  }
}
