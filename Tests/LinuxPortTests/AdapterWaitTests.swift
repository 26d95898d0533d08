import BluetoothHost
import Expectations
import Linux

@Suite("The wait of a service for its adapter")
struct AdapterWaitTests {
  @Test("An adapter may be absent for ever")
  func absent() {
    var wait = AdapterWait()
    for _ in 0..<1_000_000 { expect(wait.continues(after: .noSuchDevice)) }
  }

  @Test(
    "The system may use the adapter for 30 s, from when it is there",
    arguments: [.busy, .notSetUp] as [ErrorNumber])
  func busy(code: ErrorNumber) {
    var wait = AdapterWait()
    // Plugged in again, it has the whole time again.
    for _ in 0..<2 {
      expect(wait.continues(after: .noSuchDevice))
      // 30 s / 100 ms = 300 looks.
      for look in 0..<300 { expect(wait.continues(after: code), "\(look)") }
      expect(!wait.continues(after: code))
    }
  }

  @Test(
    "Nothing else passes by itself",
    arguments: [.notPermitted, .tooManyUsers, .blockedByRfkill, .addressFamilyNotSupported]
      as [ErrorNumber])
  func others(code: ErrorNumber) {
    var wait = AdapterWait()
    expect(!wait.continues(after: code))
  }
}
