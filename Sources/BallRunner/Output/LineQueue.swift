import BluetoothHost

/// Whole lines that wait to be printed, in `capacity` bytes at most.
///
/// A line without room is left out and counted: a slow reader loses lines and never delays the
/// ball.
public struct LineQueue<let capacity: Int>: ~Copyable {
  #if WORDS_FOR_PEOPLE_ONLY
    /// People read at a terminal, which needs a carriage return too.
    private static var lineEnd: StaticString { "\r\n" }
  #else
    private static var lineEnd: StaticString { "\n" }
  #endif
  /// "…" and a line end.
  private static var reserve: Int { 3 + lineEnd.utf8CodeUnitCount }

  private var bytes = ByteBuffer<capacity>()
  /// How many lines were left out and not reported.
  public private(set) var lostLines = 0

  /// An empty queue.
  public init() {}

  /// The bytes that wait.
  public var pending: Span<UInt8> { @_lifetime(borrow self) borrowing get { bytes.span } }

  /// Whether nothing waits.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Adds a line, without its end, that `compose` writes.
  ///
  /// - Parameter compose: Writes the line.
  /// - Parameter mayBeCut: Whether a line too long for an empty queue is cut instead of left out.
  @inline(__always) public mutating func append(
    mayBeCut: Bool = true, _ compose: (inout ByteWriter) -> Void
  ) { guard lostLines == 0, add(mayBeCut, compose) else { return lostLines &+= 1 } }

  /// Adds the line that reports the lost lines; changes nothing if there is no room for it yet.
  public mutating func appendLoss(_ compose: (inout ByteWriter, Int) -> Void) {
    let count = lostLines
    guard count > 0, add(false, { compose(&$0, count) }) else { return }
    lostLines = 0
  }

  /// Removes the first `count` bytes, which were printed.
  public mutating func remove(_ count: Int) { bytes.removeFirst(count) }

  @inline(__always) private mutating func add(
    _ mayBeCut: Bool, _ compose: (inout ByteWriter) -> Void
  ) -> Bool {
    guard capacity &- bytes.count > Self.reserve else { return false }
    var writer = bytes.makeAppendingWriter(sparing: Self.reserve)
    compose(&writer)
    let isCut = writer.hasOverflowed
    let count = writer.count
    return endLine(count, isCut: isCut, mayBeCut: mayBeCut)
  }

  /// Keeps and ends the line of `count` bytes that was written; `false` if it is left out.
  @inline(never) private mutating func endLine(_ count: Int, isCut: Bool, mayBeCut: Bool) -> Bool {
    let start = bytes.count
    if isCut, start > 0 || !mayBeCut { return false }
    bytes.keepWritten(start &+ count)
    if isCut { _ = bytes.append(utf8: "…") }
    _ = bytes.append(utf8: Self.lineEnd)
    return true
  }
}

extension ByteBuffer {
  fileprivate mutating func append(utf8 text: StaticString) -> Bool {
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe append(utf8.span)
  }
}

extension ByteWriter {
  /// Writes that `count` lines were lost because they were not read.
  @_lifetime(self: copy self) @inline(never) public mutating func writeLoss(_ count: Int) {
    write(text: "(")
    write(decimal: count)
    write(
      text: count == 1
        ? " line dropped: output was not read.)" : " lines dropped: output was not read.)")
  }
}
