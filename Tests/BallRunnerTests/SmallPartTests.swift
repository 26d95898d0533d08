import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// The limits and the order of the small parts of a ball: the last moment before a deadline, the
/// last place of a queue, the requests that change nothing.
@Suite("Limits of the small parts of a ball")
struct SmallPartTests {
  // MARK: Pairing

  @Test("A ball is never a central")
  func role() {
    #expect(!PairingGate.isEverCentral)
    #expect(PairingGate.keepsPrivacy)
  }

  @Test(
    "A button acts once, at the end of its time and not a millisecond earlier",
    arguments: [(FrontPanelAction.shake, UInt32(3_000)), (.clear, 10_000)])
  func hold(action: FrontPanelAction, time: UInt32) {
    let start = Instant(rawValue: 7)
    let end = start.advanced(by: time)
    let result: PairingGate.Action = action == .shake ? .open : .forget
    var control = PairingGate(.encrypted)
    func hold(at now: Instant, isDown: Bool = true) -> PairingGate.Action? {
      control.hold(shake: isDown && action == .shake, clear: isDown && action == .clear, at: now)
    }
    control.press(action, at: start)
    #expect(control.deadline == end)
    #expect(hold(at: end.advanced(by: UInt32.max)) == result, "Late is not too late.")
    #expect(control.deadline == nil)
    #expect(hold(at: end) == nil, "Once.")

    control.press(action, at: start)
    #expect(hold(at: Instant(rawValue: end.rawValue - 1)) == nil)
    // The panel acts on clear when it has been held for some time; the button is still down.
    control.press(.release, at: start.advanced(by: 2_999))
    #expect(control.deadline == end)
    #expect(hold(at: end) == result)

    control.press(action, at: start)
    #expect(hold(at: Instant(rawValue: end.rawValue - 1), isDown: false) == nil)
    #expect(control.deadline == nil)
    #expect(hold(at: end) == nil, "It was released.")
  }

  @Test("Of two buttons held long enough the bonds come first; the earliest deadline counts")
  func both() {
    let start = Instant(rawValue: 0)
    var control = PairingGate(.encrypted)
    control.open(at: start)
    #expect(control.deadline == Instant(rawValue: 60_000))
    control.press(.clear, at: start)
    #expect(control.deadline == Instant(rawValue: 10_000))
    control.press(.shake, at: start)
    #expect(control.deadline == Instant(rawValue: 3_000))
    let late = Instant(rawValue: 10_000)
    #expect(control.hold(shake: true, clear: true, at: late) == .forget)
    #expect(control.hold(shake: true, clear: true, at: late) == .open)
    #expect(control.hold(shake: true, clear: true, at: late) == nil)
    #expect(control.deadline == Instant(rawValue: 60_000))
  }

  @Test("Without protection no button and no failed encryption matters")
  func unprotected() {
    var control = PairingGate(.none)
    for action in [FrontPanelAction.shake, .clear, .release] {
      control.press(action, at: Instant(rawValue: 0))
      #expect(control.deadline == nil)
    }
    control.encryptionFailed(.connectionTimeout, at: 1)
    #expect(!control.hasEvents)
    for protection in [BallProtection.encrypted, .authenticated] {
      control = PairingGate(protection)
      control.encryptionFailed(.connectionTimeout, at: 1)
      #expect(control.nextEvent() == .unencrypted(connectionIndex: 1))
    }
  }

  @Test("Seven events keep their order while others are taken")
  func events() {
    var control = PairingGate(.encrypted)
    var next = 1
    for count in 1...40 {
      control.append(.forgotten(count))
      // Between 1 and 8 wait.
      guard count % 8 == 0 || count % 3 == 0 else { continue }
      #expect(control.nextEvent() == .forgotten(next))
      next += 1
      if count % 8 == 0 {
        while control.hasEvents {
          #expect(control.nextEvent() == .forgotten(next))
          next += 1
        }
      }
    }
    #expect(next == 41)
  }

  // MARK: Lines

  @Test("An empty line waits as other lines do: a line that is too long is left out behind it")
  func emptyLine() {
    var queue = LineQueue<16>()
    func pending() -> String { String(decoding: Array(queue.pending), as: UTF8.self) }
    queue.append { _ in }
    #expect(pending() == "\n")
    queue.append { $0.write(text: "a line that is too long") }
    #expect(pending() == "\n")
    var lost = queue.lostLines
    #expect(lost == 1)
    // After a lost line nothing is added before the loss is reported.
    queue.append { $0.write(text: "b") }
    lost = queue.lostLines
    #expect(lost == 2)
    queue.remove(1)
    #expect(pending() == "")
    queue.appendLoss { $0.write(decimal: $1) }
    #expect(pending() == "2\n")
    lost = queue.lostLines
    #expect(lost == 0)
    queue.appendLoss { $0.write(decimal: $1) }
    #expect(pending() == "2\n", "Once.")
  }

  @Test("A connection has no notices before it leaves out a line")
  func account() {
    let now = Instant(rawValue: 1_000)
    var account = ConnectionAccount()
    func admits(_ event: BallEvent) -> Bool { account.admits(event, at: now) }
    func omission() -> String? { account.takeOmission().map { "\($0.count)" } }
    func late() -> DeviceAddress? { account.takeLateConnection(at: now) }
    #expect(!account.isDue)
    #expect(account.deadline == nil)
    #expect(omission() == nil)
    #expect(late() == nil)
    #expect(admits(.connected(connectionIndex: 0, address: .zero)))
    for _ in 0..<499 { #expect(admits(.refused(connectionIndex: 0, .statement))) }
    #expect(!admits(.refused(connectionIndex: 0, .statement)))
    #expect(!account.isDue)
    #expect(omission() == nil, "It is not due.")
    account.end()
    #expect(account.isDue)
    #expect(late() == nil, "Its beginning was printed.")
    #expect(omission() == "1")
    #expect(!account.isDue)
    #expect(omission() == nil)
  }

  @Test("Events of no connection, and of connections beyond the limit's, are always printed")
  func noConnection() {
    var limit = OutputLimit<2>()
    func admits(_ event: BallEvent) -> Bool { limit.admits(event, at: Instant(rawValue: 0)) }
    for _ in 0..<2_000 {
      #expect(admits(.missed(1)))
      #expect(admits(.radio(.silent)))
      #expect(admits(.asked(connectionIndex: 2)))
      #expect(admits(.asked(connectionIndex: -1)))
    }
    #expect(!limit.mayHaveNotices)
    #expect(limit.deadline == nil)
  }

  @Test("The allowance has whole seconds: a day gives all back, a millisecond less gives 20")
  func allowance() {
    for (milliseconds, left): (UInt64, Int) in [
      (999, 0), (1_000, 20), (1_999, 20), (2_000, 40), (24_999, 480), (25_000, 500),
      (86_399_999, 500), (86_400_000, 500), (1 << 40, 500),
    ] {
      var allowance = OutputAllowance()
      for _ in 0..<500 { allowance.spend(at: Instant(rawValue: 100)) }
      let now = Instant(rawValue: 100 + milliseconds)
      var count = 0
      allowance.advance(to: now)
      while !allowance.isSpent {
        allowance.spend(at: now)
        count += 1
      }
      #expect(count == left, "after \(milliseconds) ms")
    }
  }

  // MARK: Texts

  @Test("Each ASCII byte has one form in JSON")
  func escapes() {
    for byte in UInt8(0)..<0x80 {
      var storage = [UInt8](repeating: 0, count: 32)
      var writer = ByteWriter(storage.mutableSpan)
      writer.write(escaped: [0x61, byte, 0x62].span)
      let count = writer.count
      let expected: String =
        switch byte {
        case 0x22: #"\""#
        case 0x5C: #"\\"#
        case 0x0A: #"\n"#
        case 0x0D: #"\r"#
        case 0x09: #"\t"#
        case 0x20..<0x7F: String(Unicode.Scalar(byte))
        default:
          #"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      #expect(String(decoding: storage.prefix(count), as: UTF8.self) == "a\(expected)b")
    }
  }
}
