import BluetoothHost
import Linux
import LinuxSystem

extension AddressChoice {
  /// Reads `public`, `random`, or a static random address such as `C0:00:00:00:00:01`.
  ///
  /// - Throws: What is wrong with `text`.
  public init(_ text: String) throws(AddressTextError) {
    do throws(AddressChoiceError) {
      try self.init(Array(text.utf8).span)
    } catch {
      throw AddressTextError(text: text, error: error)
    }
  }

  /// The choice in EIGHTBALL_ADDRESS; `automatic` if it is unset or empty.
  ///
  /// - Throws: What is wrong with it.
  public static func fromEnvironment() throws(AddressTextError) -> AddressChoice {
    guard let text = CurrentProcess.environment("EIGHTBALL_ADDRESS") else { return .automatic }
    return try AddressChoice(text)
  }
}

/// A text that is not an address, or not one that a device may have.
public struct AddressTextError: Error, Equatable, CustomStringConvertible {
  /// The text that was read.
  public var text: String
  /// What is wrong with it.
  public var error: AddressChoiceError

  /// The text `text`, and what is wrong with it.
  public init(text: String, error: AddressChoiceError) {
    self.text = text
    self.error = error
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    let bytes = Array(text.utf8)
    return String(writing: { error.write(to: &$0, of: bytes.span) })
  }
}
