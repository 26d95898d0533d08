import BallRunner
import BluetoothHost

/// An event of the whole swarm.
enum SwarmNotice: Equatable {
  /// All balls advertise.
  case begun(count: Int, first: String, last: String, connections: Int, seed: UInt64)
  /// So many connections were ended at once.
  case storm(dropped: Int)

  /// The notice that all balls of this configuration advertise.
  static func begun(_ configuration: SwarmConfiguration) -> SwarmNotice {
    .begun(
      count: configuration.count, first: configuration.names.name(of: 1),
      last: configuration.names.name(of: configuration.count),
      connections: configuration.connections,
      seed: configuration.seed.rawValue)
  }

  /// The line without its end; `nil` if nothing is printed.
  func line(_ format: LineFormat) -> String? {
    switch format {
    case .words: words
    case .json: json
    case .none: nil
    }
  }

  private var words: String {
    switch self {
    case .begun(let count, let first, let last, _, let seed):
      (count == 1 ? "1 ball advertises" : "\(count) balls advertise")
        + (first == last
          ? " as “\(Self.printable(first))”"
          : ": “\(Self.printable(first))” to “\(Self.printable(last))”")
        + " (--seed \(seed))."
    case .storm(let dropped):
      dropped == 1 ? "1 connection was ended." : "\(dropped) connections were ended at once."
    }
  }

  private var json: String {
    switch self {
    case .begun(let count, let first, let last, let connections, let seed):
      #"{"event":"swarm","count":\#(count),"first":\#(Self.quoted(first)),"last":\#(Self.quoted(last)),"#
        + #""places":\#(connections),"seed":\#(seed)}"#
    case .storm(let dropped): #"{"event":"storm","dropped":\#(dropped)}"#
    }
  }

  /// The text as a JSON string.
  private static func quoted(_ text: String) -> String {
    "\"" + rewriting(text) { $0.write(escaped: $1) } + "\""
  }

  /// The text without characters that control a terminal.
  private static func printable(_ text: String) -> String {
    rewriting(text) { $0.write(printable: $1) }
  }

  private static func rewriting(
    _ text: String, _ write: (inout ByteWriter, Span<UInt8>) -> Void
  ) -> String {
    let utf8 = Array(text.utf8)
    // The longest escape of a byte has 6 bytes.
    var storage = [UInt8](repeating: 0, count: 6 * utf8.count)
    var writer = ByteWriter(storage.mutableSpan)
    write(&writer, utf8.span)
    let count = writer.count
    return String(decoding: storage.prefix(count), as: UTF8.self)
  }
}
