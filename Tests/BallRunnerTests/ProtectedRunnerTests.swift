import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("A ball that protects its links")
struct ProtectedRunnerTests {
  private let bench = PairingBench()

  private static func refused(_ reason: String) -> String {
    "Not paired with F0:00:00:11:BA:02: \(reason)."
  }

  @Test("A ball without bonds lets a central pair in its first minute, and answers it")
  func firstStart() {
    expect(
      bench.outputLines,
      is: ["Pairing is open for 60 s.", "Advertising as “Test Ball” (F0:00:00:11:BA:01)."])
    bench.connect()
    // Core Specification, Vol 3, Part C, 10.3.1: there is no bond yet.
    expect(bench.ask("Open?"), is: [0x05, 0x05])
    expect(bench.secure())
    expect(bench.ask("Encrypted?"), is: [0, 0])
    expect(bench.central.collector.notified.count, is: 1)
    expect(bench.outputLines.contains("Paired with F0:00:00:11:BA:02, without a check by a user."))
    expect(bench.outputLines.contains("Pairing is closed."))
  }

  @Test("Pairing closes as soon as a central has paired, and no other central gets in")
  func closesAfterPairing() throws {
    bench.connect()
    expect(bench.secure())
    let lines = bench.outputLines
    let paired = try #require(lines.firstIndex { $0.hasPrefix("Paired with") })
    expect(lines[paired...].dropFirst().first, is: "Pairing is closed.")
    bench.returnWithoutBond()
    expect(!bench.secure())
    expect(bench.central.record.outcomes.last, is: .refused(.pairingNotSupported))
    // Nothing is said when the minute is over.
    bench.run(for: 60_000)
    expect(bench.outputLines.count { $0 == "Pairing is closed." }, is: 1)
    // The owner opens it again.
    bench.hold(.shake, for: 3_000)
    expect(bench.outputLines.last, is: "Pairing is open for 60 s.")
    bench.run(for: 60_000)
    expect(bench.outputLines.last, is: "Pairing is closed.")
  }

  @Test("Pairing can stay open for its whole minute")
  func staysOpen() {
    let bench = PairingBench(staysOpen: true)
    bench.connect()
    expect(bench.secure())
    expect(bench.central.pair())
    bench.run(for: 2_000)
    expect(bench.central.record.outcomes.count, is: 2)
    expect(!bench.machine.output.contains("Pairing is closed."))
    bench.run(for: 60_000)
    expect(bench.outputLines.last, is: "Pairing is closed.")
    bench.returnWithoutBond()
    expect(!bench.secure())
    expect(bench.central.record.outcomes.last, is: .refused(.pairingNotSupported))
  }

  @Test("A ball with all the bonds that it can keep takes no other, and says what to do")
  func fullTable() throws {
    var table = BondTable<16>()
    for number: UInt8 in 1...16 {
      table.store(
        Bond(
          identityAddress: DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 1]),
          longTermKey: Number128(words: [UInt32(number), 1, 1, 1]), isAuthenticated: false,
          isSecureConnections: true, role: .responder))
    }
    var file = BondFileBytes()
    BondFileFormat.write(table, identity: nil, to: &file)
    let bench = PairingBench(bonds: Array(file.span))
    bench.hold(.shake, for: 3_000)
    bench.connect()
    _ = bench.secure()
    expect(
      bench.outputLines.last,
      is: Self.refused("there is no room for its bond; remove another bond first"))
    expect(bench.bondCount, is: 16)
    // A failure does not close pairing.
    expect(!bench.machine.output.contains("Pairing is closed."))
  }

  @Test("A central that claims another's bond is refused, and the line says what to do")
  func unproved() {
    bench.connect()
    expect(bench.secure())
    bench.hold(.shake, for: 3_000)
    bench.returnWithoutBond()
    _ = bench.secure()
    expect(
      bench.outputLines.last,
      is: Self.refused("it did not prove that it has its bond; remove the bond first"))
  }

  @Test("While pairing is closed no central pairs, but a bonded one is served")
  func closed() {
    bench.run(for: 60_000)
    bench.connect()
    expect(!bench.secure())
    expect(bench.central.record.outcomes, is: [.refused(.pairingNotSupported)])
    bench.disconnect()

    let other = PairingBench()
    other.connect()
    expect(other.secure())
    other.disconnect()
    other.run(for: 60_000)
    other.connect()
    // A bonded client encrypts the link before it asks.
    expect(other.ask("Bond?"), is: [0, 0])
    expect(other.central.isEncrypted)
    expect(other.central.record.outcomes.count, is: 1, "It has paired once.")
  }

  @Test("A ball without protection answers every central, pairs with none, and has no bonds")
  func unprotected() {
    let bench = PairingBench(.none, isJSON: true)
    bench.connect()
    expect(bench.ask("Open?"), is: [0, 0])
    expect(!bench.secure())
    expect(bench.central.record.outcomes, is: [.refused(.pairingNotSupported)])
    bench.hold(.shake, for: 3_100)
    expect(!bench.secure())
    bench.hold(.clear, for: 10_100)
    bench.connect()
    expect(bench.ask("Again?"), is: [0, 0])
    for event in ["pairing", "paired", "forgotten", "unencrypted", "bonds"] {
      expect(!bench.outputLines.contains { $0.contains("\"event\":\"\(event)\"") })
    }
    expect(bench.outputLines.count { $0.contains("\"event\":\"answer\"") }, is: 3)
  }

  @Test("Shake held for 3 s opens pairing for a minute, and the status light pulses")
  func shake() {
    bench.run(for: 60_000)
    bench.hold(.shake, for: 2_900)
    expect(bench.outputLines.last, is: "Shaken: no central that has asked is subscribed.")
    bench.hold(.shake, for: 3_000)
    expect(bench.outputLines.last, is: "Pairing is open for 60 s.")
    // 100 ms on, 400 ms off.
    var lit: [Bool] = []
    for _ in 0..<20 {
      lit.append(bench.machine.lines.lit.contains(.status))
      bench.run(for: 50)
    }
    expect(lit.count { $0 }, is: 4)
    bench.connect()
    expect(bench.secure())
    bench.run(for: 60_000)
    expect(bench.outputLines.last, is: "Pairing is closed.")
    expect(bench.machine.lines.lit.contains(.status), "A central is connected.")
  }

  @Test("Clear held for 10 s deletes the bonds, after it has disconnected every central")
  func clear() {
    bench.connect()
    expect(bench.secure())
    bench.run(for: 60_000)
    bench.hold(.clear, for: 9_900)
    expect(bench.outputLines.contains("Clear was held: all disconnected."))
    expect(bench.bondCount, is: 1)
    bench.hold(.clear, for: 10_000)
    expect(bench.outputLines.contains("Clear was held: 1 bond is forgotten."))
    expect(bench.bondCount, is: 0)
    bench.connect()
    // The central still has its key, and the ball refuses it: it has no bond.
    expect(!bench.secure())
    expect(!bench.central.isEncrypted)
  }

  @Test("A button that is down at the start is not a press, however long it is held")
  func heldAtStart() {
    let machine = TestMachine()
    machine.lines.drive(.clear, isClosed: true, at: 0)
    machine.lines.drive(.shake, isClosed: true, at: 0)
    let bench = PairingBench(machine: machine)
    bench.run(for: 30_000)
    expect(!bench.outputLines.contains { $0.hasPrefix("Clear was held") })
    expect(bench.outputLines.count { $0.hasPrefix("Pairing is open") }, is: 1)
  }

  @Test("Changed bonds are stored, and a ball with stored bonds opens no pairing")
  func kept() throws {
    // The ball's identity is stored.
    expect(bench.machine.bondFiles.count, is: 1)
    bench.connect()
    expect(bench.secure())
    expect(bench.ask("Kept?"), is: [0, 0])
    bench.run(for: 1_000)
    let count = bench.machine.bondFiles.count
    expect(count > 1)
    expect(bench.ask("Kept again?"), is: [0, 0])
    expect(bench.machine.bondFiles.count, is: count, "A question changes nothing that is kept.")

    let file = try #require(bench.machine.bondFiles.last)
    let next = PairingBench(bonds: file)
    expect(!next.machine.output.contains("Pairing is open"))
    expect(next.bondCount, is: 1)
    expect(next.machine.bondFiles.isEmpty, "Nothing has changed.")
  }

  @Test("A disk that takes no bonds is reported once, and again when it does")
  func fullDisk() {
    let machine = TestMachine()
    machine.isDiskFull = true
    let bench = PairingBench(machine: machine)
    bench.connect()
    expect(bench.secure())
    expect(
      machine.errorLines,
      is: [
        "Bonds: forgotten when the ball ends; cannot write /state/ball.bonds: No space left on device."
      ])
    machine.isDiskFull = false
    bench.hold(.clear, for: 10_000)
    expect(machine.outputLines.contains("Bonds: kept again."))
  }

  @Test("With a user the numbers are compared, and yes makes an authenticated bond")
  func comparison() throws {
    let bench = PairingBench(.authenticated, hasUser: true)
    bench.beginPairing()
    let prompt = try #require(bench.central.record.prompts.first)
    guard case .compareNumber(let number) = prompt else {
      Issue.record("\(prompt)")
      return
    }
    expect(bench.machine.question, is: prompt)
    let digits = String(repeating: "0", count: 6 - "\(number)".count) + "\(number)"
    expect(
      bench.outputLines.last,
      is: "F0:00:00:11:BA:02 wants to pair. Does it show \(digits)? Press y or n.")
    bench.machine.confirmation = true
    expect(bench.central.confirm())
    bench.run(for: 2_000)
    expect(bench.machine.question, is: nil)
    expect(
      bench.outputLines.suffix(2),
      is: [
        "Paired with F0:00:00:11:BA:02, protected against a man in the middle.",
        "Pairing is closed.",
      ])
    expect(bench.ask("Authenticated?"), is: [0, 0])
  }

  @Test("No ends the pairing, and the central may not ask")
  func refusal() {
    let bench = PairingBench(.authenticated, hasUser: true)
    bench.beginPairing()
    bench.machine.confirmation = false
    bench.run(for: 1_000)
    expect(bench.outputLines.last, is: Self.refused("the user said no"))
    expect(bench.central.record.outcomes, is: [.refused(.numericComparisonFailed)])
    expect(bench.ask("No?"), is: [0x05, 0x05])
  }

  @Test("A ball that requires authentication does not pair without it")
  func noUser() {
    let bench = PairingBench(.authenticated)
    bench.connect()
    expect(!bench.secure())
    expect(bench.outputLines.last, is: Self.refused("it cannot meet the required security"))
  }
}
