import CoreBluetooth
import Foundation

/// What the two sides have agreed on.
public enum Practice {
  /// The service, which is advertised.
  public static let service = CBUUID(string: "0CDBE648-EED0-11E6-BC64-92361F002671")
  /// Its one characteristic.
  public static let characteristic = CBUUID(string: "199AB74C-EED0-11E6-BC64-92361F002672")
  /// What the peripheral is called.
  public static let name = "Peripheral - iOS"

  /// A message as it goes over the air: a binary property list of strings.
  public static func encode(_ message: [String: String]) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: message, format: .binary, options: 0)
  }

  /// The message that came; `nil` if it makes no sense.
  public static func decode(_ data: Data) -> [String: String]? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    return list as? [String: String]
  }
}
