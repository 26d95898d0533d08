@_exported import Testing

// The compiler spends 40 ms on each `#expect`, which was two thirds of the time in which it checked these tests. It
// spends a fraction of that on a call. A value here may also come from a call that mutates, or from an owner that
// cannot be copied.

/// Records an issue at the caller's line unless `condition` holds: `#expect(condition)`.
///
/// - Parameters:
///   - condition: What must be true.
///   - comment: What the issue says besides the line.
///   - sourceLocation: The line to name instead of the caller's.
public func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column
) {
  if condition { return }
  #expect(
    condition, comment(),
    sourceLocation: sourceLocation
      ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with both values at the caller's line unless they are equal: `#expect(value == expected)`.
///
/// - Parameters:
///   - value: What the test found.
///   - expected: What it must be.
///   - comment: What the issue says besides the values.
///   - sourceLocation: The line to name instead of the caller's.
public func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column
) {
  if value == expected { return }
  #expect(
    value == expected, comment(),
    sourceLocation: sourceLocation
      ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}
