import CoreBluetooth
import Foundation

/// The constants and the message format of both sides.
public enum Practice {
  /// The service, which is advertised.
  public static let service = CBUUID(string: "0CDBE648-EED0-11E6-BC64-92361F002671")
  /// Its one characteristic.
  public static let characteristic = CBUUID(string: "199AB74C-EED0-11E6-BC64-92361F002672")
  /// The peripheral's name.
  public static let name = "Peripheral - iOS"

  /// Encodes a message as a binary property list of strings.
  public static func encode(_ message: [String: String]) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: message, format: .binary, options: 0)
  }

  /// Decodes a message; `nil` if it is malformed.
  public static func decode(_ data: Data) -> [String: String]? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    return list as? [String: String]
  }
}
