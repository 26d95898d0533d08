import BallTestSupport
import BluetoothHost
import LinuxRadio
import LinuxTestSupport
import Testing

private typealias Shared = SharedController<Recorder, Recorder>

/// What becomes of single packets on their way through a shared controller.
struct SharedPacketTests {
  private let now = Instant(rawValue: 1_000)

  // MARK: Alone

  @Test(arguments: [SharedHalf.first, .second])
  func thePacketsOfOneHalfPassAsTheyAre(half: SharedHalf) {
    var random = FixedRandom(seed: 3)
    var shared = Shared(Recorder(), Recorder())
    shared.join(half, at: now)
    shared.radioIsReady(at: now)
    _ = shared.take(half)
    for _ in 0..<2_000 {
      let packet = random.packet()
      shared.receive(packet.span, at: now)
      let events = shared.take(half)
      // An answer or an event too short to be one tells a host nothing.
      #expect(events == [.packet(packet)] || (events.isEmpty && isCutShort(packet)))
      var outgoing = random.packet()
      outgoing[0] = 1
      shared.give([outgoing], to: half)
      #expect(shared.next(at: now) == outgoing)
    }
    #expect(shared.take(half.other).isEmpty)
  }

  private func isCutShort(_ packet: [UInt8]) -> Bool {
    guard case .event(let code, let parameters)? = HCIPacket(packet.span) else { return false }
    switch code {
    case .commandComplete: return CommandComplete(parameters: parameters) == nil
    case .commandStatus: return CommandStatus(parameters: parameters) == nil
    case .numberOfCompletedPackets: return NumberOfCompletedPackets(parameters: parameters) == nil
    default: return false
    }
  }

  // MARK: Commands

  @Test func commandsGoOneAtATime() {
    var shared = started()
    shared.give([Self.readAddress], to: .first)
    shared.give([Self.readFeatures], to: .second)
    let sent = shared.next(at: now)
    #expect(shared.next(at: now) == nil)
    let second = sent == Self.readAddress ? SharedHalf.second : .first
    // The other is told that there is no room for its command.
    #expect(shared.take(second) == [.packet(Self.credits(0))])

    shared.receive(Self.complete(sent ?? []).span, at: now)
    #expect(shared.take(second.other) == [.packet(Self.complete(sent ?? []))])
    #expect(shared.take(second) == [.packet(Self.credits(1))])
    #expect(shared.next(at: now) == (second == .first ? Self.readAddress : Self.readFeatures))
  }

  @Test func aCommandThatIsNeverAnsweredIsNotWaitedForForEver() {
    var shared = started()
    shared.give([Self.readAddress], to: .first)
    #expect(shared.next(at: now) == Self.readAddress)
    shared.give([Self.readFeatures], to: .second)
    #expect(shared.next(at: now) == nil)
    #expect(shared.deadline == now.advanced(by: 2_000))
    shared.advance(to: now.advanced(by: 1_999))
    #expect(shared.next(at: now) == nil)
    shared.advance(to: now.advanced(by: 2_000))
    #expect(shared.next(at: now) == Self.readFeatures)
    // The answer comes after all, to whom it is for.
    _ = shared.take(.first)
    _ = shared.take(.second)
    shared.receive(Self.complete(Self.readAddress).span, at: now)
    #expect(shared.take(.first) == [.packet(Self.complete(Self.readAddress))])
    #expect(shared.take(.second).isEmpty)
  }

  @Test func aControllerThatTakesNoCommandsIsBelievedForAWhile() {
    var shared = started()
    shared.give([Self.readAddress], to: .first)
    #expect(shared.next(at: now) == Self.readAddress)
    shared.receive(Self.complete(Self.readAddress, credits: 0).span, at: now)
    shared.give([Self.readFeatures], to: .second)
    #expect(shared.next(at: now) == nil)
    shared.advance(to: now.advanced(by: 2_000))
    #expect(shared.next(at: now) == Self.readFeatures)
  }

  @Test func bothGetTheEventsThatTheyAskFor() {
    var shared = started()
    #expect(
      shared.send([1, 0x01, 0x0C, 8, 0x01, 0, 0, 0, 0, 0, 0, 0x20], from: .first, at: now)
        == [1, 0x01, 0x0C, 8, 0x01, 0, 0, 0, 0, 0, 0, 0x20])
    #expect(
      shared.send([1, 0x01, 0x0C, 8, 0x90, 0x80, 0, 0, 0, 0, 0, 0x20], from: .second, at: now)
        == [1, 0x01, 0x0C, 8, 0x91, 0x80, 0, 0, 0, 0, 0, 0x20])
    #expect(
      shared.send([1, 0x01, 0x20, 8, 0x02, 0, 0, 0, 0, 0, 0, 0], from: .second, at: now)
        == [1, 0x01, 0x20, 8, 0x02, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      shared.send([1, 0x01, 0x20, 8, 0x41, 0, 0, 0, 0, 0, 0, 0], from: .first, at: now)
        == [1, 0x01, 0x20, 8, 0x43, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func theSecondResetDoesNotReachTheController() {
    var shared = Shared(Recorder(), Recorder())
    shared.join(.first, at: now)
    shared.join(.second, at: now)
    shared.radioIsReady(at: now)
    shared.give([reset], to: .first)
    shared.give([reset], to: .second)
    #expect(shared.next(at: now) == reset)
    #expect(shared.next(at: now) == nil)
    shared.receive(Self.complete(reset).span, at: now)
    #expect(shared.next(at: now) == nil)
    #expect(shared.take(.first).contains(.packet(resetComplete)))
    #expect(shared.take(.second).contains(.packet(resetComplete)))
  }

  @Test func aResetUndoesWhatItsSenderDid() {
    var shared = linked()
    let scan: [UInt8] = [1, 0x0C, 0x20, 2, 1, 0]
    let connect: [UInt8] = [1, 0x0D, 0x20, 25] + [UInt8](repeating: 0, count: 25)
    let advertise: [UInt8] = [1, 0x0A, 0x20, 1, 1]
    for (command, half) in [(scan, SharedHalf.first), (connect, .first), (advertise, .second)] {
      #expect(shared.send(command, from: half, at: now) == command)
    }
    _ = shared.take(.first)
    // What the second does goes on: it advertises, and has link 2.
    let undoing: [[UInt8]] = [
      [1, 0x0E, 0x20, 0], [1, 0x0C, 0x20, 2, 0, 0], [1, 0x06, 0x04, 3, 1, 0, 0x13],
    ]
    shared.give([reset], to: .first)
    for command in undoing {
      #expect(shared.next(at: now) == command)
      #expect(!shared.take(.first).contains(.packet(resetComplete)))
      shared.receive(Self.complete(command).span, at: now)
    }
    #expect(shared.next(at: now) == nil)
    #expect(shared.take(.first).contains(.packet(resetComplete)))
    // Link 1 is nobody's, although its end is yet to come.
    shared.receive([2, 1, 0x20, 1, 0, 0x55].span, at: now)
    shared.receive([2, 2, 0x20, 1, 0, 0x55].span, at: now)
    #expect(shared.take(.first).isEmpty)
    #expect(shared.take(.second).last == .packet([2, 2, 0x20, 1, 0, 0x55]))
  }

  @Test func aResetAfterSilenceIsForBoth() {
    var shared = started()
    shared.give([Self.readAddress], to: .second)
    #expect(shared.next(at: now) == Self.readAddress)
    shared.advance(to: now.advanced(by: 2_000))
    _ = shared.take(.first)
    shared.give([reset], to: .second)
    #expect(shared.next(at: now) == reset)
    #expect(
      shared.take(.first) == [.packet([4, 0x10, 1, 0]), .packet(Self.credits(0))])
  }

  @Test(arguments: [1, 2, 3, 8, 255] as [UInt8])
  func eachHalfIsToldOfItsPartOfTheBuffers(count: UInt8) {
    var shared = started()
    var told: [UInt8] = []
    for half in [SharedHalf.first, .second] {
      _ = shared.send([1, 0x02, 0x20, 0], from: half, at: now, answer: [0, 251, 0, count])
      guard case .packet(let answer)? = shared.take(half).last else { continue }
      #expect(answer.prefix(9) == [4, 0x0E, 7, 1, 0x02, 0x20, 0, 251, 0])
      told.append(answer.last ?? 0)
    }
    #expect(told == [max(1, count - count / 2), max(1, count / 2)])
  }

  @Test func theSharedBuffersAreDividedToo() {
    var shared = started()
    _ = shared.send(
      [1, 0x05, 0x10, 0], from: .second, at: now, answer: [0, 0xFD, 3, 64, 9, 0, 5, 0])
    #expect(
      shared.take(.second).last
        == .packet([4, 0x0E, 11, 1, 0x05, 0x10, 0, 0xFD, 3, 64, 4, 0, 5, 0]))
  }

  // MARK: Links

  @Test func noHalfTouchesTheLinksOfTheOther() {
    var shared = linked()
    for (half, foreign) in [(SharedHalf.first, UInt8(2)), (.second, 1)] {
      shared.give([[1, 0x06, 0x04, 3, foreign, 0, 0x13]], to: half)
      #expect(shared.next(at: now) == nil)
      #expect(shared.take(half) == [.packet([4, 0x0E, 4, 1, 0x06, 0x04, 0x02])])
      shared.give([[2, foreign, 0, 1, 0, 0x55]], to: half)
      #expect(shared.next(at: now) == nil)
    }
  }

  @Test func eachHalfHasTheEventsAndTheDataOfItsLinks() {
    var shared = linked()
    let ofFirst: [[UInt8]] = [
      [2, 1, 0x20, 1, 0, 0x55], [4, 0x08, 4, 0, 1, 0, 1], [4, 0x3E, 3, 0x07, 1, 0],
      [4, 0x3E, 4, 0x0C, 0, 1, 0], [4, 0x3E, 2, 0x02, 0], [4, 0x05, 4, 0, 1, 0, 0x13],
    ]
    let ofSecond: [[UInt8]] = [
      [2, 2, 0x20, 1, 0, 0x55], [4, 0x3E, 3, 0x05, 2, 0], [4, 0x3E, 6, 0x12, 0, 0, 2, 0, 1],
      // Of a link that nobody knows.
      [2, 7, 0x20, 1, 0, 0x55], [4, 0x05, 4, 0, 2, 0, 0x13],
    ]
    let ofBoth: [[UInt8]] = [[4, 0x1A, 1, 1], [4, 0xFF, 2, 1, 2], [4, 0x10, 1, 9]]
    for packet in ofFirst + ofSecond + ofBoth { shared.receive(packet.span, at: now) }
    #expect(shared.take(.first) == (ofFirst + ofBoth).map { .packet($0) })
    #expect(shared.take(.second) == (ofSecond + ofBoth).map { .packet($0) })
  }

  @Test func completedPacketsAreToldToWhomTheyWere() {
    var shared = linked()
    shared.receive([4, 0x13, 13, 3, 1, 0, 2, 0, 2, 0, 3, 0, 9, 0, 1, 0].span, at: now)
    #expect(shared.take(.first) == [.packet([4, 0x13, 5, 1, 1, 0, 2, 0])])
    #expect(shared.take(.second) == [.packet([4, 0x13, 5, 1, 2, 0, 3, 0])])
  }

  @Test func aNumberThatIsInUseAgainEndsTheLinkThatHadIt() {
    var shared = linked()
    shared.receive(Self.connected(1, role: 1).span, at: now)
    #expect(shared.take(.first) == [.packet([4, 0x05, 4, 0, 1, 0, 0x1F])])
    #expect(shared.take(.second) == [.packet(Self.connected(1, role: 1))])
  }

  @Test func oneBufferServesBothInTurn() {
    var shared = linked(buffers: 1)
    shared.give([Self.data(1, 0xA1), Self.data(1, 0xA2)], to: .first)
    shared.give([Self.data(2, 0xB1), Self.data(2, 0xB2)], to: .second)
    var sent: [UInt8] = []
    for _ in 0..<4 {
      let packet = shared.next(at: now)
      #expect(shared.next(at: now) == nil)
      sent.append(packet?.last ?? 0)
      let completed: [UInt8] = [4, 0x13, 5, 1, packet?[1] ?? 0, 0, 1, 0]
      shared.receive(completed.span, at: now)
    }
    #expect(sent == [0xA1, 0xB1, 0xA2, 0xB2] || sent == [0xB1, 0xA1, 0xB2, 0xA2])
  }

  @Test func whatWaitsForALinkThatEndsIsForgotten() {
    var shared = linked(buffers: 1)
    shared.give([Self.data(1, 0xA1), Self.data(1, 0xA2)], to: .first)
    #expect(shared.next(at: now) == Self.data(1, 0xA1))
    #expect(shared.next(at: now) == nil)
    shared.receive([4, 0x05, 4, 0, 1, 0, 0x08].span, at: now)
    shared.give([Self.data(2, 0xB1)], to: .second)
    #expect(shared.next(at: now) == Self.data(2, 0xB1))
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func nothingThatAnyoneSendsStopsIt(seed: UInt64) {
    var random = FixedRandom(seed: seed)
    // One alone, or both; the other joins some time.
    var shared = started(seed % 3 == 0 ? [.first] : seed % 3 == 1 ? [.second] : [.first, .second])
    var now = now
    for _ in 0..<3_000 {
      let half: SharedHalf = Bool.random(using: &random) ? .first : .second
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: shared.receive(random.packet().span, at: now)
      case 4...5: shared.give([random.command()], to: half)
      case 6: shared.give([Self.data(.random(in: 0...4, using: &random), 0)], to: half)
      case 7:
        shared.receive(Self.connected(.random(in: 0...4, using: &random), role: 1).span, at: now)
      case 8:
        now = now.advanced(by: .random(in: 0...3_000, using: &random))
        shared.advance(to: now)
      default:
        if Int.random(in: 0..<40, using: &random) == 0 { shared.join(half, at: now) }
      }
      // It comes to an end: it sends what the halves were given, and undoes what they did, once.
      var count = 0
      while shared.next(at: now) != nil, count < 3_000 { count += 1 }
      #expect(count < 3_000)
    }
    // And with another radio it is as good as new.
    shared.first = Recorder()
    shared.second = Recorder()
    shared.join(.first, at: now)
    shared.join(.second, at: now)
    shared.radioIsReady(at: now)
    shared.give([reset], to: .first)
    #expect(shared.next(at: now) == reset)
    shared.receive(Self.complete(reset).span, at: now)
    shared.give([reset, Self.readAddress], to: .second)
    #expect(shared.next(at: now) == Self.readAddress)
    #expect(shared.take(.second).contains(.packet(resetComplete)))
  }

  // MARK: Support

  private static let readAddress: [UInt8] = [1, 0x09, 0x10, 0]
  private static let readFeatures: [UInt8] = [1, 0x03, 0x20, 0]

  private static func credits(_ count: UInt8) -> [UInt8] { [4, 0x0E, 3, count, 0, 0] }

  private static func complete(_ command: [UInt8], credits: UInt8 = 1) -> [UInt8] {
    [4, 0x0E, 4, credits] + command.dropFirst().prefix(2) + [0]
  }

  private static func data(_ link: UInt8, _ byte: UInt8) -> [UInt8] { [2, link, 0, 1, 0, byte] }

  private static func connected(_ link: UInt8, role: UInt8) -> [UInt8] {
    [4, 0x3E, 19, 1, 0, link, 0, role, 0, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 72, 0, 0]
  }

  /// Both halves are there, or one, and the controller has been reset.
  private func started(_ halves: [SharedHalf] = [.first, .second]) -> Shared {
    var shared = Shared(Recorder(), Recorder())
    for half in halves { shared.join(half, at: now) }
    shared.radioIsReady(at: now)
    for half in halves { shared.give([reset], to: half) }
    #expect(shared.next(at: now) == reset)
    shared.receive(Self.complete(reset).span, at: now)
    #expect(shared.next(at: now) == nil)
    _ = shared.take(.first)
    _ = shared.take(.second)
    return shared
  }

  /// The first has link 1, and the second link 2.
  private func linked(buffers: UInt8 = 4) -> Shared {
    var shared = started()
    _ = shared.send([1, 0x02, 0x20, 0], from: .first, at: now, answer: [0, 251, 0, buffers])
    shared.receive(Self.connected(1, role: 0).span, at: now)
    shared.receive(Self.connected(2, role: 1).span, at: now)
    #expect(shared.take(.first).last == .packet(Self.connected(1, role: 0)))
    #expect(shared.take(.second).last == .packet(Self.connected(2, role: 1)))
    return shared
  }
}

extension SharedController where First == Recorder, Second == Recorder {
  fileprivate mutating func give(_ packets: [[UInt8]], to half: SharedHalf) {
    if half == .first { first.outgoing += packets } else { second.outgoing += packets }
  }

  fileprivate mutating func take(_ half: SharedHalf) -> [Recorder.Event] {
    half == .first ? first.take() : second.take()
  }

  fileprivate mutating func next(at now: Instant) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(storage.mutableSpan)
    guard nextPacket(into: &writer, at: now) else { return nil }
    let count = writer.count
    return Array(storage[..<count])
  }

  /// Sends a command, which is answered; gives what reached the controller.
  fileprivate mutating func send(
    _ command: [UInt8], from half: SharedHalf, at now: Instant, answer: [UInt8] = [0]
  ) -> [UInt8]? {
    give([command], to: half)
    let sent = next(at: now)
    let answer = [4, 0x0E, UInt8(3 + answer.count), 1, command[1], command[2]] + answer
    receive(answer.span, at: now)
    return sent
  }
}
