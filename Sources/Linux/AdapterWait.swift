/// How a service waits for its adapter when it starts.
///
/// On a Raspberry Pi the kernel finds the controller at the end of a UART seconds after the first
/// services start, and then sets it up. Nothing is wrong in that time.
package struct AdapterWait {
  /// How often to look for the adapter, in milliseconds. The kernel has no event for its arrival
  /// that a confined service can get.
  package static var interval: UInt32 { 100 }
  /// How often the adapter may be busy: for 30 s, since one command of the kernel's set-up may take
  /// 10 s.
  package static var busyLimit: UInt32 { 300 }

  /// How often in a row the adapter was busy.
  private var busyCount: UInt32 = 0

  /// Not yet waiting.
  package init() {}

  /// Whether to look again after the adapter could not be opened. It may be absent for ever, since
  /// it may be plugged in at any time.
  ///
  /// - Parameter code: Why it could not be opened.
  package mutating func continues(after code: ErrorNumber) -> Bool {
    if code == .noSuchDevice {
      busyCount = 0
      return true
    }
    busyCount &+= 1
    return (code == .busy || code == .notSetUp) && busyCount <= Self.busyLimit
  }
}
