/// One number that a ball counts about itself.
///
/// All but `radioReady` and `connections` only grow while the ball runs.
public enum Figure: Int, Sendable {
  /// 1 while the radio works, 0 while it starts or is lost.
  case radioReady
  /// The centrals that are connected now.
  case connections
  /// The connections that have begun.
  case connectionsBegun
  /// The questions that were taken.
  case questions
  /// The answers that were sent, including those to a shake.
  case answers

  // Refused writes, by `QuestionError`.
  /// Writes refused because they do not end in `?`.
  case refusedStatements
  /// Writes refused because they are not UTF-8.
  case refusedNotUTF8
  /// Writes refused because they are too long.
  case refusedTooLong

  // Links that have ended, by the reason. Core Specification, Vol 1, Part F.
  /// Links that ended with reason 0x13: the central ended them.
  case endedByRemoteUser
  /// Links that ended with reason 0x15: the central switches off.
  case endedByRemotePowerOff
  /// Links that ended with reason 0x16: the ball ended them.
  case endedByLocalHost
  /// Links that ended with reason 0x08: no packets came from the central.
  case endedByTimeout
  /// Links that ended with reason 0x05: the authentication failed.
  case endedByAuthenticationFailure
  /// Links that ended with reason 0x06: a key is missing.
  case endedByMissingKey
  /// Links that ended with reason 0x3D: the check of an encrypted packet failed.
  case endedByMICFailure
  /// Links that ended with reason 0x22: a Link Layer procedure had no response.
  case endedByResponseTimeout
  /// Links that ended with reason 0x3B: the connection parameters were refused.
  case endedByUnacceptableParameters
  /// Links that ended with reason 0x3E: no packet came after the connection request.
  case endedBeforeEstablished
  /// Links that ended with reason 0x03: the radio failed.
  case endedByHardwareFailure
  /// Links that ended with another reason.
  case endedOtherwise

  // Answered questions, by the time from the question's packet to the answer's packet. Each is
  // counted in the first case that it fits.
  /// Questions answered within 1 ms.
  case answeredWithin1
  /// Questions answered within 5 ms, but not within 1.
  case answeredWithin5
  /// Questions answered within 10 ms, but not within 5.
  case answeredWithin10
  /// Questions answered within 50 ms, but not within 10.
  case answeredWithin50
  /// Questions answered within 100 ms, but not within 50.
  case answeredWithin100
  /// Questions answered within 500 ms, but not within 100.
  case answeredWithin500
  /// Questions answered within 1,000 ms, but not within 500.
  case answeredWithin1000
  /// Questions answered within 5,000 ms, but not within 1,000.
  case answeredWithin5000
  /// Questions answered after more than 5,000 ms.
  case answeredLater
  /// The sum of these times, in milliseconds.
  case answerMilliseconds

  /// HCI packets from the controller.
  case packetsIn
  /// HCI packets to the controller.
  case packetsOut

  /// Lines that were lost because nothing read them.
  case linesUnread
  /// Lines that a central's limit left out.
  case linesLimited
  /// Events that were lost before they were counted.
  case eventsMissed

  /// How many figures there are.
  public static var count: Int { eventsMissed.rawValue + 1 }

  /// What the figure is called in the event `figures`.
  public var name: StaticString {
    switch self {
    case .radioReady: "radio_ready"
    case .connections: "connections"
    case .connectionsBegun: "connections_total"
    case .questions: "questions"
    case .answers: "answers"
    case .refusedStatements: "refusals_statement"
    case .refusedNotUTF8: "refusals_not_utf8"
    case .refusedTooLong: "refusals_too_long"
    case .endedByRemoteUser: "disconnections_remote_user_terminated"
    case .endedByRemotePowerOff: "disconnections_remote_power_off"
    case .endedByLocalHost: "disconnections_local_host_terminated"
    case .endedByTimeout: "disconnections_connection_timeout"
    case .endedByAuthenticationFailure: "disconnections_authentication_failure"
    case .endedByMissingKey: "disconnections_pin_or_key_missing"
    case .endedByMICFailure: "disconnections_mic_failure"
    case .endedByResponseTimeout: "disconnections_ll_response_timeout"
    case .endedByUnacceptableParameters: "disconnections_unacceptable_connection_parameters"
    case .endedBeforeEstablished: "disconnections_failed_to_be_established"
    case .endedByHardwareFailure: "disconnections_hardware_failure"
    case .endedOtherwise: "disconnections_other"
    case .answeredWithin1: "answered_within_1_ms"
    case .answeredWithin5: "answered_within_5_ms"
    case .answeredWithin10: "answered_within_10_ms"
    case .answeredWithin50: "answered_within_50_ms"
    case .answeredWithin100: "answered_within_100_ms"
    case .answeredWithin500: "answered_within_500_ms"
    case .answeredWithin1000: "answered_within_1000_ms"
    case .answeredWithin5000: "answered_within_5000_ms"
    case .answeredLater: "answered_later"
    case .answerMilliseconds: "answer_milliseconds"
    case .packetsIn: "packets_in"
    case .packetsOut: "packets_out"
    case .linesUnread: "lines_unread"
    case .linesLimited: "lines_limited"
    case .eventsMissed: "events_missed"
    }
  }
}
