import BallRunner
import BluetoothHost
import EightBall

/// A script of random steps, the same for the same seed.
///
/// A third of the seeds has no faults of controllers, so that every question of every link must be answered.
struct Script {
  private var random: RandomSource
  private let setup: Setup
  private let hasControllerFaults: Bool
  private let hasSecurity: Bool

  init(_ setup: Setup) {
    self.setup = setup
    random = RandomSource(seed: setup.seed ^ 0x5C21)
    hasControllerFaults = setup.seed % 3 != 0
    hasSecurity = setup.protections.contains { $0 != .none }
  }

  /// The steps: `count`, a recovery now and then among them, and one at the end.
  static func steps(_ setup: Setup, count: Int) -> [Step] {
    var script = Script(setup)
    var steps: [Step] = []
    for index in 1...count {
      steps.append(script.next())
      if index % 60 == 0 { steps.append(.recover) }
    }
    if steps.last != .recover { steps.append(.recover) }
    return steps
  }

  private mutating func number(_ bound: Int) -> Int { Int(random.next(below: UInt32(bound))) }
  private mutating func chance(_ bound: Int) -> Bool { number(bound) == 0 }

  private mutating func next() -> Step {
    switch number(100) {
    case 0..<24: return .wait(UInt32(chance(6) ? number(90_000) : number(2_000)))
    case 24..<72: return nextOfCentral()
    case 72..<90: return nextOfBall()
    case 90..<93: return nextOfAir()
    default: return hasControllerFaults ? nextFault() : .wait(UInt32(number(500)))
    }
  }

  private mutating func nextOfCentral() -> Step {
    let central = number(setup.centralCount)
    switch number(25) {
    case 0..<5: return .connect(central, to: number(setup.ballCount))
    case 5: return chance(2) ? .disconnect(central) : .subscribe(central, true)
    case 6: return .subscribe(central, !chance(3))
    case 7..<15: return .ask(central, times: 1 + number(chance(4) ? 40 : 4))
    case 15: return .command(central)
    case 16: return .state(central)
    case 17: return chance(2) ? .read(central) : .discover(central)
    case 18, 19: return hasSecurity ? .pair(central) : .ask(central, times: 2)
    case 20: return hasSecurity && chance(3) ? .forget(central) : .ask(central, times: 1)
    case 21: return .restart(central)
    case 22: return hasControllerFaults ? .noise(central, UInt64(random.next())) : .read(central)
    case 23: return .scan(central)
    default: return .disconnect(central)
    }
  }

  private mutating func nextOfBall() -> Step {
    let ball = number(setup.ballCount)
    let button = chance(2) ? ButtonName.shake : .clear
    switch number(22) {
    case 0..<4: return .press(ball, button, milliseconds: UInt32(30 + number(400)))
    case 4, 5: return .press(ball, .shake, milliseconds: 3_200)
    case 6: return .press(ball, .clear, milliseconds: UInt32(chance(3) ? 10_500 : 3_200))
    case 7: return .bounce(ball, button, edges: 1 + number(chance(4) ? 150 : 9))
    case 8: return .removeChip(ball)
    case 9: return .restoreChip(ball)
    case 10: return .end(ball)
    case 11: return .kill(ball)
    case 12, 13: return .cutPower(ball, afterCalls: number(9))
    case 14: return .powerCut(ball)
    case 15: return .fail(ball, DiskFailure(rawValue: Int32(number(4))) ?? .none)
    case 16: return .sleep(ball, UInt32(number(chance(3) ? 1_000_000 : 20_000)))
    case 17, 18: return .stall(ball, UInt32(number(3_000)))
    case 19: return .block(ball, UInt32(number(60_000)))
    case 20: return hasControllerFaults ? .unplug(ball) : .wait(100)
    default: return .plugIn(ball)
    }
  }

  private mutating func nextOfAir() -> Step {
    switch number(4) {
    case 0: return .loss(chance(2) ? 0 : number(40))
    case 1: return .separate(number(setup.centralCount), from: number(setup.ballCount))
    default: return .join(number(setup.centralCount), to: number(setup.ballCount))
    }
  }

  private mutating func nextFault() -> Step {
    let device =
      chance(3) ? Device.central(number(setup.centralCount)) : .ball(number(setup.ballCount))
    let fault: ControllerFault
    switch number(20) {
    case 0: fault = .losePacket
    case 1: fault = .loseData
    case 2: fault = .repeatPacket
    case 3: fault = .repeatData
    case 4: fault = .cut(to: number(20))
    case 5: fault = .misstate(by: number(9) - 4)
    case 6: fault = .loseCompletions(1 + number(9))
    case 7, 8: fault = .ignore(1 + number(3))
    case 9, 10: fault = .refuse(number(SimulatedFaults.refusals.count))
    case 11: fault = .fail
    case 12: fault = .reset
    case 13: fault = .complain
    case 14: fault = .changeKey
    case 15: fault = .delayKey(UInt32(number(50_000)))
    case 16, 17: fault = .loseLink(afterPackets: 1 + number(12))
    default: fault = .event(UInt64(random.next()) << 32 | UInt64(random.next()))
    }
    return .fault(fault, of: device)
  }
}

/// What a seed decides about the devices.
struct Setup: Equatable, Sendable {
  let seed: UInt64
  let ballCount: Int
  let centralCount: Int
  /// The protection of each ball.
  let protections: [BallProtection]
  /// Whether each ball's controller is on a serial line, which cuts packets.
  let isSerial: Bool
  /// How many bytes the balls' controllers take a packet, and how many packets.
  let dataLength: UInt16
  let bufferCount: UInt8
  /// Whether the controllers have the commands of Bluetooth 5, and what each ball then advertises.
  var isExtended = false
  var advertising: [BallAdvertising]
  /// Whether each ball, and each central, uses private addresses.
  var privateBalls: [Bool]
  var areCentralsPrivate = false
  /// Whether controllers resolve private addresses; otherwise the hosts do.
  var doControllersResolve = true

  /// These devices, with usual controllers.
  init(seed: UInt64, protections: [BallProtection], centralCount: Int) {
    self.seed = seed
    self.protections = protections
    self.centralCount = centralCount
    ballCount = protections.count
    isSerial = false
    dataLength = 251
    bufferCount = 8
    advertising = protections.map { _ in .legacy }
    privateBalls = protections.map { _ in false }
  }

  init(seed: UInt64) {
    var random = RandomSource(seed: seed ^ 0x8BA1)
    self.seed = seed
    ballCount = 1 + Int(random.next(below: 2))
    centralCount = 2 + Int(random.next(below: 3))
    protections = (0..<ballCount).map { _ in
      let levels: [BallProtection] = [.none, .none, .encrypted, .authenticated]
      return levels[Int(random.next(below: 4))]
    }
    isSerial = random.next(below: 3) == 0
    dataLength = random.next(below: 3) == 0 ? 27 : 251
    bufferCount = random.next(below: 3) == 0 ? 1 : 8
    let isExtended = random.next(below: 3) == 0
    self.isExtended = isExtended
    advertising = protections.map { _ in
      let kind = random.next(below: 3)
      return isExtended ? [.legacy, .extended, .both][Int(kind)] : .legacy
    }
    // Peers recognise a private ball by a bond.
    privateBalls = protections.map { random.next(below: 3) == 0 && $0 != .none }
    areCentralsPrivate = random.next(below: 3) == 0
    doControllersResolve = random.next(below: 2) == 0
  }
}

/// What a ball advertises: in legacy PDUs, in a set of Bluetooth 5, or in both.
enum BallAdvertising: Equatable, Sendable { case legacy, extended, both }
