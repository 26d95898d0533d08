import BallRunner
import Expectations

@testable import BallControl

@Suite("The text for Prometheus")
struct MetricsTextTests {
  /// Figures that are all different.
  static let figures: BallFigures = {
    var figures = BallFigures()
    for number in 0..<Figure.count {
      guard let figure = Figure(rawValue: number) else { continue }
      figures[figure] = UInt64(number + 100)
    }
    figures[.radioReady] = 1
    // Four answers: two within 1 ms, one of 7 ms, one of 12,034 ms; 12,041 ms in all.
    for figure in [
      Figure.answeredWithin1, .answeredWithin5, .answeredWithin10, .answeredWithin50,
      .answeredWithin100, .answeredWithin500, .answeredWithin1000, .answeredWithin5000,
      .answeredLater, .answerMilliseconds,
    ] { figures[figure] = 0 }
    for time in [0, 0, 7, 12_034] as [UInt64] { figures.countAnswer(after: time) }
    return figures
  }()

  @Test("The text for one ball has every metric")
  func golden() {
    var one = MetricsText()
    one.add(Self.figures, version: "0.2.0")
    expect(
      one.text,
      is: """
        # HELP eightball_build_info The version of the balls, as a label; the value is 1.
        # TYPE eightball_build_info gauge
        eightball_build_info{version="0.2.0"} 1
        # HELP eightball_balls Balls that run here.
        # TYPE eightball_balls gauge
        eightball_balls 1
        # HELP eightball_radios_ready Balls whose radio works.
        # TYPE eightball_radios_ready gauge
        eightball_radios_ready 1
        # HELP eightball_connections Centrals that are connected now.
        # TYPE eightball_connections gauge
        eightball_connections 101
        # HELP eightball_connections_total Connections that have begun.
        # TYPE eightball_connections_total counter
        eightball_connections_total 102
        # HELP eightball_disconnections_total Connections that have ended, by the reason of the Bluetooth specification.
        # TYPE eightball_disconnections_total counter
        eightball_disconnections_total{reason="remote_user_terminated"} 108
        eightball_disconnections_total{reason="remote_power_off"} 109
        eightball_disconnections_total{reason="local_host_terminated"} 110
        eightball_disconnections_total{reason="connection_timeout"} 111
        eightball_disconnections_total{reason="authentication_failure"} 112
        eightball_disconnections_total{reason="pin_or_key_missing"} 113
        eightball_disconnections_total{reason="mic_failure"} 114
        eightball_disconnections_total{reason="ll_response_timeout"} 115
        eightball_disconnections_total{reason="unacceptable_connection_parameters"} 116
        eightball_disconnections_total{reason="failed_to_be_established"} 117
        eightball_disconnections_total{reason="hardware_failure"} 118
        eightball_disconnections_total{reason="other"} 119
        # HELP eightball_questions_total Questions that the ball accepted.
        # TYPE eightball_questions_total counter
        eightball_questions_total 103
        # HELP eightball_refusals_total Texts that were refused, by the reason.
        # TYPE eightball_refusals_total counter
        eightball_refusals_total{reason="statement"} 105
        eightball_refusals_total{reason="not_utf8"} 106
        eightball_refusals_total{reason="too_long"} 107
        # HELP eightball_answers_total Answers that were sent, including those to a shake.
        # TYPE eightball_answers_total counter
        eightball_answers_total 104
        # HELP eightball_answer_time_seconds Time from the packet of a question to the packet of its answer.
        # TYPE eightball_answer_time_seconds histogram
        eightball_answer_time_seconds_bucket{le="0.001"} 2
        eightball_answer_time_seconds_bucket{le="0.005"} 2
        eightball_answer_time_seconds_bucket{le="0.01"} 3
        eightball_answer_time_seconds_bucket{le="0.05"} 3
        eightball_answer_time_seconds_bucket{le="0.1"} 3
        eightball_answer_time_seconds_bucket{le="0.5"} 3
        eightball_answer_time_seconds_bucket{le="1"} 3
        eightball_answer_time_seconds_bucket{le="5"} 3
        eightball_answer_time_seconds_bucket{le="+Inf"} 4
        eightball_answer_time_seconds_sum 12.041
        eightball_answer_time_seconds_count 4
        # HELP eightball_hci_packets_total HCI packets, in from the controller and out to it.
        # TYPE eightball_hci_packets_total counter
        eightball_hci_packets_total{direction="in"} 130
        eightball_hci_packets_total{direction="out"} 131
        # HELP eightball_lost_lines_total Lines that were lost: unread, or over the limit of a central.
        # TYPE eightball_lost_lines_total counter
        eightball_lost_lines_total{cause="unread"} 132
        eightball_lost_lines_total{cause="limited"} 133
        # HELP eightball_missed_events_total Events that were lost before they were counted.
        # TYPE eightball_missed_events_total counter
        eightball_missed_events_total 134

        """)
  }

  @Test("A hundred balls are summed, and each version appears once")
  func swarm() {
    var text = MetricsText()
    for number in 0..<100 {
      text.add(Self.figures, version: number == 7 ? "0.1.0 \"old\"\\\n" : "0.2.0")
    }
    let lines = text.text.split(separator: "\n")
    expect(lines.contains("eightball_balls 100"))
    expect(lines.contains("eightball_radios_ready 100"))
    // 100 × 103.
    expect(lines.contains("eightball_questions_total 10300"))
    // 100 × 12.041 s.
    expect(lines.contains("eightball_answer_time_seconds_sum 1204.1"))
    let versions = lines.filter { $0.hasPrefix("eightball_build_info") }
    expect(
      versions,
      is: [
        #"eightball_build_info{version="0.2.0"} 1"#,
        #"eightball_build_info{version="0.1.0 \"old\"\\\n"} 1"#,
      ])
  }

  @Test("A swarm counts as many balls as it has")
  func ofSwarm() {
    var text = MetricsText()
    text.add(Self.figures, version: "0.2.0")
    text.add(Self.figures, of: 20, version: "0.2.0")
    let lines = text.text.split(separator: "\n")
    expect(lines.contains("eightball_balls 21"))
    // 2 × 103.
    expect(lines.contains("eightball_questions_total 206"))
  }

  @Test("Without a ball there is a page too")
  func none() {
    let lines = MetricsText().text.split(separator: "\n")
    expect(lines.contains("eightball_balls 0"))
    expect(!lines.contains { $0.hasPrefix("eightball_build_info{") })
  }

  @Test("Each figure is in one metric, with its JSON name")
  func figures() {
    var found: [Int] = []
    for metric in Metric.all {
      let stem = metric.name.dropFirst("eightball_".count)
      switch metric.samples {
      case .version, .ballCount: break
      case .figure(let figure): found.append(figure.rawValue)
      case .figures(_, let values):
        let word = stem.split(separator: "_").dropLast().last ?? ""
        for (value, figure) in values {
          found.append(figure.rawValue)
          expect("\(figure.name)", is: "\(word)_\(value)")
        }
      case .times(let buckets, let sum):
        found += buckets.map { $0.rawValue } + [sum.rawValue]
        expect(buckets.last?.longestTime, is: nil)
        let limits = buckets.dropLast().compactMap { $0.longestTime }
        expect(limits.count, is: buckets.count - 1)
        expect(limits, is: limits.sorted())
      }
    }
    expect(found.sorted(), is: Array(0..<Figure.count))
  }

  @Test(
    "Milliseconds become seconds without trailing zeros",
    arguments: [
      (0, "0"), (1, "0.001"), (10, "0.01"), (50, "0.05"), (500, "0.5"), (1_000, "1"),
      (12_340, "12.34"),
    ] as [(UInt64, String)])
  func times(milliseconds: UInt64, text: String) {
    expect(seconds(milliseconds), is: text)
  }
}
