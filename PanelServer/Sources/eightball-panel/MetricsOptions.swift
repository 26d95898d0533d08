import BallControl

/// The options of `eightball-panel metrics`, which `eightball` starts.
struct MetricsOptions {
  /// The number of the listening socket, which `eightball` has opened.
  static let socket: CInt = 3

  /// The host that it listens on; `_` for all addresses.
  var listen = PanelOptions.loopback
  /// For each ball the possible paths of its control socket, in this order.
  var balls: [[String]] = []
  /// Whether the program ends when its standard input does.
  var endsWithInput = false

  /// - Throws: What is wrong, as a sentence.
  init(_ arguments: some Sequence<String>) throws(PanelOptions.Fault) {
    var arguments = Array(arguments)[...]
    while let name = arguments.popFirst() {
      switch name {
      case "--ends-with-input": endsWithInput = true
      case "--listen": listen = try PanelOptions.value(of: name, in: &arguments)
      case "--control":
        balls.append(ControlPath.candidates(try PanelOptions.value(of: name, in: &arguments)))
      default:
        throw PanelOptions.Fault(
          description: "\(name) is unknown: see eightball metrics --help.")
      }
    }
    if balls.isEmpty { balls = [ControlPath.candidates()] }
  }
}
