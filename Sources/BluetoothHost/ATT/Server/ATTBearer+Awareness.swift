/// Whether a client knows about the last change of the database.
///
/// Core Specification, Vol 3, Part G, 2.5.2.1.
enum ChangeAwareness: UInt8 {
  /// The client is change-aware: nothing changed, or it has confirmed the change.
  case aware
  /// The client is change-unaware.
  case unaware
  /// The client got Database Out Of Sync, or read the Database Hash: its next request makes it
  /// change-aware.
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

  /// Whether the client is change-unaware and supports robust caching. It then gets no notification
  /// or indication except Service Changed.
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

  /// Decides about `pdu`, while the client is not change-aware.
  ///
  /// - Parameter isInTurn: Whether the client may send a request: no response is due.
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
    default:
      return .answered
    }
    awareness = .awareWithNextRequest
    return .refused(opcode)
  }
}
