import BallRunner
import BluetoothHost
import EightBall
import Linux
import LinuxRadio
import VirtualRadio

/// The settings of a swarm. They are fixed when the swarm is made.
public struct SwarmConfiguration: Sendable {
  /// The largest number of balls.
  public static let maximumCount = 10_000
  /// The largest number of centrals that a ball serves at once.
  public static let maximumConnections = 4

  /// The number of balls, 1 to `maximumCount`.
  public var count: Int
  /// The names of the balls.
  public var names: NamePattern
  /// How many centrals each serves at once, 1 to `maximumConnections`.
  public var connections = 1
  /// Decides addresses, answers and faults.
  public var seed: SwarmSeed
  /// How answers are worded.
  public var style = AnswerFormat.text
  /// How events are printed.
  public var lines = LineFormat.words
  /// The faults of the air, which the swarm then hosts.
  public var faults = ConnectionFaults()
  /// The time between two disconnections of all centrals, in milliseconds; `nil` for none.
  public var stormPeriod: UInt32?
  /// The file that describes each device, instead of a ball; `nil` for balls.
  var file: LoadedPeripheral?
  /// The radio, which takes several clients.
  public var radio = RadioAddress.virtual

  /// A swarm of `count` balls with these names.
  public init(count: Int, names: NamePattern, seed: SwarmSeed) {
    self.count = count
    self.names = names
    self.seed = seed
  }

  /// The path whose lock stands for the seed on the air: no other swarm of this machine can use both.
  ///
  /// - Parameter airPath: Where the virtual air is.
  func claimPath(airPath: String) -> String {
    let air =
      switch radio.way {
      case .unix: radio.place
      case .tcpClient(let port): "\(airPath)-\(radio.place.filter { $0 != "/" })-\(port)"
      default: airPath
      }
    return "\(air).seed-\(seed.rawValue)"
  }

  /// Why a swarm cannot use `radio`; `nil` if it can.
  public static func error(for radio: RadioAddress) -> String? {
    switch radio.way {
    case .virtual, .unix, .tcpClient: nil
    case .adapter, .bluez, .serial, .tcpServer:
      "\(radio) is one controller, and each ball takes one of its own: use virtual, unix:PATH or "
        + "tcp-client:HOST:PORT"
    }
  }

  /// The configuration of the ball with this number, from 1.
  func ball(_ number: Int) -> BallConfiguration {
    let name = DeviceName(prefixOf: Array(names.name(of: number).utf8).span)
    let host = HostConfiguration(
      name: name ?? DeviceName(StaticText("Ball")), service: .ballService,
      address: .random(seed.address(of: number)))
    return BallConfiguration(
      host: host, seed: seed.answers(of: number), style: style, lines: lines)
  }
}

/// Why a swarm cannot begin.
public enum SwarmError: Error, Equatable, CustomStringConvertible {
  /// The open file limit of this program is too low: it allows `room` balls.
  case tooFewFiles(room: Int, count: Int)
  /// The air has no room for so many balls.
  case airIsFull(RadioAddress, count: Int)
  /// Another swarm with this seed is on the air: the addresses of its balls are the same.
  case seedInUse(SwarmSeed)
  /// Another program hosts the air, so this one cannot set its faults.
  case airOfAnother
  /// A ball lost its radio before all balls advertised.
  case radioLost(RadioAddress, ball: Int)

  /// The error in words, and what to do.
  public var description: String {
    switch self {
    case .tooFewFiles(let room, let count):
      "the limit on open files allows \(max(room, 0)) balls, not \(count): each takes an open "
        + "file, and a second one where the swarm hosts the air. Give a smaller --count, or allow "
        + "this program more open files (ulimit -Hn)"
    case .airIsFull(let radio, let count):
      "the virtual air\(radio == .virtual ? "" : " at \(radio)") has no room for \(count) balls. "
        + "Host an air with more room before you start the others: eightball radio \(Self.location(of: radio))--limit "
        + "\(Self.limit(for: count))"
    case .seedInUse(let seed):
      "another swarm with the seed \(seed.rawValue) is on this air: its balls have the same "
        + "addresses. Give another --seed, or end that swarm"
    case .airOfAnother:
      "another program hosts the air, so --drop and --vanish have no effect here: give them to "
        + "eightball radio, or start the swarm before other programs on its air"
    case .radioLost(let radio, let ball):
      "ball \(ball) lost \(radio) before all balls advertised. Does it have room for so many?"
    }
  }

  /// The `--listen` option for an air that the swarm can find.
  private static func location(of radio: RadioAddress) -> String {
    switch radio.way {
    case .unix: "--listen unix:\(radio.place) "
    case .tcpClient(let port):
      "--listen \(RadioAddress.tcpServer(host: radio.place, port: port)) "
    default: ""
    }
  }

  /// A limit with room for a swarm and its test clients.
  private static func limit(for count: Int) -> Int {
    min((count / 100 + 1) * 100, SwarmConfiguration.maximumCount)
  }
}

/// The number that decides everything in a swarm: the same number gives the same swarm.
///
/// A ball depends on its number and not on the number of balls: ball 7 of 10 and ball 7 of 1,000
/// have the same address and give the same answers.
public struct SwarmSeed: Equatable, Sendable {
  /// The number.
  public var rawValue: UInt64

  /// The seed of this number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The seed of the answers of a ball.
  public func answers(of ball: Int) -> UInt64 { number(1, ball) }

  /// The static random address of a ball, unique in the swarm.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the other bits are neither all ones nor all zeros.
  public func address(of ball: Int) -> DeviceAddress {
    let own = number(3, ball)
    // Two bytes differ from ball to ball, up to 65,536; the other 30 bits are pseudorandom.
    let mark = UInt16(truncatingIfNeeded: number(4, 0)) ^ UInt16(truncatingIfNeeded: ball)
    let bytes: InlineArray<6, UInt8> = [
      UInt8(truncatingIfNeeded: mark), UInt8(truncatingIfNeeded: mark >> 8),
      UInt8(truncatingIfNeeded: own), UInt8(truncatingIfNeeded: own >> 8),
      // At least a one and a zero.
      UInt8(truncatingIfNeeded: own >> 16) & 0xFE | 0x02, UInt8(truncatingIfNeeded: own >> 24),
    ]
    return .staticRandom(bytes)
  }

  /// A number for one purpose and ball.
  private func number(_ purpose: UInt64, _ ball: Int) -> UInt64 {
    // Odd factors without a pattern separate the purposes and the balls; the source mixes them.
    let ball = UInt64(truncatingIfNeeded: ball) &* 0xD1B5_4A32_D192_ED03
    var source = RandomSource(seed: rawValue &+ purpose &* 0x8CB9_2BA7_2F3D_8DD7 &+ ball)
    return UInt64(source.next()) << 32 | UInt64(source.next())
  }
}
