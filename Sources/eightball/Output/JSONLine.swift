import BallRunner
import BluetoothHost

/// One JSON object on one line, its members in the order in which they are added.
///
/// RFC 8259.
struct JSONLine {
  private var members = ""

  /// An object about an event.
  init(event: String) {
    add("event", event)
  }

  /// The object as text.
  var text: String { "{\(members)}" }

  /// Prints the object.
  func print() { Terminal.print(text) }

  /// Adds text; nothing for `nil`.
  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    // The longest escape of a byte has 6 bytes.
    add(name, plain: rewriting(text, growth: 6) { $0.write(escaped: $1) })
  }

  /// Adds an address, as text; nothing for `nil`.
  mutating func add(_ name: String, _ address: DeviceAddress?) {
    guard let address else { return }
    add(name, plain: address.text)
  }

  /// Adds a whole number; nothing for `nil`.
  mutating func add(_ name: String, _ number: Int?) {
    guard let number else { return }
    addMember(name, "\(number)")
  }

  /// Adds `true` or `false`.
  mutating func add(_ name: String, _ truth: Bool) {
    addMember(name, truth ? "true" : "false")
  }

  /// Adds an array of texts that need no escaping.
  mutating func add(_ name: String, plain texts: [String]) {
    addMember(name, "[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]")
  }

  /// Adds a text that needs no escaping.
  private mutating func add(_ name: String, plain text: String) {
    addMember(name, "\"\(text)\"")
  }

  private mutating func addMember(_ name: String, _ value: String) {
    members += "\(members.isEmpty ? "" : ",")\"\(name)\":\(value)"
  }
}
