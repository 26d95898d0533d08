import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// What `observe(_:options:changeHandler:)` calls.
@Suite("Key-value observing")
struct ObservationTests {
  private let lines = Inbox<String>()

  private func take() -> [String] { lines.takeAll() }

  @Test("the options and kinds have the numbers of Foundation")
  func numbers() {
    let options: [NSKeyValueObservingOptions] = [.new, .old, .initial]
    expect(options.map(\.rawValue), is: [1, 2, 4])
    let kinds: [NSKeyValueChange] = [.setting, .insertion, .removal, .replacement]
    expect(kinds.map(\.rawValue), is: [1, 2, 3, 4])
  }

  @Test("of a manager: its state and whether it scans, until it is invalidated")
  func manager() {
    let scene = Scene(isStarted: false)
    let manager = scene.manager(Log())
    var state: NSKeyValueObservation? = manager.observe(\.state, options: [.new, .old, .initial]) {
      [lines] manager, change in
      lines.put(
        "\(manager.state): \(change.oldValue.map { "\($0)" } ?? "-") to "
          + "\(change.newValue.map { "\($0)" } ?? "-")")
    }
    let scan = manager.observe(\.isScanning) { [lines] manager, change in
      lines.put("scanning \(manager.isScanning) \(change.newValue as Any)")
    }
    expect(take(), is: ["unknown: - to unknown"])
    scene.start()
    scene.settle()
    expect(take(), is: ["poweredOn: unknown to poweredOn"])
    manager.scanForPeripherals(withServices: nil)
    expect(take(), is: ["scanning true nil"])
    // Replacing the scan changes nothing.
    manager.scanForPeripherals(withServices: nil)
    manager.stopScan()
    expect(take(), is: ["scanning false nil"])
    scan.invalidate()
    manager.scanForPeripherals(withServices: nil)
    expect(take(), is: [])
    expect(state != nil)
    state = nil
    scene.lose()
    expect(manager.state, is: .resetting)
    expect(take(), is: [])
  }

  @Test("of a peripheral: its state, its name and its services, before the delegate is called")
  func peripheral() throws {
    let scene = Scene()
    try scene.addBall()
    let log = Log()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    let (lines, ball) = (lines, peripherals[0])
    log.onLine = { line in lines.put("delegate: \(line)") }
    let observations = [
      ball.observe(\.state, options: .new) { _, change in
        lines.put("state \(change.newValue.map { "\($0)" } ?? "-")")
      },
      ball.observe(\.name, options: [.new, .old]) { _, change in
        lines.put("name \(change.oldValue as Any) to \(change.newValue as Any)")
      },
      ball.observe(\.canSendWriteWithoutResponse) { ball, _ in
        lines.put("can send \(ball.canSendWriteWithoutResponse)")
      },
      ball.observe(\.services?.count, options: .new) { _, change in
        lines.put("services \((change.newValue ?? nil) ?? -1)")
      },
    ]
    manager.connect(ball)
    expect(take(), is: ["state connecting"])
    scene.settle()
    expect(
      take(),
      is: [
        "state connected", "can send true", "delegate: connected - connected",
        "name Optional(nil) to Optional(Optional(\"Magic 8-Ball\"))", "delegate: name Magic 8-Ball",
      ])
    ball.discoverServices([CBUUID(string: "1800")])
    scene.settle()
    expect(take(), is: ["services 1", "delegate: services [\"1800\"]"])
    withExtendedLifetime(observations) {}
  }

  @Test("of a peripheral manager: whether it advertises")
  func advertising() {
    let it = Published()
    let observation = it.manager.observe(\.isAdvertising, options: .new) { [lines] _, change in
      lines.put("advertising \(change.newValue ?? false)")
    }
    it.manager.startAdvertising(nil)
    it.radio.settle()
    it.manager.stopAdvertising()
    expect(take(), is: ["advertising true", "advertising false"])
    withExtendedLifetime(observation) {}
  }

  @Test("of another object: by a path that leads to a manager")
  func otherObject() {
    final class Wrapper: NSObject {
      let manager: CBCentralManager?
      init(_ manager: CBCentralManager) { self.manager = manager }
    }
    let scene = Scene()
    let wrapper = Wrapper(scene.manager(Log()))
    scene.settle()
    let lines = lines
    let observation = wrapper.observe(\.manager?.isScanning, options: [.old, .new]) { _, change in
      lines.put("\(change.oldValue as Any) to \(change.newValue as Any)")
    }
    wrapper.manager?.scanForPeripherals(withServices: nil)
    expect(take(), is: ["Optional(Optional(false)) to Optional(Optional(true))"])
    observation.invalidate()
    wrapper.manager?.stopScan()
    expect(take(), is: [])
  }

  @Test("does not keep the object, and a handler may end its own observation")
  func lifetimes() {
    let scene = Scene()
    var manager: CBCentralManager? = scene.manager(Log())
    weak let kept = manager
    let own = Locked<NSKeyValueObservation?>(nil)
    let lines = lines
    own.withLock {
      $0 = manager?.observe(\.isScanning) { _, _ in
        lines.put("once")
        own.withLock { $0?.invalidate() }
      }
    }
    scene.settle()
    manager?.scanForPeripherals(withServices: nil)
    manager?.stopScan()
    expect(take(), is: ["once"])
    manager = nil
    scene.settle()
    expect(kept, is: nil)
    withExtendedLifetime(own) {}
  }
}
