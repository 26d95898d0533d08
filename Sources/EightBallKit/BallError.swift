import Foundation

/// An error of the SDK. Its underlying error is a `RejectionReason`, another `BallError`, or
/// CoreBluetooth's error.
public indirect enum BallError: Error {
  /// Bluetooth failed.
  case coreBluetooth((any Error)?)
  /// A question or an answer could not be sent.
  case sendFailed((any Error)?)
  /// Anything else.
  case unknown((any Error)?)

  /// The underlying error, if there is one.
  public var underlyingError: (any Error)? {
    switch self {
    case .coreBluetooth(let error), .sendFailed(let error), .unknown(let error): error
    }
  }

  /// A fixed name for this kind of error, for apps to look up their text.
  public var slug: String {
    switch self {
    case .coreBluetooth: "ITCB-SDK-ERROR-BLUETOOTH"
    case .sendFailed: "ITCB-SDK-ERROR-SEND-FAILURE"
    case .unknown: "ITCB-SDK-ERROR-UNKNOWN"
    }
  }

  /// The underlying `RejectionReason`, at any depth; `nil` if there is none.
  public var rejection: RejectionReason? {
    switch underlyingError {
    case let reason as RejectionReason: reason
    case let error as BallError: error.rejection
    default: nil
    }
  }
}

extension BallError: LocalizedError {
  /// The error in English.
  public var errorDescription: String? {
    if let rejection { return rejection.errorDescription }
    let detail = underlyingError.map { ": " + $0.localizedDescription } ?? "."
    return switch self {
    case .coreBluetooth: "Bluetooth failed" + detail
    case .sendFailed: "It could not be sent" + detail
    case .unknown: "Something unexpected happened" + detail
    }
  }
}

extension BallError: CustomStringConvertible {
  /// The error in English.
  public var description: String { errorDescription ?? slug }
}

/// Why a device did not accept a question, or did not answer it.
public enum RejectionReason: Error {
  /// It is not connected, or has no ball service.
  case deviceOffline
  /// It is busy with other devices. The SDK never uses this reason; an app may, with `reject`.
  case deviceBusy
  /// It did not answer within `BallCentral.Options.answerTimeout`. The link may still exist.
  case timedOut
  /// The text is not a question: it does not end in a question mark.
  case questionPlease
  /// It refused with another error.
  case peripheralError((any Error)?)
  /// Anything else.
  case unknown((any Error)?)

  /// A fixed name for this reason, for apps to look up their text.
  public var slug: String {
    switch self {
    case .deviceOffline: "ITCB-SDK-REJECT-OFFLINE"
    case .deviceBusy: "ITCB-SDK-REJECT-BUSY"
    case .timedOut: "ITCB-SDK-REJECT-TIMED-OUT"
    case .questionPlease: "ITCB-SDK-REJECT-NO-QUESTION-MARK"
    case .peripheralError: "ITCB-SDK-REJECT-PERIPHERAL-ERROR"
    case .unknown: "ITCB-SDK-REJECT-UNKNOWN"
    }
  }
}

extension RejectionReason: LocalizedError {
  /// The error in English.
  public var errorDescription: String? {
    switch self {
    case .deviceOffline: "The device is offline."
    case .deviceBusy: "The device is busy."
    case .timedOut: "The device did not answer in time."
    case .questionPlease: "Please phrase it as a question."
    case .peripheralError(let error):
      "The device refused" + (error.map { ": " + $0.localizedDescription } ?? ".")
    case .unknown(let error):
      "The device refused for an unknown reason"
        + (error.map { ": " + $0.localizedDescription } ?? ".")
    }
  }
}

extension RejectionReason: CustomStringConvertible {
  /// The error in English.
  public var description: String { errorDescription ?? slug }
}

extension BallError: Equatable {
  /// Whether the kinds are the same, and the underlying errors by domain and code.
  public static func == (left: BallError, right: BallError) -> Bool {
    switch (left, right) {
    case (.coreBluetooth(let left), .coreBluetooth(let right)),
      (.sendFailed(let left), .sendFailed(let right)), (.unknown(let left), .unknown(let right)):
      areSame(left, right)
    default: false
    }
  }
}

extension RejectionReason: Equatable {
  /// Whether the reasons are the same, and the underlying errors by domain and code.
  public static func == (left: RejectionReason, right: RejectionReason) -> Bool {
    switch (left, right) {
    case (.deviceOffline, .deviceOffline), (.deviceBusy, .deviceBusy), (.timedOut, .timedOut),
      (.questionPlease, .questionPlease):
      true
    case (.peripheralError(let left), .peripheralError(let right)),
      (.unknown(let left), .unknown(let right)):
      areSame(left, right)
    default: false
    }
  }
}

private func areSame(_ left: (any Error)?, _ right: (any Error)?) -> Bool {
  switch (left, right) {
  case (nil, nil): return true
  case (let left as BallError, let right as BallError): return left == right
  case (let left as RejectionReason, let right as RejectionReason): return left == right
  case (let left?, let right?):
    let left = left as NSError
    let right = right as NSError
    return left.domain == right.domain && left.code == right.code
  default: return false
  }
}
