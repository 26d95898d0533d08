import BluetoothHost

/// The time since the start, which never goes back, from a counter of 32 bits that always counts.
///
/// The counter is the watchdog timer, which may be used so where nothing is to be watched: it counts
/// down from 2³² - 1 with the system's clock, also while the processor sleeps, and begins anew.
/// Data sheet of the LM3S6965, "Watchdog Timer".
struct Clock: ~Copyable {
  private static var load: Register<UInt32> { Register(0x4000_0000) }
  private static var counter: Register<UInt32> { Register(0x4000_0004) }
  private static var control: Register<UInt32> { Register(0x4000_0008) }
  private static var interruptClear: Register<UInt32> { Register(0x4000_000C) }

  /// How often it counts in a millisecond.
  private static var rate: UInt32 { LM3S6965.clock / 1_000 }

  /// The counter's ticks when `now` was last asked for, less what was left of a millisecond.
  private var ticks: UInt32
  /// The milliseconds until then.
  private var milliseconds: UInt64 = 0

  /// Starts the counter.
  init() {
    Self.load.value = .max
    Self.control.value = 1  // it counts, and its interrupt comes when it begins anew
    ticks = Self.ticks
  }

  /// The counter, counting up.
  static var ticks: UInt32 { ~counter.value }

  /// The counter has begun anew: once in 2³² ticks. For its interrupt handler, which wakes whoever
  /// sleeps, so that `now` is asked for at least that often.
  static func handleInterrupt() {
    interruptClear.value = 1
  }

  /// The time.
  var now: Instant {
    @inline(never)
    mutating get {
      let passed = (Self.ticks &- ticks) / Self.rate
      ticks &+= passed &* Self.rate
      milliseconds &+= UInt64(widening: passed)
      return Instant(rawValue: milliseconds)
    }
  }

  /// When the counter stood at `other`, which was since `now` was last asked for or shortly before.
  func instant(at other: UInt32) -> Instant {
    let difference = Int32(bitPattern: other &- ticks)
    let passed = UInt64(widening: difference.magnitude / Self.rate)
    return Instant(rawValue: difference < 0 ? milliseconds &- passed : milliseconds &+ passed)
  }

  /// How many ticks there are until `deadline`, 0 if it has come, at most 2³¹, the longest sleep at once.
  func ticks(until deadline: Instant) -> UInt32 {
    let limit = (UInt32(1) &<< 31) / Self.rate
    guard deadline.rawValue > milliseconds else { return 0 }
    let left = deadline.rawValue &- milliseconds
    guard left < UInt64(widening: limit) else { return limit &* Self.rate }
    let end = ticks &+ UInt32(truncatingIfNeeded: left) &* Self.rate
    let ticksLeft = Int32(bitPattern: end &- Self.ticks)
    return ticksLeft > 0 ? UInt32(bitPattern: ticksLeft) : 0
  }
}

/// A timer that interrupts once.
///
/// Data sheet of the LM3S6965, "General-Purpose Timers": timer 0 as one of 32 bits.
enum Alarm {
  private static var base: UInt { 0x4003_0000 }
  private static var configuration: Register<UInt32> { Register(base &+ 0x000) }
  private static var mode: Register<UInt32> { Register(base &+ 0x004) }
  private static var control: Register<UInt32> { Register(base &+ 0x00C) }
  private static var interruptMask: Register<UInt32> { Register(base &+ 0x018) }
  private static var interruptClear: Register<UInt32> { Register(base &+ 0x024) }
  private static var load: Register<UInt32> { Register(base &+ 0x028) }

  /// Makes it ready.
  static func start() {
    control.value = 0
    configuration.value = 0  // 32 bits
    mode.value = 1  // once
    interruptMask.value = 1
  }

  /// Interrupts in so many ticks, and at no other time.
  static func set(_ ticks: UInt32) {
    stop()
    load.value = ticks
    control.value = 1
  }

  /// Does not interrupt.
  static func stop() {
    control.value = 0
    interruptClear.value = 1
  }

  /// Its time has come. For its interrupt handler, which wakes the loop.
  static func handleInterrupt() {
    interruptClear.value = 1
  }
}
