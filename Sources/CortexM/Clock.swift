import BluetoothHost
import CCortexM

/// The time since the start, which never goes back, from a free-running 32-bit counter.
///
/// The counter is the watchdog timer, which has no other use here: it counts down from 2³² - 1 with
/// the system clock, also during sleep, and wraps around.
/// Data sheet of the LM3S6965, "Watchdog Timer".
struct Clock: ~Copyable {
  private static var load: Register<UInt32> { Register(0x4000_0000) }
  private static var counter: Register<UInt32> { Register(0x4000_0004) }
  private static var control: Register<UInt32> { Register(0x4000_0008) }
  private static var interruptClear: Register<UInt32> { Register(0x4000_000C) }

  /// How often it counts in a millisecond.
  private static var rate: UInt32 { LM3S6965.clock / 1_000 }

  /// The counter's ticks at the last read of `now`, minus the fraction of a millisecond.
  private var ticks: UInt32
  /// The milliseconds until then.
  private var milliseconds: UInt64 = 0

  /// Starts the counter.
  init() {
    Self.load.value = .max
    Self.control.value = 1  // start, with an interrupt when it wraps around
    ticks = Self.ticks
  }

  /// The counter, counting up.
  static var ticks: UInt32 { ~counter.value }

  /// The counter has wrapped around, once in 2³² ticks. The interrupt handler wakes the loop, so
  /// that `now` is read at least that often.
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

  /// The time at which the counter was `other`: since the last read of `now`, or shortly before.
  func instant(at other: UInt32) -> Instant {
    let difference = Int32(bitPattern: other &- ticks)
    let passed = UInt64(widening: difference.magnitude / Self.rate)
    return Instant(rawValue: difference < 0 ? milliseconds &- passed : milliseconds &+ passed)
  }

  /// The ticks until `deadline`: 0 if it has come, at most 2³¹, the longest single sleep.
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

  /// Prepares the timer.
  static func start() {
    control.value = 0
    configuration.value = 0  // 32 bits
    mode.value = 1  // once
    interruptMask.value = 1
  }

  /// Interrupts once, in so many ticks.
  static func set(_ ticks: UInt32) {
    stop()
    load.value = ticks
    control.value = 1
  }

  /// Cancels the interrupt.
  static func stop() {
    control.value = 0
    interruptClear.value = 1
  }

  /// The timer has expired. For its interrupt handler, which wakes the loop.
  static func handleInterrupt() {
    interruptClear.value = 1
  }
}

/// The processor's sleep, and its counts for a debugger or a test.
struct Sleep {
  /// How often the processor has woken up.
  private(set) var wakeUps: UInt32 = 0
  /// How often the ball's loop has slept.
  private(set) var waits: UInt32 = 0
  /// The ticks of the clock for which the processor was awake; valid only while it sleeps.
  private(set) var ticksAwake: UInt32 = 0
  /// Whether the loop has something to do.
  private var isOver = false

  /// An interrupt needs the loop. For interrupt handlers.
  static func end() {
    unsafe sleep.isOver = true
  }

  /// Sleeps until an interrupt handler has called `end` since the last sleep.
  static func untilEnded() {
    unsafe sleep.waits &+= 1
    cortexm_hold_interrupts()
    while unsafe !sleep.isOver {
      unsafe sleep.ticksAwake &+= Clock.ticks
      // A pending interrupt ends the sleep too.
      cortexm_wait_for_interrupt()
      unsafe sleep.ticksAwake &-= Clock.ticks
      unsafe sleep.wakeUps &+= 1
      // Its handler runs.
      cortexm_serve_interrupts()
      cortexm_hold_interrupts()
    }
    unsafe sleep.isOver = false
    cortexm_serve_interrupts()
  }
}

nonisolated(unsafe) var sleep = Sleep()
