import BallRunner

/// One metric of Prometheus: its name, its help and its figures.
public struct Metric: Sendable {
  /// The type of a metric, in Prometheus's words.
  public enum Kind: String, Sendable {
    /// A number that goes up and down.
    case gauge
    /// A number that only grows, from 0 at the start of the program.
    case counter
    /// Counts of times by their length.
    case histogram
  }

  /// The samples of a metric.
  enum Samples: Sendable {
    /// The number 1, with the version as a label.
    case version
    /// The number of balls.
    case ballCount
    /// One figure.
    case figure(Figure)
    /// A figure for each value of one label.
    case figures(label: String, [(value: String, figure: Figure)])
    /// A count for each bucket, and the sum in milliseconds. The last bucket has no limit.
    case times([Figure], sum: Figure)
  }

  /// The name, by the rules of `https://prometheus.io/docs/practices/naming/`.
  public let name: String
  /// The help text, one sentence.
  public let help: String
  /// The type of the metric.
  public let kind: Kind

  let samples: Samples

  /// The label of its samples; `nil` without one. A histogram has `le`.
  public var label: String? {
    switch samples {
    case .version: "version"
    case .ballCount, .figure: nil
    case .figures(let label, _): label
    case .times: "le"
    }
  }

  /// The values of the label; empty without a label, or if they are not fixed.
  public var labelValues: [String] {
    switch samples {
    case .version, .ballCount, .figure: []
    case .figures(_, let values): values.map { $0.value }
    case .times(let buckets, _): buckets.map { limit(of: $0) }
    }
  }

  /// The names of its samples: several for a histogram.
  public var sampleNames: [String] {
    kind == .histogram ? [name + "_bucket", name + "_sum", name + "_count"] : [name]
  }

  /// The upper limit of a bucket, in seconds.
  func limit(of bucket: Figure) -> String {
    bucket.longestTime.map { seconds($0) } ?? "+Inf"
  }
}

extension Metric {
  /// All metrics of balls, in the order of the text.
  public static let all: [Metric] = [
    Metric(
      name: "eightball_build_info", help: "The version of the balls, as a label; the value is 1.",
      kind: .gauge, samples: .version),
    Metric(
      name: "eightball_balls", help: "Balls that run here.", kind: .gauge, samples: .ballCount),
    Metric(
      name: "eightball_radios_ready", help: "Balls whose radio works.", kind: .gauge,
      samples: .figure(.radioReady)),
    Metric(
      name: "eightball_connections", help: "Centrals that are connected now.", kind: .gauge,
      samples: .figure(.connections)),
    Metric(
      name: "eightball_connections_total", help: "Connections that have begun.", kind: .counter,
      samples: .figure(.connectionsBegun)),
    Metric(
      name: "eightball_disconnections_total",
      help: "Connections that have ended, by the reason of the Bluetooth specification.",
      kind: .counter,
      samples: .figures(
        label: "reason",
        [
          ("remote_user_terminated", .endedByRemoteUser),
          ("remote_power_off", .endedByRemotePowerOff),
          ("local_host_terminated", .endedByLocalHost),
          ("connection_timeout", .endedByTimeout),
          ("authentication_failure", .endedByAuthenticationFailure),
          ("pin_or_key_missing", .endedByMissingKey),
          ("mic_failure", .endedByMICFailure),
          ("ll_response_timeout", .endedByResponseTimeout),
          ("unacceptable_connection_parameters", .endedByUnacceptableParameters),
          ("failed_to_be_established", .endedBeforeEstablished),
          ("hardware_failure", .endedByHardwareFailure),
          ("other", .endedOtherwise),
        ])),
    Metric(
      name: "eightball_questions_total", help: "Questions that the ball accepted.", kind: .counter,
      samples: .figure(.questions)),
    Metric(
      name: "eightball_refusals_total", help: "Texts that were refused, by the reason.",
      kind: .counter,
      samples: .figures(
        label: "reason",
        [
          ("statement", .refusedStatements), ("not_utf8", .refusedNotUTF8),
          ("too_long", .refusedTooLong),
        ])),
    Metric(
      name: "eightball_answers_total",
      help: "Answers that were sent, including those to a shake.", kind: .counter,
      samples: .figure(.answers)),
    Metric(
      name: "eightball_answer_time_seconds",
      help: "Time from the packet of a question to the packet of its answer.", kind: .histogram,
      samples: .times(
        [
          .answeredWithin1, .answeredWithin5, .answeredWithin10, .answeredWithin50,
          .answeredWithin100, .answeredWithin500, .answeredWithin1000, .answeredWithin5000,
          .answeredLater,
        ], sum: .answerMilliseconds)),
    Metric(
      name: "eightball_hci_packets_total",
      help: "HCI packets, in from the controller and out to it.", kind: .counter,
      samples: .figures(label: "direction", [("in", .packetsIn), ("out", .packetsOut)])),
    Metric(
      name: "eightball_lost_lines_total",
      help: "Lines that were lost: unread, or over the limit of a central.",
      kind: .counter,
      samples: .figures(
        label: "cause", [("unread", .linesUnread), ("limited", .linesLimited)])),
    Metric(
      name: "eightball_missed_events_total",
      help: "Events that were lost before they were counted.", kind: .counter,
      samples: .figure(.eventsMissed)),
  ]
}

/// Milliseconds as seconds without trailing zeros: 50 is 0.05.
func seconds(_ milliseconds: UInt64) -> String {
  var text = "\(milliseconds / 1_000)"
  let rest = milliseconds % 1_000
  guard rest > 0 else { return text }
  text += "." + "\(1_000 + rest)".dropFirst()
  while text.hasSuffix("0") { text.removeLast() }
  return text
}
