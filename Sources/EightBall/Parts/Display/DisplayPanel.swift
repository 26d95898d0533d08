import BluetoothHost

/// A kind of display on an I2C bus, without the bus: it gives the bytes that set the display up and change what it
/// shows, one short transfer at a time.
public protocol DisplayPanel: Sendable {
  /// The display's address on its bus, seven bits.
  var address: UInt8 { get }

  /// Forgets what the display shows. It is then set up again, and drawn completely.
  mutating func reset()

  /// Writes the next transfer towards a text, at most 33 bytes.
  ///
  /// Every transfer that was written must reach the display before the next call; after an error `reset()` is next. No
  /// byte is written if this part of the display does not change.
  ///
  /// - Parameters:
  ///   - text: What the display has to show.
  ///   - brightness: How bright it has to be.
  ///   - writer: Has room for 33 bytes.
  /// - Returns: How long the display takes for it, in milliseconds, before the next call; `nil`, without a byte, if the
  ///   display shows the text.
  mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32?
}
