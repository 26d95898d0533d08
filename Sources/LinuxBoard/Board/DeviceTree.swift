import EightBall
import Linux
import LinuxRadio

/// The machine's device tree.
public enum DeviceTree {
  /// This machine's model, such as "Raspberry Pi 4 Model B Rev 1.4"; `nil` without a device tree.
  /// Read from /sys, since a confined service cannot read /proc.
  public static var model: String? {
    guard let text = try? Files.text(of: "/sys/firmware/devicetree/base/model") else { return nil }
    return model(fromProperty: text)
  }

  /// The text of a property, which ends in a zero byte; `nil` if it is empty.
  static func model(fromProperty text: String) -> String? {
    let count = ModelSearch.model(inProperty: text.utf8.span).count
    return count == 0 ? nil : String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}
