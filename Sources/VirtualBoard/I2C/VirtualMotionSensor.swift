import EightBall

/// What the models of motion sensors share: registers, samples, and the interrupt.
///
///     let part = VirtualLIS3DH()
///     bus.attach(part, at: 0x18)
///     part.onInterrupt = { isActive in chip.drive(17, isActive ? .high : .low) }
///     part.acceleration = MotionSample(x: 1_500, y: 0, z: 1_000)
///
/// It has no clock: the part takes a sample when the acceleration is set, and not in between. Set it
/// every 20 ms, also to the same value, for a ball that moves.
public class VirtualMotionSensor: VirtualI2CDevice {
  /// The acceleration of the part, gravity included. Each time it is set, the part takes a sample,
  /// if it is set up to do so.
  public final var acceleration = MotionSample(x: 0, y: 0, z: 1_000) {
    didSet { takeSample() }
  }

  /// Whether the part acknowledges what it receives. `false` is a fault.
  public final var acknowledges = true

  /// Whether the part drives its interrupt line.
  public final private(set) var isInterruptActive = false

  /// Called when `isInterruptActive` has changed.
  public final var onInterrupt: ((Bool) -> Void)?

  /// The value of the identity register. Another one than the part's own is a fault.
  public final var identity: UInt8

  final var registers = [UInt8](repeating: 0, count: 128)
  /// What the high-pass filter of each axis subtracts, in 1/64 mg.
  final var filterZero = [0, 0, 0]
  private var pointer = 0

  init(identity: UInt8) {
    self.identity = identity
    reset()
  }

  /// Interrupts the supply for a moment: each register has its reset value, and the line is low.
  public final func losePower() {
    registers = [UInt8](repeating: 0, count: 128)
    filterZero = [0, 0, 0]
    reset()
    setInterrupt(false)
  }

  // MARK: The bus

  /// Takes a byte: the number of a register, or its value.
  public final func receive(_ byte: UInt8, isFirst: Bool) -> Bool {
    guard acknowledges else { return false }
    if isFirst {
      pointer = Int(byte)
    } else {
      if isWritable(pointer & 0x7F) { registers[pointer & 0x7F] = byte }
      advancePointer()
    }
    return true
  }

  /// The value of the register that is next.
  public final func send() -> UInt8 {
    defer { advancePointer() }
    return read(pointer & 0x7F)
  }

  /// Changes nothing.
  public final func stop() {}

  private func advancePointer() { pointer = next(after: pointer) }

  // MARK: What a model adds

  /// Writes the reset values that are not 0.
  func reset() {}
  /// Whether the controller can write a register.
  func isWritable(_ register: Int) -> Bool { false }
  /// The number after this one in a transfer of several bytes.
  func next(after pointer: Int) -> Int { (pointer + 1) & 0x7F }
  /// Reads a register, with all that the reading changes.
  func read(_ register: Int) -> UInt8 { registers[register] }
  /// Measures `acceleration`.
  func takeSample() {}

  // MARK: Helpers of the models

  final var axes: [Int] { [Int(acceleration.x), Int(acceleration.y), Int(acceleration.z)] }

  /// The largest output of the high-pass filter on an axis that is `true` in `isEnabled`, in mg.
  ///
  /// - Parameter shift: The filter moves its zero by a fraction of 1/2^`shift` each sample; `nil` if
  ///   it holds the zero.
  final func filteredPeak(shift: Int?, isEnabled: [Bool] = [true, true, true]) -> Int {
    var peak = 0
    for (axis, value) in axes.enumerated() {
      let output = value * 64 - filterZero[axis]
      if let shift { filterZero[axis] += output >> shift }
      if isEnabled[axis] { peak = max(peak, abs(output) / 64) }
    }
    return peak
  }

  /// The present acceleration becomes the zero of the filter.
  final func resetFilter() { filterZero = axes.map { $0 * 64 } }

  final func setInterrupt(_ isActive: Bool) {
    guard isActive != isInterruptActive else { return }
    isInterruptActive = isActive
    onInterrupt?(isActive)
  }
}
