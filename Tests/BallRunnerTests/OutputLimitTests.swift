import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("The limit on the lines of one central")
struct OutputLimitTests {
  @Test("The allowance has a burst of 500 lines, and gets 20 back each whole second")
  func allowance() {
    for (milliseconds, left): (UInt64, Int) in [
      (999, 0), (1_000, 20), (1_999, 20), (2_000, 40), (2_500, 40), (24_999, 480), (25_000, 500),
      (86_399_999, 500), (86_400_000, 500), (1 << 40, 500), (.max - 5_000, 500),
    ] {
      var allowance = OutputAllowance()
      expect(count(&allowance, at: .at(5_000)), is: 500)
      expect(allowance.nextSecond, is: .at(6_000))
      expect(count(&allowance, at: .at(5_000 + milliseconds)), is: left, "after \(milliseconds) ms")
    }
    // The seconds are those since the first line, not since the last.
    var allowance = OutputAllowance()
    for (time, left): (UInt64, Int) in [(5_000, 500), (5_999, 0), (6_999, 20), (8_500, 40)] {
      expect(count(&allowance, at: .at(time)), is: left, "at \(time)")
    }
  }

  @Test("All lines of a central that asks ten questions a second are printed")
  func wellBehaved() throws {
    let answer = try #require(Answer(rawValue: 0))
    var log = Log()
    log.take(.connected(connectionIndex: 0, address: .central(1)), at: 0)
    for number: UInt64 in 0..<10 {
      let now = number * 100
      log.take(.asked(connectionIndex: 0), at: now)
      log.take(.answered(connectionIndex: 0, answer), at: now + 50)
    }
    expect(log.lines.count, is: 21)
    expect(log.limit.deadline, is: nil)
  }

  @Test("200,000 refused statements in 3 s make 500 lines, 20 in each later second, and counts")
  func refusals() {
    var log = Log()
    log.take(.connected(connectionIndex: 2, address: .central(7)), at: 0)
    for number: UInt64 in 0..<200_000 {
      log.take(.refused(connectionIndex: 2, .statement), at: number * 3 / 200)
    }
    // The last statement comes at 2,999 ms.
    expect(log.limit.deadline, is: .at(3_000))
    log.wait(until: 3_000)
    expect(log.limit.deadline, is: nil)
    expect(log.lines.count { $0 == "refused" }, is: 499 + 2 * 20)
    let counts = log.lines.filter { $0.contains("omitted") }
    // Statement n comes at 3n/200 ms: 66,667 come in the first second, 66,667 in the next one, and
    // 66,666 in the last. 66,667 - 499 = 66,168; 66,667 - 20 = 66,647; 66,666 - 20 = 66,646.
    expect(counts, is: ["66168 omitted of 7", "66647 omitted of 7", "66646 omitted of 7"])
  }

  @Test("One central's lines do not use up another's allowance")
  func capacity() {
    var log = Log()
    for connectionIndex in 0..<2 {
      log.take(
        .connected(connectionIndex: connectionIndex, address: .central(connectionIndex)), at: 0)
    }
    for _ in 0..<1_000 { log.take(.refused(connectionIndex: 0, .statement), at: 1) }
    log.lines = []
    log.take(.asked(connectionIndex: 1), at: 1)
    log.take(.radio(.silent), at: 1)
    expect(log.lines, is: ["asked", "radio"])
  }

  @Test("The count precedes the end of a link, and the end is always printed")
  func end() {
    var log = Log()
    log.take(.connected(connectionIndex: 0, address: .central(1)), at: 0)
    for _ in 0..<550 { log.take(.refused(connectionIndex: 0, .statement), at: 10) }
    log.take(.end(of: 0, .central(1)), at: 20)
    // 1 connection and 499 refusals are the burst; 550 - 499 = 51.
    expect(log.lines.suffix(3), is: ["refused", "51 omitted of 1", "disconnected 1"])
    expect(log.lines.count, is: 1 + 499 + 2)
    expect(log.limit.deadline, is: nil)
  }

  @Test("A central that reconnects is limited, and each printed connection has its end")
  func comingAndGoing() {
    var log = Log()
    for _ in 0..<1_000 { log.visit(.central(1), at: 0) }
    expect(log.lines.count, is: 500)
    expect(log.limit.deadline, is: .at(1_000))
    log.wait(until: 999)
    expect(log.lines.count, is: 500)
    log.wait(until: 1_000)
    // 250 of 1,000 visits are printed; the others are two lines each.
    expect(log.lines.suffix(2), is: ["disconnected 1", "1500 omitted of 1"])
    expect(log.lines.count { $0 == "connected 1" }, is: 250)
    expect(log.lines.count { $0 == "disconnected 1" }, is: 250)
  }

  @Test("A count of several centrals names none of them")
  func several() {
    var log = Log()
    for _ in 0..<250 { log.visit(.central(1), at: 0) }
    log.visit(.central(2), at: 1)
    log.visit(.central(3), at: 2)
    log.visit(.central(2), at: 3)
    log.wait(until: 1_000)
    expect(log.lines.last, is: "6 omitted of several")
    // The next count is of one central again.
    for _ in 0..<11 { log.visit(.central(3), at: 1_001) }
    log.wait(until: 2_000)
    expect(log.lines.last, is: "2 omitted of 3")
  }

  @Test("A lasting connection that was left out is printed later, after the count")
  func lateConnection() {
    var log = Log()
    for _ in 0..<251 { log.visit(.central(1), at: 0) }
    log.take(.connected(connectionIndex: 0, address: .central(1)), at: 10)
    log.take(.subscribed(connectionIndex: 0, true), at: 20)
    expect(log.lines.count, is: 500)
    log.wait(until: 1_000)
    // The 251st visit and the subscription are left out for good.
    expect(log.lines.suffix(2), is: ["3 omitted of 1", "connected 1"])
    log.take(.asked(connectionIndex: 0), at: 1_001)
    log.take(.end(of: 0, .central(1)), at: 1_002)
    expect(log.lines.suffix(2), is: ["asked", "disconnected 1"])
    expect(log.limit.deadline, is: nil)
  }

  @Test("An event after the end of the second follows the count")
  func order() {
    var log = Log()
    log.take(.connected(connectionIndex: 0, address: .central(1)), at: 0)
    for _ in 0..<500 { log.take(.refused(connectionIndex: 0, .statement), at: 0) }
    log.take(.asked(connectionIndex: 0), at: 1_000)
    expect(log.lines.suffix(2), is: ["1 omitted of 1", "asked"])
  }

  @Test("A late connection has no count before it if nothing else was left out")
  func lateConnectionAlone() {
    var log = Log()
    for _ in 0..<250 { log.visit(.central(1), at: 0) }
    log.take(.connected(connectionIndex: 0, address: .central(2)), at: 1)
    log.take(.asked(connectionIndex: 0), at: 60_000)
    expect(log.lines.suffix(3), is: ["disconnected 1", "connected 2", "asked"])
  }

  @Test("The printed and the counted lines together are all events", arguments: 0..<20)
  func conservation(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var log = Log()
    var linked = [Bool](repeating: false, count: 4)
    var happened = 0
    var now: UInt64 = 0
    for _ in 0..<5_000 {
      let connectionIndex = Int(random.next() % 4)
      let central = DeviceAddress.central(Int(random.next() % 3))
      now += UInt64(random.next() % 3)
      switch (random.next() % 4, linked[connectionIndex]) {
      case (0, let isLinked):
        let event = BallEvent.connected(connectionIndex: connectionIndex, address: central)
        log.take(isLinked ? .end(of: connectionIndex, central) : event, at: now)
        linked[connectionIndex].toggle()
      case (_, true): log.take(.refused(connectionIndex: connectionIndex, .statement), at: now)
      case (_, false): continue
      }
      happened += 1
      log.wait(until: now)
      if let deadline = log.limit.deadline { expect(deadline > .at(now)) }
    }
    log.wait(until: now + 1_000)
    let omitted = log.lines.filter { $0.contains("omitted") }
      .reduce(0) { $0 + (Int($1.prefix { $0.isNumber }) ?? 0) }
    let printed = log.lines.count { !$0.contains("omitted") }
    expect(printed + omitted, is: happened)
    expect(omitted > 0)
    let beginnings = log.lines.count { $0.hasPrefix("connected") }
    let ends = log.lines.count { $0.hasPrefix("disconnected") }
    expect(beginnings, is: ends + linked.count { $0 })
  }

  @Test("A connection has no notices before it leaves out a line")
  func account() {
    let now = Instant(rawValue: 1_000)
    var account = ConnectionAccount()
    func admits(_ event: BallEvent) -> Bool { account.admits(event, at: now) }
    func omission() -> String? { account.takeOmission().map { "\($0.count)" } }
    func late() -> DeviceAddress? { account.takeLateConnection(at: now) }
    expect(!account.isDue)
    expect(account.deadline, is: nil)
    expect(omission(), is: nil)
    expect(late(), is: nil)
    expect(admits(.connected(connectionIndex: 0, address: .zero)))
    for _ in 0..<499 { expect(admits(.refused(connectionIndex: 0, .statement))) }
    expect(!admits(.refused(connectionIndex: 0, .statement)))
    expect(!account.isDue)
    expect(omission(), is: nil, "It is not due.")
    account.end()
    expect(account.isDue)
    expect(late(), is: nil, "Its beginning was printed.")
    expect(omission(), is: "1")
    expect(!account.isDue)
    expect(omission(), is: nil)
  }

  @Test("Events of no connection, and of connections beyond the limit's, are always printed")
  func noConnection() {
    var limit = OutputLimit<2>()
    func admits(_ event: BallEvent) -> Bool { limit.admits(event, at: Instant(rawValue: 0)) }
    for _ in 0..<2_000 {
      expect(admits(.missed(1)))
      expect(admits(.radio(.silent)))
      expect(admits(.asked(connectionIndex: 2)))
      expect(admits(.asked(connectionIndex: -1)))
    }
    expect(!limit.mayHaveNotices)
    expect(limit.deadline, is: nil)
  }

  /// How many lines are left at `now`.
  private func count(_ allowance: inout OutputAllowance, at now: Instant) -> Int {
    allowance.advance(to: now)
    var count = 0
    while !allowance.isSpent {
      allowance.spend(at: now)
      count += 1
    }
    return count
  }
}

/// The lines printed under the limit.
private struct Log {
  var limit = OutputLimit<4>()
  var lines: [String] = []

  mutating func take(_ event: BallEvent, at now: UInt64) {
    let isAdmitted = limit.admits(event, at: .at(now))
    print(at: now)
    guard isAdmitted else { return }
    switch event {
    case .radio: lines.append("radio")
    case .connected(_, let address): lines.append("connected \(address.bytes[0])")
    case .disconnected(_, let address, _): lines.append("disconnected \(address.bytes[0])")
    case .subscribed: lines.append("subscribed")
    case .asked: lines.append("asked")
    case .refused: lines.append("refused")
    case .answered: lines.append("answered")
    case .missed: lines.append("missed")
    }
  }

  /// A central connects at index 0, and disconnects at once.
  mutating func visit(_ central: DeviceAddress, at now: UInt64) {
    take(.connected(connectionIndex: 0, address: central), at: now)
    take(.end(of: 0, central), at: now)
  }

  mutating func wait(until now: UInt64) {
    limit.advance(to: .at(now))
    print(at: now)
  }

  mutating func print(at now: UInt64) {
    while let notice = limit.nextNotice(at: .at(now)) {
      switch notice {
      case .omitted(let count, _, let central):
        lines.append("\(count) omitted of \(central.map { "\($0.bytes[0])" } ?? "several")")
      case .connected(_, let address): lines.append("connected \(address.bytes[0])")
      }
    }
  }
}

extension BallEvent {
  fileprivate static func end(of connectionIndex: Int, _ central: DeviceAddress) -> BallEvent {
    .disconnected(
      connectionIndex: connectionIndex, address: central, reason: .remoteUserTerminatedConnection)
  }
}

extension DeviceAddress {
  fileprivate static func central(_ number: Int) -> DeviceAddress {
    DeviceAddress(kind: .random, bytes: [UInt8(truncatingIfNeeded: number), 0, 0, 0, 0, 0xC0])
  }
}

extension Instant {
  fileprivate static func at(_ milliseconds: UInt64) -> Instant {
    Instant(rawValue: milliseconds)
  }
}
