/// Splits a fuzzer's input into pieces, each after its tag and length.
struct Pieces: ~Copyable, ~Escapable {
  private let input: Span<UInt8>
  private var position = 0

  @_lifetime(copy input)
  init(_ input: Span<UInt8>) { self.input = input }

  /// The next tag byte, and the number of bytes in its length byte, or all that are left.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  mutating func next() -> Piece? {
    guard input.count - position >= 2 else { return nil }
    let start = position + 2
    position = min(start + Int(input[position + 1]), input.count)
    return Piece(tag: input[start - 2], bytes: input.extracting(start..<position))
  }
}

/// One piece of an input. Each fuzzer defines its tags.
struct Piece: ~Escapable {
  let tag: UInt8
  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(tag: UInt8, bytes: Span<UInt8>) {
    self.tag = tag
    self.bytes = bytes
  }

  /// The first byte; 0 without one.
  var first: UInt8 { bytes.isEmpty ? 0 : bytes[0] }

  /// The last byte; 0 without one.
  var last: UInt8 { bytes.isEmpty ? 0 : bytes[bytes.count - 1] }
}
