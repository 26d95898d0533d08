import BluetoothHost
import Testing

/// What `body` writes into a writer of `capacity` bytes.
func written(capacity: Int = 600, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
  var storage = [UInt8](repeating: 0, count: capacity)
  var writer = ByteWriter(storage.mutableSpan)
  body(&writer)
  let count = writer.count
  return Array(storage.prefix(count))
}

extension Array<UInt8> {
  /// The bytes of a span, in a form that a test can keep.
  init(_ span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }

  /// The two bytes of a number, the low one first.
  init(little value: UInt16) {
    self = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// `count` bytes, each other than the one before: 0, 1, 2 … 250, 0 …
  init(counting count: Int) {
    self = (0..<count).map { UInt8($0 % 251) }
  }
}

/// The bytes of a span that there may be.
func kept(_ span: Span<UInt8>?) -> [UInt8]? {
  if let span { Array(span) } else { nil }
}

/// Every way to cut `bytes` short, the empty one first.
func truncations(of bytes: [UInt8]) -> [[UInt8]] {
  (0..<bytes.count).map { Array(bytes.prefix($0)) }
}

/// One line of a table of tests, with the name that a failure is reported by.
struct Row<Value: Sendable>: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let value: Value

  init(_ label: String, _ value: Value) {
    testDescription = label
    self.value = value
  }
}

/// One line of a table whose check is written where the line is, and reported there.
struct Check: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let run: @Sendable () -> Void

  init(_ label: String, _ run: @escaping @Sendable () -> Void) {
    testDescription = label
    self.run = run
  }
}

/// Random numbers that are the same in every run.
struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
