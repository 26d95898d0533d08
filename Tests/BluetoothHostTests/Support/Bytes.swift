import BluetoothHost
import Expectations

/// What `body` writes into a writer of `capacity` bytes.
func written(capacity: Int = 600, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
  var storage = [UInt8](repeating: 0, count: capacity)
  var writer = ByteWriter(storage.mutableSpan)
  body(&writer)
  let count = writer.count
  return Array(storage.prefix(count))
}

extension Array<UInt8> {
  /// A copy of a span's bytes.
  init(_ span: Span<UInt8>) { self = span.indices.map { span[$0] } }

  /// The two bytes of a number, low byte first.
  init(little value: UInt16) {
    self = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// `count` bytes that repeat 0, 1, 2 … 250.
  init(counting count: Int) { self = (0..<count).map { UInt8($0 % 251) } }
}

/// A copy of a span's bytes, or `nil`.
func kept(_ span: Span<UInt8>?) -> [UInt8]? { if let span { Array(span) } else { nil } }

func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

/// Every proper prefix of `bytes`, the empty one first.
func truncations(of bytes: [UInt8]) -> [[UInt8]] {
  (0..<bytes.count).map { Array(bytes.prefix($0)) }
}

/// One row of a table of test cases, with its label for failures.
struct Row<Value: Sendable>: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let value: Value

  init(_ label: String, _ value: Value) {
    testDescription = label
    self.value = value
  }
}

/// A row with a check that reports failures at the row.
typealias Check = Row<@Sendable () -> Void>
