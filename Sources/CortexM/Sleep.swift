import CCortexM

/// The processor's sleep, and what it has cost so far: for a debugger, or for a test, to read.
struct Sleep {
  /// How often the processor has woken up.
  private(set) var wakeUps: UInt32 = 0
  /// How often the ball's loop has slept.
  private(set) var waits: UInt32 = 0
  /// For how many ticks of the clock the ball's loop has been awake.
  private(set) var ticksAwake: UInt32 = 0
  private var awakeSince: UInt32 = 0

  /// The loop has nothing to do.
  static func begin() {
    unsafe sleep.ticksAwake &+= Clock.ticks &- sleep.awakeSince
    unsafe sleep.waits &+= 1
  }

  /// The loop goes on.
  static func end() {
    unsafe sleep.awakeSince = Clock.ticks
  }

  /// Sleeps until an interrupt has been served, unless an earlier one has brought news; whether it slept.
  static func unlessNews() -> Bool {
    // While interrupts are held, one that comes after the look still ends the sleep.
    withInterruptsHeld {
      if hasNews { return false }
      cortexm_wait_for_interrupt()
      unsafe sleep.wakeUps &+= 1
      return true
    }
  }

  /// Whether an interrupt has brought something that the loop must see to.
  private static var hasNews: Bool {
    unsafe controllerReceiver.hasNews || buttonEdges.hasNews || controllerTransmitter.hasNews
      || console.hasNews
  }
}

nonisolated(unsafe) var sleep = Sleep()
