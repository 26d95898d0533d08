import CCortexM

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
