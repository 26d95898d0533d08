extension Span<UInt8> {
  /// Whether it has the same bytes as `other`, in the same order.
  public func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
