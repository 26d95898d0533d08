import BluetoothCentral
import BluetoothHost

extension BallOutcome {
  /// What happened and what may help, for people.
  func sentence(_ inquiry: BallInquiry) -> String {
    switch self {
    case .answered(let text):
      "Answer: \(printable(text))"
    case .refused:
      "Refused: please phrase it as a question (it must end in “?”)."
    case .error(let code):
      "Refused: the ball gives ATT error 0x\(hexadecimal(code.rawValue))."
    case .noBallFound:
      inquiry.name.map {
        "No ball called “\(printable($0))” was found. Is it running, on the same radio, and near?"
      } ?? "No ball was found. Is one running, on the same radio, and near? (eightball run)"
    case .unreachable(let failure):
      "A ball was found, but could not be connected to: \(failure.phrase). Try again."
    case .timedOut:
      "The ball did not answer in time. Try again, or wait longer with --timeout."
    case .disconnected(let reason):
      "The ball is gone: the connection was closed \(reason.phrase)."
    case .misbehaved(let fault):
      "This is no ball as it should be: \(fault.phrase)."
    case .tooLong(let limit):
      "The question is too long for this ball: it takes at most \(limit) bytes."
    case .cancelled:
      "Stopped."
    case .radioTrouble(let fault):
      "The radio failed: \(fault.description)."
    }
  }

  /// What happened, in a word or two, for programs.
  var word: String {
    switch self {
    case .answered: "answered"
    case .refused: "refused"
    case .error: "att error"
    case .noBallFound: "no ball found"
    case .unreachable: "unreachable"
    case .timedOut: "timed out"
    case .disconnected: "disconnected"
    case .misbehaved: "misbehaved"
    case .tooLong: "too long"
    case .cancelled: "stopped"
    case .radioTrouble: "radio"
    }
  }
}

extension HCIErrorCode {
  /// How a connection ended, to follow "closed" or "Disconnected".
  var ending: String {
    switch self {
    case .remoteUserTerminatedConnection: "by the other side"
    case .remoteDevicePoweredOff: "by the other side, which is switching off"
    case .connectionTerminatedByLocalHost: "by this side"
    case .connectionTimeout: "because the other side was no longer heard"
    case .hardwareFailure: "because the radio failed"
    default: "for HCI reason 0x\(hexadecimal(rawValue))"
    }
  }
}

extension DisconnectionReason {
  fileprivate var phrase: String {
    switch self {
    case .controller(let code): code.ending
    case .unconfirmed: "without a word from the controller"
    case .radioLost: "because the radio failed"
    }
  }
}

extension ConnectionFailure {
  fileprivate var phrase: String {
    switch self {
    case .timedOut: "it did not take the connection in time"
    case .cancelled: "the attempt was given up"
    case .controller(.connectionFailedToBeEstablished): "it went out of reach"
    case .controller(let code): "HCI error 0x\(hexadecimal(code.rawValue))"
    case .radioLost: "the radio failed"
    }
  }
}

extension BallFault {
  fileprivate var phrase: String {
    switch self {
    case .noService: "it advertises the ball's service, but does not have it"
    case .noQuestion: "it has nothing that a question can be written to"
    case .noAnswer: "it has nothing that tells the answer"
    case .wrongResponse(let fault): fault.phrase
    }
  }
}

extension ResponseFault {
  fileprivate var phrase: String {
    switch self {
    case .unexpected(let opcode, let awaited):
      "it sent ATT PDU 0x\(hexadecimal(opcode.rawValue)) where "
        + "0x\(hexadecimal(awaited.rawValue)) was due"
    case .malformed(let opcode):
      "its ATT PDU 0x\(hexadecimal(opcode.rawValue)) was malformed"
    case .outOfOrder(let handle):
      "it told of attribute 0x\(hexadecimal(handle.rawValue)) out of order"
    case .echoDiffers(let offset):
      "it changed the question at byte \(offset)"
    case .valueTooLong:
      "its value is longer than 512 bytes"
    }
  }
}
