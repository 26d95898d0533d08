import BluetoothHost
import Linux

/// The pages of code and constants that only the start of the program needs, more than half of its memory.
struct StartPages {
  /// How long the start lasts at most, in milliseconds.
  private static var longest: UInt32 { 2_000 }
  /// A wait this long ends the start before, in milliseconds: no command takes so long.
  private static var rest: UInt32 { 10_000 }

  /// When the start is over; `nil` once the pages are given back.
  private var end: Instant?

  /// The start begins.
  init(at now: Instant) { end = now.advanced(by: Self.longest) }

  /// Gives the pages back once the start is over, before the program waits until `deadline`.
  mutating func giveBack(at now: Instant, before deadline: Instant?) {
    guard let end else { return }
    if let deadline, now < end, deadline < now.advanced(by: Self.rest) { return }
    self.end = nil
    // A debugger's breakpoints would go too.
    #if !DEBUG
      clinux_forget_start()
    #endif
  }
}
