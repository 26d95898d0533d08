import BluetoothHost

extension AskOutcome {
  /// What happened and what may help, for people.
  func explanation(for request: AskRequest) -> String {
    switch self {
    case .answered(let text):
      "Answer: \(printable(text))"
    case .refused:
      "Refused: please phrase it as a question (it must end in “?”)."
    case .failed(let error) where error.wantsPairing:
      "The ball answers only paired centrals: hold its shake button for 3 s, then run eightball "
        + "ask --pair."
    case .noBallFound:
      request.name.map {
        "No ball called “\(printable($0))” was found. Is it running, on the same radio, and near?"
      } ?? "No ball was found. Is one running, on the same radio, and near? (eightball run)"
    case .failed(.keys):
      "The ball does not accept the bond: it has lost its key, or another ball has its address. "
        + "Forget the bond with eightball bonds --of-ask --remove all, hold the ball's shake "
        + "button for 3 s, then run eightball ask --pair."
    case .failed(let error):
      "\(error.sentence) (\(error.slug))"
    case .unreachable(let error):
      "A ball was found, but the connection failed" + (error.map { ": \($0.sentence)" } ?? ".")
        + " Try again."
    case .noService(let name):
      "“\(printable(name))” advertises as a ball, but lacks the ball's service."
    case .timedOut:
      "The ball did not answer in time. Try again, or wait longer with --timeout."
    case .disconnected:
      "The connection was closed. Try again."
    case .cancelled:
      "Stopped."
    case .radioFailed(let error):
      "The radio failed: \(eightball.sentence(error.description))"
    case .inputEnded:
      "Standard input has ended."
    }
  }

  /// What happened, in a word or two, for programs.
  var word: String {
    switch self {
    case .answered: "answered"
    case .refused: "refused"
    case .failed(let error): error.wantsPairing || error == .keys ? "not paired" : "error"
    case .noBallFound: "no ball found"
    case .unreachable: "unreachable"
    case .noService: "no service"
    case .timedOut: "timed out"
    case .disconnected: "disconnected"
    case .cancelled: "stopped"
    case .radioFailed: "radio"
    case .inputEnded: "input ended"
    }
  }
}

extension AskError {
  /// Whether the ball refused because there is no bond, or only one that is too weak.
  fileprivate var wantsPairing: Bool {
    switch self {
    case .discovery(let code), .refused(let code): code.wantsProtection
    case .offline, .connectionLimit, .keys: false
    }
  }

  /// The error as a sentence.
  fileprivate var sentence: String {
    switch self {
    case .offline: "The device is offline."
    case .connectionLimit: "Bluetooth failed: The maximum number of connections has been reached."
    case .keys: "The bond's key did not encrypt the connection."
    case .discovery(let code): "Bluetooth failed: \(code.sentence)"
    case .refused(let code): "The device refused: \(code.sentence)"
    }
  }

  /// A fixed name for this kind of error, as in the SDK.
  fileprivate var slug: String {
    switch self {
    case .offline: "ITCB-SDK-REJECT-OFFLINE"
    case .connectionLimit, .keys, .discovery: "ITCB-SDK-ERROR-BLUETOOTH"
    case .refused: "ITCB-SDK-REJECT-PERIPHERAL-ERROR"
    }
  }
}

extension ATTErrorCode {
  /// The error as a sentence.
  fileprivate var sentence: String {
    switch self {
    case .invalidHandle: "The handle is invalid."
    case .readNotPermitted: "Reading is not permitted."
    case .writeNotPermitted: "Writing is not permitted."
    case .invalidPDU: "The command is invalid."
    case .insufficientAuthentication: "Authentication is insufficient."
    case .requestNotSupported: "The request is not supported."
    case .invalidOffset: "The offset is invalid."
    case .insufficientAuthorization: "Authorization is insufficient."
    case .prepareQueueFull: "Prepare queue is full."
    case .attributeNotFound: "The attribute could not be found."
    case .attributeNotLong: "The attribute is not long."
    case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
    case .invalidAttributeValueLength: "The value's length is invalid."
    case .unlikelyError: "Unlikely error."
    case .insufficientEncryption: "Encryption is insufficient."
    case .unsupportedGroupType: "The group type is unsupported."
    case .insufficientResources: "Resources are insufficient."
    default: "Unknown ATT error 0x\(String(rawValue, radix: 16, uppercase: true))."
    }
  }
}
