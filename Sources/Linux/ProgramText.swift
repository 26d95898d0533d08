import BluetoothHost

extension Span<UInt8> {
  /// The index of the last such byte; `nil` if there is none.
  package func lastIndex(of byte: UInt8) -> Int? {
    var index = count &- 1
    while index >= 0 {
      if self[index] == byte { return index }
      index &-= 1
    }
    return nil
  }

  /// The index at which `text` first occurs; `nil` if it does not.
  package func firstIndex(of text: StaticString) -> Int? {
    for index in indices where extracting(droppingFirst: index).begins(with: text) { return index }
    return nil
  }
}

extension ByteWriter {
  /// Writes as many of the first bytes as fit.
  @_lifetime(self: copy self)
  @inline(never)
  package mutating func write(start bytes: Span<UInt8>) {
    writePrefix(of: bytes)
  }

  /// Writes a number in decimal digits.
  @_lifetime(self: copy self) package mutating func write(decimal number: UInt32) {
    write(digitsOf: UInt(number))
  }
}

extension StaticString {
  /// The literal as a C string.
  @unsafe
  package var cText: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

/// A text that lasts until the program ends: an argument, an environment value, or a literal.
@safe
public struct ProgramText: @unchecked Sendable {
  private let start: UnsafePointer<UInt8>

  /// The number of its bytes.
  public let count: Int

  /// A C string that is never changed or freed.
  @unsafe
  public init(c text: UnsafePointer<CChar>) {
    var count = 0
    while unsafe text[count] != 0 { count &+= 1 }
    unsafe start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    self.count = count
  }

  /// A literal.
  public init(_ text: StaticString) {
    unsafe start = text.utf8Start
    count = text.utf8CodeUnitCount
  }

  /// Its first `count` bytes.
  public func first(_ count: Int) -> ProgramText {
    unsafe ProgramText(start: start, count: Swift.min(Swift.max(count, 0), self.count))
  }

  /// Its bytes after the first `count`.
  public func dropping(_ count: Int) -> ProgramText {
    let count = Swift.min(Swift.max(count, 0), self.count)
    return unsafe ProgramText(start: start + count, count: self.count - count)
  }

  private init(start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = start
    self.count = count
  }

  /// The value of an environment variable; `nil` if it is unset or empty.
  public init?(environment name: StaticString) {
    guard let value = unsafe clinux_environment(name.cText), unsafe value[0] != 0 else {
      return nil
    }
    unsafe self.init(c: value)
  }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(immortal)
    get {
      let span = unsafe Span(_unsafeStart: start, count: count)
      return unsafe _overrideLifetime(span, copying: ())
    }
  }
}

extension ProgramText {
  /// The text as a C string, if it ends where its C string ends: a literal, a whole argument, or the end of one.
  @unsafe
  var cText: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
  }
}

/// Reads the beginning of the file at a path, which ends where its C string ends. Does not wait for the writer of a
/// pipe.
///
/// - Returns: The number of bytes.
/// - Throws: Why it cannot be read.
public func readFile(
  _ path: ProgramText, into space: consuming MutableSpan<UInt8>
) throws(ErrorNumber) -> Int {
  let number = unsafe clinux_open_file(path.cText)
  guard number >= 0 else { throw ErrorNumber(number) }
  let file = PortDescriptor(owning: number)
  var space = space
  switch file.read(into: &space) {
  case .bytes(let count): return count
  case .wouldBlock: return 0
  case .failed(let code): throw code
  }
}
