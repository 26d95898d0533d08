/// The ground from which every input of a fuzzer starts, made once: to start up takes longer than most
/// inputs do.
///
/// The host has no references, so its bytes are its whole state: a copy of them brings it back.
@safe struct StartingGround<Ground: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let current: UnsafeMutablePointer<Ground>
  private let kept: UnsafeMutableRawPointer

  /// Keeps the state that `make` returns.
  init(_ make: () -> Ground) {
    unsafe current = .allocate(capacity: 1)
    unsafe current.initialize(to: make())
    unsafe kept = .allocate(
      byteCount: MemoryLayout<Ground>.size, alignment: MemoryLayout<Ground>.alignment)
    unsafe kept.copyMemory(from: current, byteCount: MemoryLayout<Ground>.size)
  }

  /// The ground as it was at the start, whatever earlier inputs did on it.
  func restored() -> UnsafeMutablePointer<Ground> {
    unsafe UnsafeMutableRawPointer(current).copyMemory(
      from: kept, byteCount: MemoryLayout<Ground>.size)
    return unsafe current
  }
}
