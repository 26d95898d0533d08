import BluetoothHost

/// A model of the expander PCF8574 of NXP, wired to a display as on the usual backpack: P0 is RS, P1 R/W, P2 E, P3 the
/// backlight, P4 to P7 are DB4 to DB7. Data sheet, rev. 5.
///
/// Each byte takes nine clocks, after which the display sees the outputs.
public final class VirtualPCF8574: VirtualI2CDevice {
  /// The display behind it.
  public let display = VirtualHD44780()
  /// The outputs: all are high after power-on. 8.4.
  public private(set) var port: UInt8 = 0xFF

  private let byteTime: UInt64

  /// Whether the backlight is on.
  public var isBacklit: Bool { port & 0x08 != 0 }

  /// An expander that has just been supplied, with its display.
  ///
  /// - Parameter frequency: That of the bus, in hertz. The PCF8574 is for 100 kHz.
  public init(frequency: UInt64 = 100_000) { byteTime = 9_000_000_000 / frequency }

  /// Sets the time, which does not decrease.
  public func advance(to now: Instant) { display.advance(to: now.rawValue * 1_000_000) }

  /// Takes the supply away and gives it back, with that of the display.
  public func losePower() {
    port = 0xFF
    display.losePower()
  }

  /// Writes the outputs. 8.2.
  public func receive(_ byte: UInt8, isFirst: Bool) -> Bool {
    display.advance(to: display.now + byteTime)
    display.change(from: port, to: byte)
    port = byte
    return true
  }

  /// Reads the pins: an output that is high can be pulled low from outside, by the display while R/W and E are high.
  /// 8.1, 8.3.
  public func send() -> UInt8 {
    display.advance(to: display.now + byteTime)
    guard port & 0x06 == 0x06 else { return port }
    return port & (display.read(isData: port & 0x01 != 0) << 4 | 0x0F)
  }

  /// The transfer has ended.
  public func stop() {}
}
