import CCortexM

/// The processor's sleep, and what it has cost so far: for a debugger, or for a test, to read.
struct Sleep {
  /// How often the processor has woken up.
  private(set) var wakeUps: UInt32 = 0
  /// How often the ball's loop has slept.
  private(set) var waits: UInt32 = 0
  /// For how many ticks of the clock the processor has been awake: while it sleeps. While it is awake, this
  /// has no meaning.
  private(set) var ticksAwake: UInt32 = 0
  /// Whether the loop has something to do.
  private var isOver = false

  /// An interrupt has brought something that the loop must see to. For interrupt handlers.
  static func end() {
    unsafe sleep.isOver = true
  }

  /// Sleeps until an interrupt handler has called `end` since the last sleep.
  static func untilNews() {
    unsafe sleep.waits &+= 1
    cortexm_hold_interrupts()
    while unsafe !sleep.isOver {
      unsafe sleep.ticksAwake &+= Clock.ticks
      // An interrupt that waits ends the sleep as well.
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
