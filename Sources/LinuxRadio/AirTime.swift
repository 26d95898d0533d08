import BluetoothHost
import Linux

/// The packets by which a virtual air with simulated time and the programs on it agree on the time:
/// vendor-specific HCI on the socket of each radio.
///
/// The air lets one program act at a time. It sends the time, and whatever packets wait for the
/// program; the program does what is to be done, and states until when it is idle. When all are idle,
/// the air moves to the next event.
package enum AirTimePacket {
  /// The command by which a program states that it is idle: a number and a time, of 4 and 8 bytes.
  package static let idle = HCIOpcode(rawValue: 0xFC54)

  /// What an air says: "TIME", after the event's code and its length.
  private static let start: [UInt8] = [0x04, 0xFF, 24, 0x54, 0x49, 0x4D, 0x45]
  /// No time.
  private static let never = UInt64.max

  /// The event with the air's time. The number is that of the next statement, and the seed the radio's.
  package static func event(_ now: Instant, number: UInt32, seed: UInt64 = 0) -> [UInt8] {
    start + bytes(UInt64(number), count: 4) + bytes(now.rawValue, count: 8) + bytes(seed, count: 8)
  }

  /// The time, the number and the seed, if `packet` is that event.
  package static func read(
    _ packet: Span<UInt8>
  ) -> (now: Instant, number: UInt32, seed: UInt64)? {
    guard packet.count == start.count + 20 else { return nil }
    for index in start.indices where packet[index] != start[index] { return nil }
    var reader = ByteReader(packet.extracting(start.count...))
    guard let number = reader.readUInt32(), let now = reader.readUInt64(),
      let seed = reader.readUInt64()
    else { return nil }
    return (Instant(rawValue: now), number, seed)
  }

  /// The command that states that a program is idle until `deadline`; `nil` for ever.
  package static func idle(until deadline: Instant?, number: UInt32) -> [UInt8] {
    [0x01, 0x54, 0xFC, 12] + bytes(UInt64(number), count: 4)
      + bytes(deadline?.rawValue ?? never, count: 8)
  }

  /// The number and the time, from that command's parameters.
  package static func read(
    idle parameters: Span<UInt8>
  ) -> (number: UInt32, deadline: Instant?)? {
    var reader = ByteReader(parameters)
    guard let number = reader.readUInt32(), let deadline = reader.readUInt64() else { return nil }
    return (number, deadline == never ? nil : Instant(rawValue: deadline))
  }

  private static func bytes(_ value: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value &>> (8 * UInt64($0))) }
  }
}

/// The time of a program on a radio: the monotonic clock, or the simulated time of the air that the
/// radio is on. It is continuous: a program sees the air's time from the moment at which it opened the
/// radio, and goes on from there when it has closed it.
package final class AirTime {
  /// How far the program's time is ahead of the monotonic clock.
  private var lead: UInt64 = 0
  /// When the radio was opened.
  private var opening = Instant(rawValue: 0)
  /// The simulated time of the program; `nil` by the monotonic clock.
  private var simulated: Instant?
  /// How far that is ahead of the air's; it may be negative, and wraps around.
  private var offset: UInt64 = 0
  /// The simulated time and the monotonic clock when the program was asked to end.
  private var leaving: (simulated: Instant, real: Instant)?
  /// The time with which the current turn began.
  private var turn = Instant(rawValue: 0)
  /// The number that the next statement takes.
  private var number: UInt32 = 0
  /// What the random numbers of the program come from on simulated time; `nil` by the monotonic clock.
  package private(set) var seed: UInt64?
  /// Whether the program has stated that it was idle since the radio was opened.
  private var isKnown = false
  /// The last statement.
  private var stated: (number: UInt32, deadline: Instant?)?

  /// The time of a radio that is not open.
  package init() {}

  /// The time.
  package var now: Instant { now(at: MonotonicClock.now) }

  /// The time when the monotonic clock shows `real`.
  package func now(at real: Instant) -> Instant {
    guard let simulated else { return Instant(rawValue: real.rawValue &+ lead) }
    guard let leaving else { return simulated }
    let left = leaving.simulated.rawValue &+ real.rawValue &- leaving.real.rawValue
    return max(simulated, Instant(rawValue: left))
  }

  /// The simulated time of the air, when the program's is `now`; `nil` by the monotonic clock.
  package var airTime: Instant? { simulated.map { Instant(rawValue: $0.rawValue &- offset) } }

  /// Whether the air waits until the program states that it is idle. It does not wait for one that has
  /// never done so.
  package var isAwaited: Bool { isKnown && stated?.number != number }

  /// Whether only the air moves it.
  package var isSimulated: Bool { simulated != nil && leaving == nil }

  /// The radio is open. Its air may send its time next.
  package func radioIsOpen(at now: Instant) { opening = now }

  /// The radio is closed.
  package func radioIsClosed() {
    guard simulated != nil else { return }
    let real = MonotonicClock.now
    lead = now(at: real).rawValue &- real.rawValue
    simulated = nil
    seed = nil
    leaving = nil
    stated = nil
    isKnown = false
  }

  /// The program was asked to end: its time passes by the monotonic clock too, so that an air that
  /// waits for another program cannot hold it.
  package func leave() {
    guard let simulated, leaving == nil else { return }
    leaving = (simulated, MonotonicClock.now)
  }

  /// A turn of the loop begins, with this time.
  package func beginTurn(at now: Instant) { turn = now }

  /// Takes the time from a received packet, if the air has sent it.
  package func note(_ packet: Span<UInt8>) {
    guard packet.count > 1, packet[1] == 0xFF, let event = AirTimePacket.read(packet) else {
      return
    }
    number = event.number
    seed = event.seed
    if simulated == nil { offset = opening.rawValue &- event.now.rawValue }
    let next = Instant(rawValue: event.now.rawValue &+ offset)
    if let simulated, let deadline = stated?.deadline, deadline < next {
      // The air did not know this deadline yet.
      stay(at: simulated, whenAirIsAt: event.now)
    } else {
      simulated = next
    }
  }

  /// Lets the program's time fall behind the air's. A key, a signal or a request of another program
  /// comes by real time, while the air's time moves: what the program begins then must not be overdue
  /// at once.
  private func stay(at now: Instant, whenAirIsAt air: Instant) {
    simulated = now
    offset = now.rawValue &- air.rawValue
    stated = nil
  }

  /// Until when the loop may wait. On simulated time this states to the air until when the program is
  /// idle, and then only a descriptor ends the wait.
  ///
  /// - Parameters:
  ///   - deadline: When the program has to act; `nil` to wait for a descriptor.
  ///   - hasOutput: Whether packets for the radio wait.
  ///   - write: Writes to the radio.
  package func wait(
    until deadline: Instant?, hasOutput: Bool, _ write: (Span<UInt8>) -> RadioWrite
  ) -> Instant? {
    guard let simulated else { return deadline }
    // The air waits for this program. With output, the loop wakes when there is room.
    let end = leaving == nil ? nil : deadline
    if hasOutput { return end }
    // The time has moved in this turn, and the program has not seen it yet.
    if leaving == nil ? turn != simulated : turn < simulated {
      if let deadline, deadline < simulated {
        stay(at: turn, whenAirIsAt: Instant(rawValue: simulated.rawValue &- offset))
      }
      return turn
    }
    if let deadline, deadline <= max(turn, simulated) { return deadline }
    if let stated, stated.number == number, stated.deadline == deadline { return end }
    let airDeadline = deadline.map { Instant(rawValue: $0.rawValue &- offset) }
    let packet = AirTimePacket.idle(until: airDeadline, number: number)
    var written = 0
    while written < packet.count {
      guard case .taken(let count) = write(packet.span.extracting(written...)) else { return turn }
      // The socket is full. The rest of a packet must follow before any other.
      if count == 0, written == 0 { return turn }
      written += count
    }
    stated = (number, deadline)
    isKnown = true
    return end
  }
}
