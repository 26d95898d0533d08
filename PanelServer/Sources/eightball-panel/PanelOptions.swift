import BallControl
import Glibc
import LinuxRadio

/// The options of the command line. `eightball panel` checks the values and runs this program.
struct PanelOptions {
  /// The port to listen on; 0 for a free one.
  var port = PanelOptions.defaultPort
  /// The possible paths of the ball's control socket, in this order.
  var control: [String] = []
  /// The radio for questions if programs cannot share the ball's radio.
  var radio: String?
  /// The host to listen on; `nil` for loopback.
  var listen: String?
  /// The program eightball, which asks; `nil` if it is missing.
  var program: String?

  /// The default port, a fixed one so that a page finds a restarted panel.
  static let defaultPort = 8_818

  /// The default address to listen on.
  static let loopback = "127.0.0.1"

  /// - Throws: What is wrong, as a sentence.
  init(_ arguments: some Sequence<String>) throws(PanelOptionError) {
    var arguments = Array(arguments)[...]
    var control: String?
    while let name = arguments.popFirst() {
      guard ["--port", "--control", "--radio", "--listen", "--eightball"].contains(name) else {
        throw PanelOptionError(description: "\(name) is unknown: see eightball panel --help.")
      }
      let value = try Self.value(of: name, in: &arguments)
      switch name {
      case "--port":
        guard let port = UInt16(value) else {
          throw PanelOptionError(description: "--port \(value): expected a number from 0 to 65535.")
        }
        self.port = Int(port)
      case "--control": control = value
      case "--radio": radio = value
      case "--listen": listen = Self.isLoopback(value) ? nil : value
      default: program = value
      }
    }
    self.control = ControlPath.candidates(control)
    if program == nil { program = Self.installedProgram }
  }

  /// Takes the value of the option `name`.
  static func value(
    of name: String, in arguments: inout ArraySlice<String>
  ) throws(PanelOptionError) -> String {
    guard let value = arguments.popFirst(), !value.isEmpty else {
      throw PanelOptionError(description: "\(name) needs a value.")
    }
    return value
  }

  private static func isLoopback(_ host: String) -> Bool { host == loopback || host == "localhost" }

  /// The program eightball, where it is installed or built beside this program.
  private static var installedProgram: String? {
    let folder = CurrentProcess.programPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast()
      .joined(separator: "/")
    return ["\(folder)/eightball", "\(folder)/../../bin/eightball"]
      .first { unsafe access($0, X_OK) == 0 }
  }
}

/// What is wrong with the command line.
struct PanelOptionError: Error, CustomStringConvertible {
  let description: String
}

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
  init(_ arguments: some Sequence<String>) throws(PanelOptionError) {
    var arguments = Array(arguments)[...]
    while let name = arguments.popFirst() {
      switch name {
      case "--ends-with-input": endsWithInput = true
      case "--listen": listen = try PanelOptions.value(of: name, in: &arguments)
      case "--control":
        balls.append(ControlPath.candidates(try PanelOptions.value(of: name, in: &arguments)))
      default:
        throw PanelOptionError(
          description: "\(name) is unknown: see eightball metrics --help.")
      }
    }
    if balls.isEmpty { balls = [ControlPath.candidates()] }
  }
}
