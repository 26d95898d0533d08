import BluetoothHost

/// Faults of the connections on an air. The seed decides which connections have one: a peripheral with
/// the same address has the same faults in each run.
///
///     air.connectionFaults = ConnectionFaults(drops: 10, vanishings: 5)
///
/// A fault happens at one of the first 20 ACL packets from the central.
public struct ConnectionFaults: Equatable, Sendable {
  /// The percentage of connections that end: for both hosts by Remote User Terminated Connection (0x13).
  public var drops: UInt32
  /// The percentage of connections in which the peripheral falls silent, for 1 to 5 s: its links end by
  /// supervision timeout, and it is not found in that time.
  public var vanishings: UInt32

  /// Faults of these percentages, at most 100 together.
  public init(drops: UInt32 = 0, vanishings: UInt32 = 0) {
    self.drops = drops
    self.vanishings = vanishings
  }

  /// What happens to a connection.
  enum Fate: Equatable {
    case lasts
    case drops(packets: Int)
    case vanishes(packets: Int, milliseconds: UInt32)
  }

  /// An app that discovers, subscribes and asks sends about so many packets.
  private static let longestVisit: UInt64 = 20
  /// How long a silent peripheral is away, in milliseconds.
  private static let absences: ClosedRange<UInt64> = 1_000...5_000

  /// The fate of the next connection.
  func fate(_ random: inout SplitMix64) -> Fate {
    // Always three numbers, so that a connection's fate does not depend on earlier ones.
    let roll = UInt32(random.next() % 100)
    let packets = Int(random.next() % Self.longestVisit) + 1
    let absence = Self.absences.lowerBound + random.next() % UInt64(Self.absences.count)
    if roll < drops { return .drops(packets: packets) }
    return roll < drops + vanishings
      ? .vanishes(packets: packets, milliseconds: UInt32(absence)) : .lasts
  }
}

extension VirtualAir {
  /// Decides the fate of a new connection of `peripheral`, which advertised `address`.
  func planFaults(of peripheral: VirtualController, at address: DeviceAddress) {
    guard connectionFaults != ConnectionFaults() else { return }
    var number: UInt64 = 0
    for index in 0..<6 { number = number << 8 | UInt64(address.bytes[index]) }
    var fates = peripheral.fates ?? SplitMix64(seed: seed ^ number &* 0xD1B5_4A32_D192_ED03)
    peripheral.faults.plan(connectionFaults.fate(&fates))
    peripheral.fates = fates
  }
}

extension VirtualController {
  /// Ends a link for both hosts as if the other one had.
  @inline(never) func dropLink(_ handle: ConnectionHandle?) {
    guard let end = handle.flatMap({ link($0) }) else { return }
    close(end, reason: .remoteUserTerminatedConnection, own: .remoteUserTerminatedConnection)
  }

  /// Neither hears nor is heard for a time, and loses its links.
  @inline(never) func fallSilent(for milliseconds: UInt32) {
    guard let air else { return }
    silenceEnd = air.now.advanced(by: milliseconds)
    for end in links { end.breakContact(at: air.now) }
    air.audienceChanged()
    air.reschedule(self)
  }

  /// The silence has ended.
  @inline(never) func endSilence() {
    silenceEnd = nil
    air?.audienceChanged()
    air?.reschedule(self)
  }
}
