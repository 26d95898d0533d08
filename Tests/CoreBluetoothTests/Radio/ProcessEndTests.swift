import LinuxRadio
import Testing

@testable import CoreBluetooth

@Suite("The end of a program")
struct ProcessEndTests {
  /// Symptom: the program that hosted the air logged that the radio was lost, at its exit.
  @Test("closes all its radios at once, and none of them is lost with the air of another")
  func exit() throws {
    let path = AirPath()
    let engines = (0..<3).map { _ in path.engine() }
    let (states, troubles) = (Inbox<CBManagerState>(), Inbox<RadioError>())
    var observations: [Int] = []
    // The first one hosts the air.
    for engine in engines {
      engine.onTrouble { troubles.put($0) }
      observations.append(engine.observe { states.put($0) })
      try states.take { $0 == .poweredOn }
    }
    #expect(path.exists)
    RadioEngine.close(engines)
    #expect(troubles.isEmpty)
    #expect(!path.exists)
    // A radio without its air may be `resetting` before that.
    for _ in engines { try states.take { $0 == .poweredOff } }
    for engine in engines { #expect(engine.waitForEnd(seconds: 60)) }
  }
}
