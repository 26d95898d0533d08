import Glibc
import LinuxPort
import LinuxRadio

/// The host and TCP port of a metrics server, as a person gives them.
struct MetricsAddress: Equatable, Sendable, CustomStringConvertible {
  /// A name or an address of this machine; `_` is all of its addresses.
  var host: String
  /// The port; 0 for one that the kernel chooses.
  var port: UInt16

  /// The accepted forms, for messages.
  static let forms = "PORT or HOST:PORT, such as 9888 or 127.0.0.1:9888"

  /// An address with these parts.
  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads HOST:PORT, or PORT on this machine's loopback. An IPv6 address needs brackets.
  ///
  /// - Returns: `nil` for any other text.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else {
      guard let port = Self.port(text[...]) else { return nil }
      self.init(host: "127.0.0.1", port: port)
      return
    }
    guard let port = Self.port(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  private static func port(_ text: Substring) -> UInt16? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt16(text)
  }

  /// HOST:PORT.
  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The URL of the page for a browser on this machine.
  ///
  /// - Parameter port: The port that the kernel has chosen.
  func url(atPort port: UInt16) -> String {
    let host = host == "_" ? "localhost" : host
    return "http://\(MetricsAddress(host: host, port: port))/metrics"
  }
}

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

/// The socket of the metrics, which this program opens and eightball-panel serves. So a port that is
/// in use is an error at once, and the address is known before the ball runs.
final class MetricsListener {
  /// The socket's number in the server.
  private static let descriptor: CInt = 3

  /// The port, which the kernel has chosen if the option says 0.
  let port: UInt16

  private let address: MetricsAddress
  private let program: String
  private var listener: StreamListener?

  /// Listens there, once the host's name is found.
  ///
  /// - Throws: `MetricsError` if the server is missing, or it cannot listen there; `ExitStatus` if a
  ///   signal comes during the lookup; `SystemError`.
  init(_ address: MetricsAddress) throws {
    guard let program = PanelProgram.path else {
      throw MetricsError(reason: PanelProgram.isMissing)
    }
    self.address = address
    self.program = program
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    defer { signals.stop() }
    let found: StreamListener?
    do throws(SystemError) {
      found = try TCPOpening<StreamListener>.wait(
        for: address.host, address.port, in: loop, endedBy: signals
      ) { (host, port) throws(SystemError) in
        try Self.listener(at: MetricsAddress(host: host, port: port))
      }
    } catch {
      throw MetricsError(reason: error.description)
    }
    guard let listener = found else { throw ExitStatus.success }
    port = listener.port
    self.listener = consume listener
  }

  private static func listener(at address: MetricsAddress) throws(SystemError) -> StreamListener {
    do throws(SystemError) {
      return try StreamListener(host: address.host, port: address.port)
    } catch {
      guard error.code == .addressInUse else { throw error }
      throw SystemError(
        error.code, error.operation, error.subject,
        explanation: "another program listens there. Give another port, or 0 for one that is free")
    }
  }

  /// The line that says where the page is, for people or as JSON.
  func line(isJSON: Bool) -> String { address.line(port: port, isJSON: isJSON) }

  /// Starts the server for the figures at `control`, as a child of this program.
  ///
  /// - Throws: `MetricsError` if there is no such socket; `SystemError`.
  func serve(control: String?) throws -> MetricsServer {
    guard let control else {
      throw MetricsError(reason: "this ball has no control socket. Name one: --control PATH")
    }
    let pipe = try ChildProcess.pipe()
    defer { Glibc.close(pipe.reader) }
    let descriptors = [pipe.reader, STDOUT_FILENO, STDERR_FILENO, number]
    let process = try ChildProcess.start(
      arguments(for: [control]) + ["--ends-with-input"], descriptors: descriptors)
    // Only the server accepts: a client would wait for this program if the server ended.
    listener = nil
    return MetricsServer(process: process, input: pipe.writer)
  }

  /// Replaces this program by the server for the figures at `control`.
  ///
  /// - Throws: `MetricsError`.
  func become(control: [String]) throws {
    // The copy stays open in the server.
    guard dup2(number, Self.descriptor) >= 0 else {
      throw MetricsError(reason: "\(program) cannot be started")
    }
    if number == Self.descriptor { _ = fcntl(number, F_SETFD, 0) }
    throw MetricsError(reason: PanelProgram.become(arguments(for: control)).description)
  }

  private var number: CInt {
    switch listener {
    case nil: -1
    case let listener?: listener.rawValue
    }
  }

  private func arguments(for control: [String]) -> [String] {
    [program, "metrics", "--listen", address.host] + control.flatMap { ["--control", $0] }
  }
}

/// The server of a ball's or a swarm's figures: a child, which also ends when this process does.
struct MetricsServer {
  fileprivate let process: pid_t
  /// The server ends when this closes.
  fileprivate let input: CInt

  /// Ends the server, and waits for its end.
  func close() {
    Glibc.close(input)
    ChildProcess.reap(process)
  }
}
