import Foundation
import Testing

@testable import CoreBluetooth

/// A queue of values from threads to a test.
final class Inbox<Value: Sendable>: @unchecked Sendable {
  private let values = Locked([Value]())
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The next value. Waits a minute at most, which only a hang exceeds.
  func take(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(
      count.wait(timeout: .now() + 60) == .success, "nothing came",
      sourceLocation: sourceLocation)
    return values.withLock { $0.removeFirst() }
  }

  var isEmpty: Bool { values.withLock(\.isEmpty) }

  /// Takes values up to the first that `isMeant`.
  func take(
    until isMeant: (Value) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    while try !isMeant(take(sourceLocation: sourceLocation)) {}
  }
}

extension Inbox where Value == String {
  /// Takes values, and expects them to be `lines`.
  func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    for line in lines {
      let next = try take(sourceLocation: sourceLocation)
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }
}
