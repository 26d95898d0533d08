/// Pixels as characters of 2×4 dots. The Unicode Standard, Braille Patterns: U+2800 and the dots 1, 2, 3 and 7 on the
/// left, 4, 5, 6 and 8 on the right.
public enum Braille {
  /// Lines of characters, each for 2×4 pixels; U+2800 is without dots.
  ///
  /// - Parameters:
  ///   - pages: For each eight rows, from the top on, a byte for each column. Bit 0 is its top pixel.
  ///   - width: The number of columns, an even one.
  public static func lines(ofPages pages: [UInt8], width: Int) -> [String] {
    stride(from: 0, to: pages.count, by: width).flatMap { start in
      [UInt8(0), 4].map { shift in
        var line = String.UnicodeScalarView()
        for column in stride(from: start, to: start + width, by: 2) {
          line.append(character(pages[column] >> shift, pages[column + 1] >> shift))
        }
        return String(line)
      }
    }
  }

  /// The character of four pixels on the left and four on the right, in the low bits.
  private static func character(_ left: UInt8, _ right: UInt8) -> Unicode.Scalar {
    // The dots on the right are those on the left three bits further, but for the last.
    let right = dots(right)
    return Unicode.Scalar(0x2800 + (dots(left) | (right & 0x07) << 3 | (right & 0x40) << 1)) ?? " "
  }

  private static func dots(_ pixels: UInt8) -> UInt32 {
    UInt32(pixels & 0x07) | UInt32(pixels & 0x08) << 3
  }
}
