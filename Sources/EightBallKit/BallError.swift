import Foundation

/// What went wrong.
///
/// The error within says more: a `RejectionReason`, another `BallError`, or CoreBluetooth's error.
public indirect enum BallError: Error {
  /// Bluetooth failed.
  case coreBluetooth((any Error)?)
  /// A question or an answer could not be sent.
  case sendFailed((any Error)?)
  /// Anything else.
  case unknown((any Error)?)

  /// The error within, if there is one.
  public var underlyingError: (any Error)? {
    switch self {
    case .coreBluetooth(let error), .sendFailed(let error), .unknown(let error): error
    }
  }

  /// A fixed name for this kind of error, by which apps look up their own words.
  public var slug: String {
    switch self {
    case .coreBluetooth: "ITCB-SDK-ERROR-BLUETOOTH"
    case .sendFailed: "ITCB-SDK-ERROR-SEND-FAILURE"
    case .unknown: "ITCB-SDK-ERROR-UNKNOWN"
    }
  }

  /// The `RejectionReason` within, at any depth; `nil` if there is none.
  public var rejection: RejectionReason? {
    switch underlyingError {
    case let reason as RejectionReason: reason
    case let error as BallError: error.rejection
    default: nil
    }
  }
}

extension BallError: LocalizedError {
  /// What happened, in English.
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
  /// What happened, in English.
  public var description: String { errorDescription ?? slug }
}

/// Why a device did not take a question, or did not answer it.
public enum RejectionReason: Error {
  /// It has gone, or has no service of a ball.
  case deviceOffline
  /// It is busy with others. The SDK never gives this reason by itself; an app may, to `reject`.
  case deviceBusy
  /// It did not answer within `BallCentral.Options.answerTimeout`. The link may still be there.
  case timedOut
  /// It wants a question, which ends in a question mark.
  case questionPlease
  /// It refused for a reason of its own.
  case peripheralError((any Error)?)
  /// Anything else.
  case unknown((any Error)?)

  /// A fixed name for this reason, by which apps look up their own words.
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
  /// What happened, in English.
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
  /// What happened, in English.
  public var description: String { errorDescription ?? slug }
}

extension BallError: Equatable {
  /// Whether they are of one kind, and the errors within are the same by domain and code.
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
  /// Whether they are the same reason, and the errors within are the same by domain and code.
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
