import LinuxPort

extension OptionValue {
  /// The value as an address to serve metrics at.
  func metricsAddress() throws(UsageError) -> MetricsAddress {
    guard let address = MetricsAddress(text) else {
      throw invalid(": expected \(MetricsAddress.forms)")
    }
    return address
  }
}

extension MetricsAddress {
  /// The line that says where the page is, for people or as JSON.
  func line(port: UInt16, isJSON: Bool) -> String {
    let url = url(atPort: port)
    guard isJSON else { return "Metrics: \(url)" }
    var line = JSONLine(event: "metrics")
    line.add("url", url)
    return line.text
  }
}

/// Why metrics cannot be served.
struct MetricsError: Error {
  /// The reason, without a full stop.
  let reason: String

  /// What is wrong, without a full stop.
  var description: String { "no metrics: \(reason)" }
}
