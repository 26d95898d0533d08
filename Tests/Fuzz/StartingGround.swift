/// The ground from which every input of a fuzzer starts, made once: starting takes longer than most
/// inputs.
///
/// The host has no references, so its bytes are its whole state, and a copy of them restores it.
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

  /// The ground as at the start.
  func restored() -> UnsafeMutablePointer<Ground> {
    unsafe UnsafeMutableRawPointer(current).copyMemory(
      from: kept, byteCount: MemoryLayout<Ground>.size)
    return unsafe current
  }
}
