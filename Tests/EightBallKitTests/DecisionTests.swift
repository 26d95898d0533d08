import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// What a central does about each report of CoreBluetooth, with no radio.
@Suite("A central's decisions about balls")
struct DecisionTests {
  private static let lost = ["failed coreBluetooth(.deviceOffline)", "lost"]

  @Test("a ball is taken by its name and by its RSSI")
  func wanted() throws {
    typealias Change = (inout BallCentral.Options) -> Void
    let near: Change = { _ in }
    let any: Change = { $0.rssiRange = nil }
    let named: Change = { $0.name = "Ball" }
    let cases: [(String, Change, String?, String?, Int, Int??)] = [
      ("below the range", near, "Ball", nil, -61, nil),
      ("the lowest RSSI", near, "Ball", nil, -60, -60),
      ("the highest RSSI", near, "Ball", nil, -20, -20),
      ("above the range", near, "Ball", nil, -19, nil),
      ("an unknown RSSI", near, "Ball", nil, 127, nil),
      ("an unknown RSSI without a range", any, "Ball", nil, 127, .some(nil)),
      ("any RSSI without a range", any, "Ball", nil, 4, 4),
      ("no name", near, nil, nil, -40, nil), ("an empty name", near, "", nil, -40, nil),
      ("a name from before", near, nil, "Old", -40, -40),
      ("the wanted name", named, "Ball", "Old", -40, -40),
      ("the wanted name from before", named, nil, "Ball", -40, -40),
      ("another name", named, "Old", "Ball", -40, nil),
      ("the wanted name, too far", named, "Ball", nil, -61, nil),
    ]
    for (label, change, advertised, known, rssi, taken) in cases {
      let bench = try CentralBench(change)
      let peripheral = bench.peripheral()
      peripheral.stagedName = known
      bench.hear(peripheral, advertised, rssi: rssi)
      expect(bench.take(), is: taken == nil ? [] : ["connect 1"], "\(label)")
      let ball = bench.central.known[peripheral.identifier]
      expect(ball?.rssi, is: taken ?? nil, "\(label)")
      if let ball {
        expect(ball.name, is: advertised ?? known, "\(label)")
        expect(peripheral.delegate === bench.central, "\(label)")
      }
    }
  }

  @Test("the scan is for balls, with each advertisement, whenever Bluetooth can be used")
  func scans() throws {
    let bench = try CentralBench(isOn: false)
    let scan = "scan \(BallProfile.serviceUUIDString), each"
    bench.power(.poweredOff)
    expect(bench.take(), is: ["powered off"])
    bench.power(.poweredOn)
    expect(bench.take(), is: ["powered on", scan])
    bench.central.stop()
    expect(bench.take(), is: ["stop scan"])
    bench.hear(bench.peripheral())
    bench.power(.resetting)
    bench.central.stop()
    bench.power(.poweredOn)
    expect(bench.take(), is: ["powered off", "powered on"])
    bench.central.restart()
    expect(bench.take(), is: [scan])
    bench.power(.unknown)
    bench.central.restart()
    expect(bench.take(), is: ["powered off"])
    expect(!bench.central.isPoweredOn)
  }

  @Test("a known ball is connected once, and a lost one again")
  func again() throws {
    let bench = try CentralBench()
    let peripheral = bench.peripheral()
    bench.hear(peripheral)
    bench.hear(peripheral)
    expect(bench.take(), is: ["connect 1"])
    bench.connect(peripheral)
    bench.hear(peripheral)
    expect(bench.take(), is: ["discover services true"])
    // It was never discovered, so its loss is only an error.
    bench.disconnect(peripheral, CBError(.peripheralDisconnected))
    expect(bench.take(), is: ["failed coreBluetooth(.deviceOffline)"])
    bench.hear(peripheral)
    expect(bench.take(), is: ["connect 1"])
    bench.fail(peripheral, CBError(.connectionFailed))
    expect(bench.take(), is: ["failed coreBluetooth(.deviceOffline)"])
    bench.hear(peripheral)
    expect(bench.take(), is: ["connect 1"])
    expect(bench.timers.running.isEmpty)
  }

  @Test("without room for a link, no ball is taken until the pause is over or a link ends")
  func room() throws {
    let full = CBError(.connectionLimitReached)
    let failure = "failed coreBluetooth(CBErrorDomain 11)"
    let bench = try CentralBench()
    let (one, two, three) = (bench.peripheral(1), bench.peripheral(2), bench.peripheral(3))
    for peripheral in [one, two] { bench.hear(peripheral) }
    _ = bench.take()
    for peripheral in [one, two] { bench.fail(peripheral, full) }
    expect(bench.take(), is: [failure, failure])
    // Other managers have the links: one pause of 5 s.
    expect(bench.timers.running, is: [5])
    bench.hear(three)
    expect(bench.take(), is: [])
    bench.timers.fire()
    _ = bench.take()
    bench.hear(three)
    expect(bench.take(), is: ["connect 3"])
    // With a link of its own, the central waits for its end.
    bench.connect(three)
    bench.hear(one)
    bench.fail(one, full)
    expect(bench.take(), is: ["discover services true", "connect 1", failure])
    expect(bench.timers.running.isEmpty)
    bench.hear(two)
    expect(bench.take(), is: [])
    bench.disconnect(three, nil)
    _ = bench.take()
    bench.hear(two)
    expect(bench.take(), is: ["connect 2"])
    // A loss of the radio, or a restart, makes room too.
    for states in [[.poweredOff, .poweredOn], []] as [[CBManagerState]] {
      bench.hear(one)
      bench.fail(one, full)
      if states.isEmpty { bench.central.restart() }
      for state in states { bench.power(state) }
      _ = bench.take()
      bench.hear(one)
      expect(bench.take(), is: ["connect 1"])
    }
  }

  @Test("a ball whose key is missing or different is not connected again; any other is")
  func keys() throws {
    for number in 0...18 {
      let code = try #require(CBError.Code(rawValue: number))
      let isAboutKeys = code == .peerRemovedPairingInformation || code == .encryptionTimedOut
      let it = try BenchBall(CentralBench())
      it.bench.disconnect(it.peripheral, CBError(code))
      expect(
        it.take(),
        is: isAboutKeys ? ["failed coreBluetooth(CBErrorDomain \(number))", "lost"] : Self.lost,
        "\(code)")
      it.bench.hear(it.peripheral)
      expect(it.take(), is: isAboutKeys ? [] : ["connect 1"], "\(code)")
      it.bench.central.restart()
      _ = it.take()
      it.bench.hear(it.peripheral)
      expect(it.take(), is: ["connect 1"], "\(code)")
    }
  }

  @Test("reports about other peripherals, and the ends of earlier links, have no effect")
  func others() throws {
    let it = try BenchBall(CentralBench())
    let other = it.bench.peripheral(9)
    it.bench.connect(other)
    it.bench.fail(other, CBError(.connectionLimitReached))
    it.bench.disconnect(other, CBError(.peerRemovedPairingInformation))
    it.bench.services(other, [it.service])
    it.bench.characteristics(other, of: it.service)
    it.bench.modified(other, [it.service])
    it.bench.notifying(other, it.answer, true)
    it.bench.wrote(other, it.question)
    it.bench.value(other, it.answer, [0x41])
    // The manager connects the ball again already.
    it.bench.disconnect(it.peripheral, nil, state: .connecting)
    expect(it.take(), is: [])
    expect(it.bench.central.balls.count, is: 1)
    expect(it.bench.timers.running.isEmpty)
  }

  @Test("services and characteristics that are missing or fail are errors")
  func discovery() throws {
    let bench = try CentralBench()
    let peripheral = bench.peripheral()
    bench.hear(peripheral)
    bench.connect(peripheral)
    _ = bench.take()
    bench.services(peripheral, nil, CBATTError(.unlikelyError))
    expect(bench.take(), is: ["failed coreBluetooth(CBATTErrorDomain 14)"])
    let other = CBMutableService(type: CBUUID(string: "180F"), primary: true)
    for services in [nil, [], [other]] {
      bench.services(peripheral, services)
      expect(bench.take(), is: ["failed coreBluetooth(.deviceOffline)"])
    }
    let service = CBMutableService(type: BallProfile.service, primary: true)
    bench.services(peripheral, [other, service])
    expect(bench.take(), is: ["discover characteristics true"])
    bench.characteristics(peripheral, of: service, CBATTError(.invalidHandle))
    expect(bench.take(), is: ["failed coreBluetooth(CBATTErrorDomain 1)"])
    // Another service, or a removed one of the same type.
    bench.characteristics(peripheral, of: other)
    bench.characteristics(
      peripheral, of: CBMutableService(type: BallProfile.service, primary: true))
    expect(bench.take(), is: [])
    bench.characteristics(peripheral, of: service)
    expect(bench.take(), is: ["discovered"])
    bench.characteristics(peripheral, of: service)
    expect(bench.take(), is: [])
  }

  @Test("a ball can be asked when both characteristics are known", arguments: 0..<4)
  func characteristics(known: Int) throws {
    let it = try BenchBall(CentralBench())
    it.service.characteristics =
      (known & 1 != 0 ? [it.question] : []) + (known & 2 != 0 ? [it.answer] : [])
    it.bench.characteristics(it.peripheral, of: it.service)
    it.ball.send("Sure?")
    expect(it.take(), is: known == 3 ? ["notify true"] : ["failed sendFailed(.deviceOffline)"])
    // If one is missing, any change of services may bring it.
    it.bench.modified(
      it.peripheral, [CBMutableService(type: CBUUID(string: "180F"), primary: true)])
    expect(it.take(), is: known == 3 ? [] : ["discover services true"])
  }

  @Test("a ball whose service changes is discovered again, and a waiting question continues")
  func modified() throws {
    let it = try BenchBall(CentralBench())
    it.bench.modified(it.peripheral, [])
    expect(it.take(), is: [])
    it.bench.modified(it.peripheral, [it.service])
    expect(it.take(), is: ["discover services true"])
    it.replaceService()
    it.discover()
    // Nothing was asked.
    expect(it.take(), is: ["discover characteristics true"])
    it.ball.send("Sure?")
    it.subscribed()
    expect(it.take(), is: ["notify true", "write Sure?"])
    let (old, oldAnswer) = (it.question, it.answer)
    it.bench.modified(it.peripheral, [it.service])
    it.replaceService()
    it.discover()
    expect(
      it.take(), is: ["discover services true", "discover characteristics true", "notify true"])
    // Late reports about removed characteristics.
    it.bench.wrote(it.peripheral, old)
    it.bench.notifying(it.peripheral, oldAnswer, true)
    it.bench.value(it.peripheral, oldAnswer, [0x41])
    expect(it.take(), is: [])
    it.exchanges("Yes.")
    expect(it.take(), is: ["write Sure?", "asked Sure?", "notify false", "answered Yes."])
  }

  @Test("a rejected ball is lost for that reason, and not taken until the central restarts")
  func rejected() throws {
    let it = try BenchBall(CentralBench())
    it.ball.reject(because: .deviceBusy)
    expect(it.take(), is: ["failed coreBluetooth(.deviceBusy)", "lost", "cancel 1"])
    it.ball.reject(because: .deviceBusy)
    it.bench.disconnect(it.peripheral, nil)
    it.bench.hear(it.peripheral)
    expect(it.take(), is: [])
    it.bench.central.restart()
    _ = it.take()
    it.bench.hear(it.peripheral)
    expect(it.take(), is: ["connect 1"])
  }

  @Test("stopping and restarting end every connection")
  func ends() throws {
    for stops in [true, false] {
      let bench = try CentralBench()
      let first = try BenchBall(bench, number: 1)
      let second = try BenchBall(bench, number: 2)
      if stops { bench.central.stop() } else { bench.central.restart() }
      let lines = bench.take()
      expect(lines.filter { $0.hasPrefix("cancel") }.sorted(), is: ["cancel 1", "cancel 2"])
      expect(
        lines.filter { !$0.hasPrefix("cancel") && !$0.contains("scan") }, is: Self.lost + Self.lost)
      expect(
        lines.filter { $0.contains("scan") },
        is: [stops ? "stop scan" : "scan \(BallProfile.serviceUUIDString), each"])
      expect(bench.central.balls.isEmpty)
      // They are retained until their ends are reported.
      expect(bench.central.leaving.count, is: 2)
      for ball in [first, second] { bench.disconnect(ball.peripheral, nil) }
      expect(bench.central.leaving.isEmpty)
      expect(bench.take(), is: [])
    }
  }

  @Test("a stopped central ends a link after its unsubscription is confirmed")
  func stopsAfterAnswer() throws {
    let it = try BenchBall(CentralBench())
    it.ball.send("Sure?")
    it.exchanges("Yes.")
    _ = it.take()
    it.bench.central.stop()
    expect(it.take(), is: ["stop scan"])
    it.subscribed(false)
    expect(it.take(), is: ["cancel 1"] + Self.lost)
    // Changed services also end it.
    let other = try BenchBall(CentralBench())
    other.ball.send("Sure?")
    other.exchanges("Yes.")
    other.bench.central.stop()
    _ = other.take()
    other.bench.modified(other.peripheral, [other.service])
    expect(other.take(), is: ["cancel 1"] + Self.lost)
  }

  @Test("the loss of the radio loses every ball, and cancels nothing")
  func powerOff() throws {
    let it = try BenchBall(CentralBench())
    it.ball.send("Sure?")
    _ = it.take()
    it.bench.power(.poweredOff)
    expect(it.take(), is: ["failed sendFailed(.deviceOffline)", "lost", "powered off"])
    expect(it.bench.timers.running.isEmpty)
    expect(it.bench.central.leaving.count, is: 1)
    it.bench.power(.poweredOn)
    expect(it.bench.central.leaving.isEmpty)
    it.ball.send("Still there?")
    expect(
      it.take(),
      is: [
        "powered on", "scan \(BallProfile.serviceUUIDString), each",
        "failed sendFailed(.deviceOffline)",
      ])
  }

  @Test("a ball lost with the radio is retained until the end of its link is reported")
  func lostWithRadio() throws {
    let bench = try CentralBench()
    do {
      let peripheral = bench.peripheral()
      bench.hear(peripheral)
      bench.connect(peripheral)
    }
    _ = bench.take()
    bench.power(.resetting)
    expect(bench.take(), is: ["failed coreBluetooth(.deviceOffline)", "powered off"])
    let kept = try #require(bench.central.leaving.first as? StagedPeripheral)
    bench.disconnect(kept, CBError(.connectionFailed))
    expect(bench.take() == [] && bench.central.leaving.isEmpty)
  }

  @Test("a released central cancels its links before it releases their peripherals")
  func released() throws {
    let (manager, lines): (StagedCentralManager, Lines)
    do {
      // The manager may be in use when the central is released.
      let bench = try CentralBench()
      (manager, lines) = (bench.manager, bench.lines)
      bench.hear(bench.peripheral())
      expect(bench.take(), is: ["connect 1"])
    }
    expect(lines.take(), is: ["cancel 1"])
    withExtendedLifetime(manager) {}
  }

  @Test("a central whose manager is quicker than its initialiser scans")
  func quick() throws {
    let bench = try CentralBench(isOn: false, isQuick: true)
    expect(bench.take(), is: ["scan \(BallProfile.serviceUUIDString), each"])
    expect(bench.central.isPoweredOn)
  }
}
