import BallRunner

/// The metrics of one ball, or of several together, in Prometheus's text format.
///
/// Version 0.0.4:
/// `https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format`.
public struct MetricsText {
  /// The type of this text in HTTP.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The number of balls.
  public private(set) var ballCount = 0
  private var figures = BallFigures()
  /// The balls' versions, each once.
  private var versions: [String] = []

  /// No ball.
  public init() {}

  /// Adds a ball, or a swarm of so many balls.
  ///
  /// - Parameter version: The version of the ball; empty if it does not say.
  public mutating func add(_ figures: BallFigures, of balls: Int = 1, version: String) {
    ballCount += balls
    self.figures.add(figures)
    if !versions.contains(version) { versions.append(version) }
  }

  /// The text, with a line end at the end.
  public var text: String {
    var text = ""
    for metric in Metric.all {
      text +=
        "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
      write(metric, to: &text)
    }
    return text
  }

  private func write(_ metric: Metric, to text: inout String) {
    let name = metric.name
    switch metric.samples {
    case .version:
      for version in versions { text += "\(name){version=\"\(escaped(version))\"} 1\n" }
    case .ballCount:
      text += "\(name) \(ballCount)\n"
    case .figure(let figure):
      text += "\(name) \(figures[figure])\n"
    case .figures(let label, let values):
      for (value, figure) in values {
        text += "\(name){\(label)=\"\(value)\"} \(figures[figure])\n"
      }
    case .times(let buckets, let sum):
      // A bucket of Prometheus includes the smaller ones.
      var count: UInt64 = 0
      for bucket in buckets {
        count &+= figures[bucket]
        text += "\(name)_bucket{le=\"\(metric.limit(of: bucket))\"} \(count)\n"
      }
      text += "\(name)_sum \(seconds(figures[sum]))\n\(name)_count \(count)\n"
    }
  }

  /// A label's value, escaped for quotes.
  private func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}

/// The event `figures` of a ball or a swarm, or another event of its control socket:
/// docs/events.md.
public struct FiguresLine: Sendable {
  /// The name of the event.
  public let event: String
  /// The request that an event `error` is about.
  public let request: String?
  /// What is wrong, in an event `error`.
  public let detail: String?
  /// The version of the ball; empty if it does not say.
  public let version: String
  /// How many balls the figures are of: 1, unless a swarm has sent them.
  public let balls: Int
  /// The figures. One that the ball does not have is 0.
  public let figures: BallFigures

  /// `nil` if `bytes` are not a line of a ball.
  public init?(_ bytes: [UInt8]) {
    guard let line = ControlLine(bytes) else { return nil }
    event = line.event
    request = line.text("request")
    detail = line.text("detail")
    version = line.text("version") ?? ""
    balls = line.number("balls").map { Int(clamping: $0) } ?? 1
    var figures = BallFigures()
    if event == "figures" {
      for number in 0..<Figure.count {
        guard let figure = Figure(rawValue: number) else { continue }
        figures[figure] = line.number("\(figure.name)") ?? 0
      }
    }
    self.figures = figures
  }
}
