import Expectations

@testable import BluetoothHost

/// A central that follows up to two trains, and keeps 300 bytes of each.
private typealias Follower = ScriptedHost<
  1, NoServer, ScanningClient<1, Collector, PeriodicScanner<1, 31, 2, 300>>, NoChannels
>

private let source = SynchronizationParameters(
  address: DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6]), advertisingSet: 9,
  skip: 0x0102, timeout: 0x0304)
private let create: [UInt8] = [0, 9, 1, 1, 2, 3, 4, 5, 0xC6, 2, 1, 4, 3, 0]

private func follower(features: UInt64 = 1 << 12 | 1 << 13) -> Follower {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Follower(
    behaviour, .central, server: NoServer(), client: ScanningClient(application: Collector()),
    channels: NoChannels())
  host.stopsAtDeadlines = true
  host.start()
  _ = host.takeEvents()
  host.forgetWhatWasSent()
  // An event ends what these begin.
  host.script = { opcode, _ in
    opcode == .lePeriodicAdvertisingCreateSync ? [Events.status(opcode, 0)] : nil
  }
  return host
}

extension Follower {
  fileprivate func synchronize(with parameters: SynchronizationParameters = source) -> Int? {
    let index = host.synchronize(with: parameters)
    run()
    return index
  }

  fileprivate func unsynchronize(at index: Int) { run { host.unsynchronize(at: index) } }

  /// One that receives a train, with handle 7.
  fileprivate static func synchronized() -> Follower {
    let host = follower()
    expect(host.synchronize(), is: 0)
    host.receive(established(7))
    host.forgetWhatWasSent()
    _ = host.takeEvents()
    return host
  }
}

private func established(_ handle: UInt8, status: UInt8 = 0) -> [UInt8] {
  [0x04, 0x3E, 16, 0x0E, status, handle, 0, 9, 1, 1, 2, 3, 4, 5, 0xC6, 2, 0x20, 0x03, 0]
}

private func report(_ handle: UInt8, _ status: UInt8, _ data: [UInt8]) -> [UInt8] {
  [0x04, 0x3E, UInt8(8 + data.count), 0x0F, handle, 0, 0xFC, 0xC4, 0xFF, status]
    + [UInt8(data.count)] + data
}

private func lost(_ handle: UInt8) -> [UInt8] { [0x04, 0x3E, 3, 0x10, handle, 0] }

private func train(
  _ data: [UInt8], _ completeness: AdvertisingReport.Completeness = .complete
) -> Collector.Event { .train(0, data, completeness, rssi: -60, txPower: -4) }

@Suite("Synchronizing with periodic advertising")
struct SynchronizationTests {
  @Test("The program gets the train's PHY and interval, then each packet, then its end")
  func follows() {
    let host = follower()
    // Sync Established, Report and Sync Lost are bits 13 to 15, after those of extended scanning.
    let mask = follower()
    mask.start()
    expect(mask.parameters(of: .leSetEventMask).last?[1], is: 0xE0 | 0b1_1010)
    expect(host.synchronize(), is: 0)
    expect(host.parameters(of: .lePeriodicAdvertisingCreateSync), is: [create])
    host.receive(established(7))
    expect(host.takeEvents(), is: [.synchronized(0, .le2M, interval: 800)])
    host.receive(report(7, 0, [1, 2]))
    host.receive(report(7, 0, []))
    host.receive(report(7, 2, [3]))
    expect(host.takeEvents(), is: [train([1, 2]), train([]), train([3], .truncated)])
    host.receive(lost(7))
    expect(host.takeEvents(), is: [.unsynchronized(0, .connectionTimeout)])
    host.receive(report(7, 0, [1]))
    host.receive(lost(7))
    expect(host.takeEvents(), is: [])
    // It can be followed again.
    expect(host.synchronize(), is: 0)
  }

  @Test("The parts of a packet's data are joined, up to the capacity")
  func parts() {
    let host = Follower.synchronized()
    host.receive(report(7, 1, [1, 2]))
    host.receive(report(7, 1, []))
    expect(host.takeEvents(), is: [])
    host.receive(report(7, 0, [3]))
    expect(host.takeEvents(), is: [train([1, 2, 3])])
    host.receive(report(7, 1, [1]))
    host.receive(report(7, 2, []))
    expect(host.takeEvents(), is: [train([1], .truncated)])
    let long = (0..<200).map { UInt8($0) }
    for status in [1, 1, 0] as [UInt8] { host.receive(report(7, status, long)) }
    expect(host.takeEvents(), is: [train(long + long[..<100], .truncated)])
    host.receive(report(7, 0, [4]))
    expect(host.takeEvents(), is: [train([4])])
    // What was begun before the end of a synchronization is not a part of the next one.
    host.receive(report(7, 1, [5]))
    host.receive(lost(7))
    expect(host.synchronize(), is: 0)
    host.receive(established(7))
    host.receive(report(7, 0, [6]))
    expect(host.takeEvents().last, is: train([6]))
  }

  @Test("One train after another; a second one waits for the first")
  func several() {
    let host = follower()
    var other = source
    other.advertisingSet = 10
    expect(host.synchronize(), is: 0)
    expect(host.synchronize(with: other), is: 1)
    expect(host.parameters(of: .lePeriodicAdvertisingCreateSync).count, is: 1)
    // There is no third one, and none twice.
    other.advertisingSet = 11
    expect(host.synchronize(with: other), is: nil)
    host.receive(established(7))
    expect(host.parameters(of: .lePeriodicAdvertisingCreateSync).count, is: 2)
    host.receive(established(8))
    expect(
      host.takeEvents(),
      is: [.synchronized(0, .le2M, interval: 800), .synchronized(1, .le2M, interval: 800)])
    host.receive(report(8, 1, [1]))
    host.receive(report(7, 0, [2]))
    host.receive(report(8, 0, [3]))
    expect(
      host.takeEvents(),
      is: [train([2]), .train(1, [1, 3], .complete, rssi: -60, txPower: -4)])
    host.unsynchronize(at: 0)
    expect(host.parameters(of: .lePeriodicAdvertisingTerminateSync), is: [[7, 0]])
    expect(host.takeEvents(), is: [.unsynchronized(0, .connectionTerminatedByLocalHost)])
    expect(host.synchronize(), is: 0)
    expect(host.synchronize(), is: nil)
  }

  @Test("Wrong parameters, and controllers that cannot, are refused")
  func refused() {
    let host = follower()
    for change in [
      { $0.advertisingSet = 16 }, { $0.skip = 500 }, { $0.timeout = 9 }, { $0.timeout = 0x4001 },
    ] as [(inout SynchronizationParameters) -> Void] {
      var parameters = source
      change(&parameters)
      expect(host.synchronize(with: parameters), is: nil)
    }
    for features in [0, 1 << 12, 1 << 13] as [UInt64] {
      expect(follower(features: features).synchronize(), is: nil)
    }
    let before = Follower(
      ControllerBehaviour(), .central, server: NoServer(),
      client: ScanningClient(application: Collector()), channels: NoChannels())
    expect(before.synchronize(), is: nil)
    expect(ScriptedCentral<1>.ready().host.synchronize(with: source), is: nil)
    for index in [-1, 0, 2, .max] { host.unsynchronize(at: index) }
    expect(host.commands, is: [])
    expect(host.takeEvents(), is: [])
  }

  @Test("A synchronization that the controller refuses, or that fails, ends with the reason")
  func fails() {
    let host = follower()
    host.script = { opcode, _ in
      opcode == .lePeriodicAdvertisingCreateSync ? [Events.status(opcode, 0x07)] : nil
    }
    expect(host.synchronize(), is: 0)
    expect(host.takeEvents(), is: [.unsynchronized(0, .memoryCapacityExceeded)])
    let other = follower()
    expect(other.synchronize(), is: 0)
    other.receive(established(0, status: 0x3E))
    expect(other.takeEvents(), is: [.unsynchronized(0, .connectionFailedToBeEstablished)])
  }

  @Test("A waiting attempt ends at once, one under way is cancelled")
  func cancels() {
    let host = follower()
    var other = source
    other.advertisingSet = 10
    expect(host.synchronize(), is: 0)
    expect(host.synchronize(with: other), is: 1)
    host.unsynchronize(at: 1)
    expect(host.takeEvents(), is: [.unsynchronized(1, .connectionTerminatedByLocalHost)])
    host.unsynchronize(at: 0)
    host.unsynchronize(at: 0)
    expect(
      host.commands, is: [.lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel])
    expect(host.takeEvents(), is: [.unsynchronized(0, .connectionTerminatedByLocalHost)])
    // The next one begins; the event about the first does not end it.
    expect(host.synchronize(), is: 0)
    host.receive(established(0, status: 0x44))
    expect(host.takeEvents(), is: [])
    host.receive(established(7))
    expect(host.takeEvents(), is: [.synchronized(0, .le2M, interval: 800)])
  }

  @Test("A synchronization that is made while it is cancelled ends too", arguments: [true, false])
  func tooLate(eventComesFirst: Bool) {
    let host = follower()
    expect(host.synchronize(), is: 0)
    host.script = { opcode, _ in
      guard opcode == .lePeriodicAdvertisingCreateSyncCancel else { return nil }
      let answer = Events.complete(opcode, [0x0C])
      return eventComesFirst ? [established(7), answer] : [answer, established(7)]
    }
    host.unsynchronize(at: 0)
    expect(host.parameters(of: .lePeriodicAdvertisingTerminateSync), is: [[7, 0]])
    expect(host.takeEvents(), is: [.unsynchronized(0, .connectionTerminatedByLocalHost)])
    // Symptom in controllers: the end is refused too. It is not tried for ever.
    host.script = { opcode, _ in
      opcode == .lePeriodicAdvertisingTerminateSync ? [Events.complete(opcode, [0x0C])] : nil
    }
    expect(host.synchronize(), is: 0)
    host.receive(established(7))
    host.unsynchronize(at: 0)
    expect(host.takeEvents().last, is: .unsynchronized(0, .connectionTerminatedByLocalHost))
  }

  @Test("A reset of the controller ends every synchronization")
  func reset() {
    let host = Follower.synchronized()
    var other = source
    other.advertisingSet = 10
    expect(host.synchronize(with: other), is: 1)
    host.receive([0x04, 0x10, 1, 0x42])
    expect(
      host.takeEvents().prefix(2),
      is: [.unsynchronized(0, .hardwareFailure), .unsynchronized(1, .hardwareFailure)])
    host.pass(milliseconds: 0)
    expect(host.synchronize(), is: 0)
  }

  @Test(
    "An unanswered command is a fault",
    arguments: [
      HCIOpcode.lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel,
      .lePeriodicAdvertisingTerminateSync,
    ])
  func unanswered(opcode: HCIOpcode) {
    let host = follower()
    host.unanswered = opcode
    expect(host.synchronize(), is: 0)
    if opcode == .lePeriodicAdvertisingTerminateSync { host.receive(established(7)) }
    host.unsynchronize(at: 0)
    host.pass(milliseconds: 2_000)
    let events = host.takeEvents()
    expect(events.contains(.unsynchronized(0, .hardwareFailure)))
    expect(events.contains(.radio(.fault(.unanswered(opcode)))))
  }

  @Test("A shutdown ends every synchronization")
  func shutDown() {
    let host = Follower.synchronized()
    var other = source
    other.advertisingSet = 10
    expect(host.synchronize(with: other), is: 1)
    host.shutDown()
    expect(!host.isShutDown)
    host.run()
    expect(host.isShutDown)
    expect(
      host.commands,
      is: [
        .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingTerminateSync,
        .lePeriodicAdvertisingCreateSyncCancel,
      ])
    expect(host.synchronize(), is: nil)
  }

  @Test("Events cut short, and of unknown synchronizations, are ignored")
  func truncated() {
    let host = Follower.synchronized()
    for event in [report(7, 0, [1, 2]), lost(7)] { host.receiveTruncated(event) }
    host.receive(report(8, 0, [1]))
    host.receive(lost(8))
    expect(host.takeEvents(), is: [])
    let other = follower()
    expect(other.synchronize(), is: 0)
    other.receiveTruncated(established(7))
    expect(other.takeEvents(), is: [])
    // An unwanted one is ended.
    let idle = follower()
    idle.receive(established(5))
    expect(idle.parameters(of: .lePeriodicAdvertisingTerminateSync), is: [[5, 0]])
  }
}
