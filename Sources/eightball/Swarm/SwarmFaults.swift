import BluetoothHost
import EightBall

/// The faults that a swarm injects on request. They happen at the balls, so they work on any radio.
public struct SwarmFaults: Equatable, Sendable {
  /// The percentage of connections that the ball ends soon, with the reason Remote User Terminated
  /// Connection.
  public var drops: UInt32 = 0
  /// The percentage of connections that end because the ball falls silent, and comes back later.
  public var vanishings: UInt32 = 0
  /// The time between two disconnections of all centrals, in milliseconds; `nil` for none.
  public var stormPeriod: UInt32?

  /// No faults.
  public init() {}
}

/// The fate of a connection.
enum ConnectionFate: Equatable {
  /// It lasts until the central ends it.
  case lasts
  /// The ball ends it after so many more packets from the central.
  case drops(packets: Int)
  /// The ball falls silent after so many more packets, for so many milliseconds.
  case vanishes(packets: Int, milliseconds: UInt32)
}

/// The faults of one ball: the fate of each of its connections, in order, by its seed.
struct FaultPlan {
  /// An app that discovers, subscribes and asks sends about so many packets.
  private static let longestVisit: UInt32 = 20
  /// How long a silent ball is away, in milliseconds: the least, and the range above it.
  private static let shortestAbsence: UInt32 = 1_000
  private static let absenceRange: UInt32 = 4_001

  private var source: RandomSource
  private let faults: SwarmFaults
  /// The fate that was decided last and is not `lasts`: a connection that lasts does not change it.
  /// Packets of all centrals count for it.
  private(set) var fate = ConnectionFate.lasts

  init(_ faults: SwarmFaults, seed: UInt64) {
    self.faults = faults
    source = RandomSource(seed: seed)
  }

  /// Whether this plan can end a connection.
  var isPossible: Bool { faults.drops + faults.vanishings > 0 }

  /// Decides the fate of a new connection.
  mutating func connectionBegins() {
    // Always three numbers, so that a connection's fate does not depend on earlier ones.
    let roll = source.next(below: 100)
    let packets = Int(source.next(below: Self.longestVisit)) + 1
    let absence = Self.shortestAbsence + source.next(below: Self.absenceRange)
    if roll < faults.drops {
      fate = .drops(packets: packets)
    } else if roll < faults.drops + faults.vanishings {
      fate = .vanishes(packets: packets, milliseconds: absence)
    }
  }

  /// Counts a packet of a central; the fate that is now due, if any.
  mutating func packetCame() -> ConnectionFate? {
    switch fate {
    case .lasts: return nil
    case .drops(let packets): fate = .drops(packets: packets - 1)
    case .vanishes(let packets, let absence):
      fate = .vanishes(packets: packets - 1, milliseconds: absence)
    }
    switch fate {
    case .drops(packets: 0), .vanishes(packets: 0, _): return takeFate()
    default: return nil
    }
  }

  /// All connections have ended, for whatever reason.
  mutating func connectionsEnded() { fate = .lasts }

  private mutating func takeFate() -> ConnectionFate {
    defer { fate = .lasts }
    return fate
  }
}
