import BluetoothHost
import Linux

/// The path of an object of bluetoothd or of this program.
package typealias ObjectPath = InlineCString<80>

extension ObjectPath {
  /// The path that `body` writes, of at most 79 bytes.
  package init(_ body: (inout ByteWriter) -> Void) {
    self.init()
    var text = ByteBuffer<79>()
    text.write(body)
    _ = assign(text.span)
  }

  /// The adapter hciN: `/org/bluez/hciN`.
  package init(adapter number: UInt16) {
    self.init {
      $0.write(text: "/org/bluez/hci")
      $0.write(decimal: UInt32(number))
    }
  }

  /// A device of an adapter: `/org/bluez/hciN/dev_XX_XX_XX_XX_XX_XX`.
  package init(adapter number: UInt16, device bytes: InlineArray<6, UInt8>) {
    self.init {
      $0.write(text: "/org/bluez/hci")
      $0.write(decimal: UInt32(number))
      $0.write(text: "/dev")
      for index in 0..<6 {
        $0.write(UInt8(ascii: "_"))
        $0.write(hexadecimal: bytes[5 &- index])
      }
    }
  }
}

extension Span<UInt8> {
  /// The address of the device at this path, which begins with that of an adapter; `nil` for another path.
  package func deviceAddress(below adapter: Span<UInt8>) -> InlineArray<6, UInt8>? {
    guard count == adapter.count &+ 22, extracting(first: adapter.count).hasSameBytes(as: adapter)
    else { return nil }
    let name = extracting(droppingFirst: adapter.count)
    guard name.begins(with: "/dev_") else { return nil }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<6 {
      let start = 5 &+ index &* 3
      guard let high = name[start].hexadecimalValue, let low = name[start &+ 1].hexadecimalValue,
        index == 5 || name[start &+ 2] == UInt8(ascii: "_")
      else { return nil }
      bytes[5 &- index] = high &<< 4 | low
    }
    return bytes
  }

  /// Whether it is the path of an object below the one at `path`.
  func isBelow(_ path: Span<UInt8>) -> Bool {
    count > path.count && self[path.count] == UInt8(ascii: "/")
      && extracting(first: path.count).hasSameBytes(as: path)
  }
}

extension ByteWriter {
  /// Writes a number as four hexadecimal digits in lower case, as in the paths of bluetoothd.
  @_lifetime(self: copy self) mutating func write(lowercase number: UInt16) {
    var shift: UInt16 = 16
    while shift > 0 {
      shift &-= 4
      let digit = UInt8(truncatingIfNeeded: number &>> shift & 0xF)
      write(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10)
    }
  }
}
