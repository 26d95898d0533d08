import LinuxPort

/// The arguments of the program that were not read yet.
@safe
struct ArgumentList {
  private var position: UnsafePointer<UnsafePointer<CChar>?>?

  /// The arguments after the program's name; a null pointer ends them.
  @unsafe
  init(_ first: UnsafePointer<UnsafePointer<CChar>?>?) {
    unsafe position = nil
    if let first = unsafe first, unsafe first[0] != nil { unsafe position = first + 1 }
  }

  /// Takes the next argument; `nil` if there is none.
  mutating func next() -> ProgramText? {
    guard let text = peek() else { return nil }
    if let present = unsafe position { unsafe position = present + 1 }
    return text
  }

  /// Takes the next argument if it is a value: one that begins with "-" is another option.
  mutating func nextValue() -> ProgramText? {
    guard let text = peek(), text.count < 2 || !text.span.begins(with: "-") else { return nil }
    return next()
  }

  private func peek() -> ProgramText? {
    guard let present = unsafe position, let text = unsafe present[0] else { return nil }
    return unsafe ProgramText(c: text)
  }
}
