import BluetoothHost

/// The name of a ball: 1 to 29 bytes of UTF-8, so that an advertisement holds it.
struct BallName {
  /// The default name.
  static let usual = BallName(text: "Magic 8-Ball")

  var text: String

  /// - Throws: Why no ball can have this name.
  func validate() throws(UsageError) {
    let count = text.utf8.count
    guard count > 0 else {
      throw UsageError("A ball must have a name: give --name 1 to \(DeviceName.capacity) bytes.")
    }
    guard count <= DeviceName.capacity else {
      throw UsageError(
        "The name “\(printable(text))” is \(count) bytes long in UTF-8; an advertisement holds at "
          + "most \(DeviceName.capacity). Shorten --name.")
    }
  }
}
