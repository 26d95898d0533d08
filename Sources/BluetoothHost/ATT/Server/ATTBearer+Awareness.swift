/// Whether a central knows of the last change of the database.
///
/// Core Specification, Vol 3, Part G, 2.5.2.1.
enum ChangeAwareness: UInt8 {
  /// It does: there was none, or it has confirmed that it was told.
  case aware
  /// It does not.
  case unaware
  /// It has been refused for that, or has read the Database Hash: it does with its next request.
  case told
}

/// What becomes of a PDU from a central that may not know of a change.
enum ChangeVerdict {
  /// It is answered as usual.
  case answered
  /// Nothing happens.
  case ignored
  /// It is refused: Database Out Of Sync.
  case refused(ATTOpcode)
}

// Robust caching: for centrals that have said in Client Supported Features that they know of it.
extension ATTBearer {
  /// The services have changed.
  mutating func databaseChanged() {
    awareness = .unaware
    indicatesChange = false
  }

  /// Whether it is told of nothing but the change until it knows of it.
  var isOutOfSync: Bool { awareness != .aware && clientFeatures & Self.robustCaching != 0 }

  /// The first bit. Core Specification, Vol 3, Part G, 7.2.
  private static var robustCaching: UInt8 { 0b001 }

  /// The central has confirmed the last indication.
  mutating func confirm() {
    awaitsConfirmation = false
    guard indicatesChange else { return }
    indicatesChange = false
    awareness = .aware
  }

  /// What becomes of `pdu`; to be asked while the central is not aware of a change.
  ///
  /// - Parameter isInTurn: Whether a request may come: none is waiting for its answer.
  mutating func verdict(on pdu: Span<UInt8>, isInTurn: Bool) -> ChangeVerdict {
    var reader = ByteReader(pdu)
    guard isOutOfSync, let byte = reader.readUInt8() else { return .answered }
    let opcode = ATTOpcode(rawValue: byte)
    if opcode.isCommand { return .ignored }
    guard isInTurn, opcode != .handleValueConfirmation else { return .answered }
    if awareness == .told {
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
        if request.type == .databaseHash { awareness = .told }
        return .answered
      }
    default:
      return .answered
    }
    awareness = .told
    return .refused(opcode)
  }
}
