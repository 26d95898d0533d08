import BluetoothHost

/// The arguments of a program that were not read yet.
@safe
public struct ArgumentList {
  private var position: UnsafePointer<UnsafePointer<CChar>?>?

  /// The arguments after the program's name; a null pointer ends them.
  @unsafe
  public init(_ first: UnsafePointer<UnsafePointer<CChar>?>?) {
    unsafe position = nil
    if let first = unsafe first, unsafe first[0] != nil { unsafe position = first + 1 }
  }

  /// Takes the next argument; `nil` if there is none.
  public mutating func next() -> ProgramText? {
    guard let text = peek() else { return nil }
    if let present = unsafe position { unsafe position = present + 1 }
    return text
  }

  /// The next argument, which stays; `nil` if there is none.
  public func peek() -> ProgramText? {
    guard let present = unsafe position, let text = unsafe present[0] else { return nil }
    return unsafe ProgramText(c: text)
  }

  /// Takes the next argument if it is a value: one that begins with "-" is another option, unless
  /// it is a negative number.
  mutating func nextValue() -> ProgramText? {
    guard let text = peek(), !text.span.isOption else { return nil }
    return next()
  }
}

extension Span<UInt8> {
  /// Whether it is written as an option: "-" and at least one more byte, which is not a digit.
  var isOption: Bool {
    guard count > 1, self[0] == UInt8(ascii: "-") else { return false }
    return self[1] < UInt8(ascii: "0") || self[1] > UInt8(ascii: "9")
  }
}
