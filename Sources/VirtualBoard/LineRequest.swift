import Glibc

/// Requested lines, for which the kernel gives one descriptor.
///
/// They are released by `release`, or when the request is destroyed.
public final class LineRequest {
  /// The name of the lines' user.
  public let consumer: String
  /// Their offsets on the chip.
  public let offsets: [Int]

  private let chip: VirtualChip
  private var events: EdgeQueue
  private var doorbell: Doorbell
  private var sequence: UInt32 = 0
  private var lineSequences: [UInt32]
  private(set) var isRemoved = false
  private var isReleased = false

  init(_ chip: VirtualChip, offsets: [Int], consumer: String, capacity: Int) throws(GPIOError) {
    doorbell = try Doorbell()
    self.chip = chip
    self.offsets = offsets
    self.consumer = consumer
    events = EdgeQueue(capacity: capacity)
    lineSequences = Array(repeating: 0, count: offsets.count)
  }

  /// Readable while an edge is pending, and after the chip is removed. It belongs to the request.
  public var descriptor: Int32 { doorbell.descriptor }

  /// Takes the oldest pending edge; `nil` without one.
  ///
  /// - Throws: `removed` if the chip was removed.
  public func nextEvent() throws(GPIOError) -> EdgeEvent? {
    try check()
    let event = events.next()
    doorbell.ring(events.count > 0)
    return event
  }

  /// Whether a line is active.
  ///
  /// - Throws: `noSuchLine` if it is not in this request; `removed` if the chip was removed.
  public func isActive(_ offset: Int) throws(GPIOError) -> Bool {
    try check(offset)
    return chip.isActive(offset)
  }

  /// Makes an output active or inactive.
  ///
  /// - Throws: `noSuchLine` if it is not in this request; `notAnOutput`; `removed` if the chip was
  ///   removed.
  public func set(_ offset: Int, isActive: Bool) throws(GPIOError) {
    try check(offset)
    try chip.set(offset, isActive: isActive)
  }

  /// Releases the lines. Outputs keep their levels. All other calls throw from then on.
  public func release() {
    guard !isReleased else { return }
    isReleased = true
    if !isRemoved { chip.release(self) }
  }

  private func check() throws(GPIOError) {
    if isRemoved { throw .removed }
    if isReleased { throw .noSuchLine }
  }

  private func check(_ offset: Int) throws(GPIOError) {
    try check()
    guard offsets.contains(offset) else { throw .noSuchLine }
  }

  // MARK: For the chip

  func note(_ offset: Int, isActive: Bool, at time: UInt64) {
    guard let index = offsets.firstIndex(of: offset) else { return }
    sequence &+= 1
    lineSequences[index] &+= 1
    events.append(
      EdgeEvent(
        offset: offset, isActive: isActive, time: time, sequence: sequence,
        lineSequence: lineSequences[index]))
    doorbell.ring(true)
  }

  func remove() {
    isRemoved = true
    doorbell.ring(true)
  }
}

/// A descriptor that is readable on demand: a pipe with one byte or none.
struct Doorbell: ~Copyable {
  /// The end that a loop waits for.
  let descriptor: CInt
  private let button: CInt
  private var isRinging = false

  init() throws(GPIOError) {
    var ends: [CInt] = [-1, -1]
    let result = unsafe pipe(&ends)
    guard result == 0 else { throw .tooManyFiles }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    descriptor = ends[0]
    button = ends[1]
  }

  deinit {
    close(descriptor)
    close(button)
  }

  /// Makes the descriptor readable, or not.
  mutating func ring(_ isWanted: Bool) {
    guard isWanted != isRinging else { return }
    isRinging = isWanted
    var byte: UInt8 = 1
    // Neither call blocks: the pipe is empty before a write, and has a byte before a read.
    if isWanted {
      _ = unsafe write(button, &byte, 1)
    } else {
      _ = unsafe read(descriptor, &byte, 1)
    }
  }
}
