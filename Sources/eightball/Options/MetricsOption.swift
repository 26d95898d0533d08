import BallMetrics
import LinuxRadio
import LinuxSystem

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
  /// Serves there, once the host's name is found.
  ///
  /// - Returns: `nil` if a signal came first.
  /// - Throws: `MetricsError` if it cannot listen there; `SystemError`.
  func serve(in loop: EventLoop, endedBy signals: TerminationSignals) throws -> MetricsServer? {
    do throws(SystemError) {
      let found = try TCPOpening<StreamListener>.wait(for: host, port, in: loop, endedBy: signals) {
        (host, port) throws(SystemError) in
        try MetricsServer.listener(at: MetricsAddress(host: host, port: port))
      }
      guard let listener = found else { return nil }
      return try MetricsServer(listener, loop: loop)
    } catch {
      throw MetricsError(cause: error)
    }
  }

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
  let cause: SystemError

  /// What is wrong, without a full stop.
  var description: String { "no metrics: \(cause.description)" }
}
