import BallTestSupport
import BluetoothHost
import Expectations
import Glibc
import Linux
import Testing

@testable import BlueZ

private typealias Daemon = FakeDaemon<Central<2, Collector>>

private let device = "/org/bluez/hci0/dev_F0_00_00_00_11_BA"
private let ball = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])
private let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"

/// A host that has started, on a bluetoothd without devices.
private func daemon() throws -> Daemon {
  let daemon = try #require(
    try Daemon(Central<2, Collector>(configuration: .central, application: Collector())))
  daemon.host.start(at: daemon.now)
  daemon.settle()
  _ = daemon.takeCalls()
  return daemon
}

private func describe(
  isConnected: Bool = false, isResolved: Bool = false, rssi: Int16? = -60
) -> Daemon.Properties {
  var properties: Daemon.Properties = [
    ("Address", .text("F0:00:00:00:11:BA")), ("AddressType", .text("public")),
    ("Name", .text("Ball")), ("UUIDs", .texts([service])), ("Connected", .flag(isConnected)),
    ("ServicesResolved", .flag(isResolved)),
  ]
  if let rssi { properties.append(("RSSI", .short(rssi))) }
  return properties
}

/// The objects of a connected ball: a question to write, and an answer to read and to hear.
///
/// - Parameter question: The properties of the question.
private func attributes(
  mtu: Int16 = 185, question: [String] = ["write", "write-without-response"]
) -> [(path: String, interface: String, properties: Daemon.Properties)] {
  [
    (device, "org.bluez.Device1", describe(isConnected: true, isResolved: true)),
    (
      "\(device)/service001b", "org.bluez.GattService1",
      [("UUID", .text(service)), ("Primary", .flag(true))]
    ),
    // bluetoothd lists its objects in no order of handles.
    (
      "\(device)/service001b/char001e", "org.bluez.GattCharacteristic1",
      [
        ("UUID", .text("349a0d7b-6215-4e2c-a095-af078d737445")),
        ("Flags", .texts(["read", "notify"])), ("MTU", .short(mtu)),
      ]
    ),
    (
      "\(device)/service001b/char001e/desc0020", "org.bluez.GattDescriptor1",
      [("UUID", .text("00002902-0000-1000-8000-00805f9b34fb"))]
    ),
    (
      "\(device)/service001b/char001c", "org.bluez.GattCharacteristic1",
      [
        ("UUID", .text("bdd37d7a-f66a-47b9-a49c-fe29fd235a77")),
        ("Flags", .texts(question)),
      ]
    ),
    // Another device's, and an object of another kind.
    (
      "/org/bluez/hci0/dev_00_00_00_00_00_02/service0001", "org.bluez.GattService1",
      [("UUID", .text("0000180f-0000-1000-8000-00805f9b34fb"))]
    ),
    ("\(device)/sep1", "org.bluez.MediaEndpoint1", []),
  ]
}

/// A host whose link to the ball is open.
private func connected(mtu: Int16 = 185) throws -> Daemon {
  let daemon = try daemon()
  daemon.objects = [(device, "org.bluez.Device1", describe())]
  expect(daemon.host.connect(to: ball))
  daemon.script = { call in
    if call.member == "Connect" { daemon.objects = attributes(mtu: mtu) }
    return nil
  }
  daemon.settle()
  expect(daemon.host.client.application.events.last, is: .connected(0, ball, .central))
  daemon.script = { _ in nil }
  _ = daemon.takeCalls()
  _ = daemon.host.client.application.takeEvents()
  return daemon
}

/// A radio that pairs, whose bluetoothd has connected the ball and is pairing.
private func pairingDaemon() throws -> Daemon {
  let daemon = try daemon()
  daemon.pairs = true
  daemon.objects = [(device, "org.bluez.Device1", describe())]
  daemon.script = { call in
    switch call.member {
    case "Connect": daemon.objects = attributes()
    case "Disconnect": daemon.objects = [(device, "org.bluez.Device1", describe())]
    case "Pair": return .later
    default: break
    }
    return nil
  }
  expect(daemon.host.connect(to: ball))
  daemon.settle()
  return daemon
}

/// A host that connects to a ball which bluetoothd is disconnecting for another program.
private func leavingDaemon() throws -> Daemon {
  let daemon = try daemon()
  daemon.objects = attributes()
  daemon.script = { call in
    switch call.member {
    case "StartNotify": return .error("org.bluez.Error.NotConnected", "Not Connected")
    case "Connect": daemon.objects = attributes()
    default: break
    }
    return nil
  }
  _ = daemon.host.client.application.takeEvents()
  expect(daemon.host.connect(to: ball))
  daemon.settle()
  return daemon
}

private func handle(_ number: UInt16) -> AttributeHandle { AttributeHandle(rawValue: number) }

extension FakeDaemon where Side == Central<2, Collector> {
  /// Performs an operation on the link, and returns its result; `nil` if it goes on.
  fileprivate func perform(_ operation: ClientOperation, _ value: [UInt8] = [])
    -> Result<OperationOutput, OperationError>?
  {
    host.client.application.values[0] = value
    expect(host.perform(operation, at: 0))
    settle()
    return host.client.application.results.last
  }
}

@Suite("The central of a radio beside bluetoothd")
struct BlueZCentralTests {
  @Test("A scan is bluetoothd's discovery: devices in range are reported, and new and changed ones")
  func scan() throws {
    let daemon = try daemon()
    daemon.objects = [
      (device, "org.bluez.Device1", describe()),
      // Known, but not in range.
      (
        "/org/bluez/hci0/dev_F0_00_00_00_00_02", "org.bluez.Device1",
        [("Address", .text("F0:00:00:00:00:02"))]
      ),
    ]
    daemon.host.scan(ScanParameters())
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["SetDiscoveryFilter", "StartDiscovery"])
    expect(daemon.host.client.application.advertisers.map(\.address), is: [ball])
    expect(daemon.host.client.application.advertisers.map(\.isNameComplete), is: [true])
    expect(daemon.host.client.application.advertisers.map(\.serviceUUIDs), is: [[.ballService]])

    daemon.add(
      "/org/bluez/hci0/dev_F0_00_00_00_00_03", "org.bluez.Device1",
      [("Address", .text("F0:00:00:00:00:03")), ("RSSI", .short(-70))])
    expect(daemon.host.client.application.advertisers.count, is: 2)
    daemon.objects[1].properties.append(("RSSI", .short(-80)))
    daemon.change(
      "/org/bluez/hci0/dev_F0_00_00_00_00_02", "org.bluez.Device1", [("RSSI", .short(-80))])
    expect(daemon.host.client.application.advertisers.count, is: 3)

    daemon.host.scan(nil)
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["StopDiscovery"])
  }

  @Test("A scan that bluetoothd refuses fails")
  func refusedScan() throws {
    let daemon = try daemon()
    daemon.script = {
      $0.member == "StartDiscovery" ? .error("org.bluez.Error.NotReady", "Resource Not Ready") : nil
    }
    daemon.host.scan(ScanParameters())
    daemon.settle()
    expect(daemon.host.client.application.events.last, is: .scanFailed(.hardwareFailure))
  }

  @Test("The host's client finds bluetoothd's attributes, with their handles")
  func discovery() throws {
    let daemon = try connected()
    expect(
      daemon.perform(.discoverServices),
      is: .success(
        .services([
          RemoteService(
            uuid: .ballService, range: AttributeHandleRange(start: handle(0x1B), end: handle(0x20)))
        ])))
    expect(
      daemon.perform(
        .discoverCharacteristics(
          AttributeHandleRange(start: handle(0x1B), end: handle(0x20)))),
      is: .success(
        .characteristics([
          RemoteCharacteristic(
            uuid: .question, properties: .write | .writeWithoutResponse, declaration: handle(0x1C),
            value: handle(0x1D)),
          RemoteCharacteristic(
            uuid: .answer, properties: .read | .notify, declaration: handle(0x1E),
            value: handle(0x1F)),
        ])))
    expect(
      daemon.perform(
        .discoverDescriptors(AttributeHandleRange(start: handle(0x20), end: handle(0x20)))),
      is: .success(
        .descriptors([
          RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: handle(0x20))
        ])))
    _ = daemon.perform(.exchangeMTU)
    expect(daemon.host.mtu(at: 0).byteCount, is: 185)
  }

  @Test("Values are read and written, also long ones, and bluetoothd is called once for each")
  func values() throws {
    let daemon = try connected(mtu: 23)
    let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    daemon.script = { $0.member == "ReadValue" ? .bytes(value) : nil }
    // 300 bytes are a Read and further Read Blobs of 22 bytes.
    expect(daemon.perform(.read(handle(0x1F))), is: .success(.value(value)))
    expect(
      daemon.takeCalls(),
      is: [DaemonCall(path: "\(device)/service001b/char001e", member: "ReadValue")])
    // 40 bytes are three Prepare Writes and an Execute Write.
    expect(
      daemon.perform(.write(handle(0x1D), byteCount: 40), [UInt8](repeating: 7, count: 40)),
      is: .success(.written))
    expect(
      daemon.takeCalls(),
      is: [
        DaemonCall(
          path: "\(device)/service001b/char001c", member: "WriteValue",
          argument: [String](repeating: "7", count: 40).joined(separator: " "))
      ])
    expect(
      daemon.perform(.writeWithoutResponse(handle(0x1D), byteCount: 2), [1, 2]),
      is: .success(.written))
    expect(daemon.takeCalls().map(\.argument), is: ["1 2"])
    daemon.script = { $0.path.hasSuffix("desc0020") ? .bytes([1, 0]) : nil }
    expect(daemon.perform(.read(handle(0x20))), is: .success(.value([1, 0])))
  }

  @Test(
    "An error of bluetoothd is the ATT error behind it",
    arguments: [
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e", UInt8(0x0E)),
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80 (unknown)", 0x80),
      ("org.bluez.Error.Failed", "Failed to initiate write", 0x0E),
      ("org.bluez.Error.NotPermitted", "Write not permitted", 0x03),
      ("org.bluez.Error.NotPermitted", "Not paired", 0x05),
      ("org.bluez.Error.NotSupported", "Operation is not supported", 0x06),
      ("org.bluez.Error.Failed", "0x", 0x0E),
    ])
  func errors(_ name: String, _ text: String, _ code: UInt8) throws {
    let daemon = try connected()
    daemon.script = { $0.member == "WriteValue" ? .error(name, text) : nil }
    guard
      case .failure(.refused(let response))? = daemon.perform(
        .write(handle(0x1D), byteCount: 1), [1])
    else {
      expect(false)
      return
    }
    expect(response.code.rawValue, is: code)
    // The link works as before.
    daemon.script = { _ in nil }
    expect(daemon.perform(.write(handle(0x1D), byteCount: 1), [1]), is: .success(.written))
  }

  // Symptom: a ball that left during a question had refused it.
  @Test(
    "A request that fails with the link has no answer, and the link ends",
    arguments: [
      ("org.bluez.Error.Failed", "Not connected"), ("org.bluez.Error.Failed", "Operation failed"),
      ("org.bluez.Error.NotConnected", "Not Connected"),
    ])
  func lostRequest(_ name: String, _ text: String) throws {
    for isReported in [false, true] {
      let daemon = try connected()
      daemon.script = { $0.member == "WriteValue" ? .error(name, text) : nil }
      expect(daemon.perform(.write(handle(0x1D), byteCount: 1), [1]), is: nil)
      if isReported {
        daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
      } else {
        // The limit of ATT.
        daemon.pass(milliseconds: 30_000)
      }
      expect(daemon.host.connectionCount, is: 0)
      expect(
        daemon.host.client.application.results.last,
        is: .failure(isReported ? .disconnected : .timedOut))
    }
  }

  @Test("A subscription has a socket of its own, whose packets are notifications, until it ends")
  func subscription() throws {
    let daemon = try connected()
    expect(
      daemon.perform(.subscribe(handle(0x20), .notification), [1, 0]), is: .success(.written))
    expect(daemon.takeCalls().map(\.member), is: ["AcquireNotify"])
    let answer = Array("It is certain.".utf8)
    expect(unsafe Glibc.write(daemon.notifier, answer, answer.count), is: answer.count)
    daemon.settle()
    expect(
      daemon.host.client.application.events.last, is: .notified(0, handle(0x1F), answer))
    expect(daemon.perform(.subscribe(handle(0x20), .none), [0, 0]), is: .success(.written))
    // This program has closed its end.
    expect(unsafe Glibc.write(daemon.notifier, answer, answer.count), is: -1)
  }

  @Test("A characteristic whose socket another program has is heard by its property")
  func sharedSubscription() throws {
    let daemon = try connected()
    daemon.script = {
      $0.member == "AcquireNotify" ? .error("org.bluez.Error.NotPermitted", "Notify acquired") : nil
    }
    expect(
      daemon.perform(.subscribe(handle(0x20), .notification), [1, 0]), is: .success(.written))
    expect(daemon.takeCalls().map(\.member), is: ["AcquireNotify", "StartNotify"])
    let path = "\(device)/service001b/char001e"
    daemon.change(path, "org.bluez.GattCharacteristic1", [("Value", .bytes([1, 2, 3]))])
    expect(daemon.host.client.application.events.last, is: .notified(0, handle(0x1F), [1, 2, 3]))
    // A value that this program reads is announced, too.
    daemon.script = { $0.member == "ReadValue" ? .later : nil }
    let count = daemon.host.client.application.notified.count
    _ = daemon.perform(.read(handle(0x1F)))
    daemon.change(path, "org.bluez.GattCharacteristic1", [("Value", .bytes([9]))])
    daemon.finishLateCall(.bytes([9]))
    expect(daemon.host.client.application.notified.count, is: count)
    expect(daemon.host.client.application.results.last, is: .success(.value([9])))
    daemon.script = { _ in nil }
    expect(daemon.perform(.subscribe(handle(0x20), .none), [0, 0]), is: .success(.written))
    expect(daemon.takeCalls().last?.member, is: "StopNotify")
  }

  @Test("An unknown device is discovered first, and connected when it is found")
  func search() throws {
    let daemon = try daemon()
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["SetDiscoveryFilter", "StartDiscovery"])
    daemon.script = { call in
      if call.member == "Connect" { daemon.objects = attributes() }
      return nil
    }
    daemon.add(device, "org.bluez.Device1", describe())
    expect(daemon.takeCalls().map(\.member), is: ["StopDiscovery", "Connect"])
    expect(daemon.host.client.application.events.last, is: .connected(0, ball, .central))
  }

  @Test(
    "The link opens when bluetoothd has found the attributes, and fails if the device leaves before"
  )
  func resolution() throws {
    for isResolved in [true, false] {
      let daemon = try daemon()
      daemon.objects = [(device, "org.bluez.Device1", describe())]
      expect(daemon.host.connect(to: ball))
      daemon.script = { call in
        if call.member == "Connect" { daemon.objects[0].properties = describe(isConnected: true) }
        return nil
      }
      daemon.settle()
      expect(daemon.host.connectionCount, is: 0)
      if isResolved {
        daemon.objects = attributes()
        daemon.change(device, "org.bluez.Device1", [("ServicesResolved", .flag(true))])
        expect(daemon.host.connectionCount, is: 1)
      } else {
        daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
        expect(
          daemon.host.client.application.events.last,
          is: .connectionFailed(.connectionFailedToBeEstablished))
      }
    }
  }

  @Test("A radio that pairs does so once before the link opens")
  func pairing() throws {
    let daemon = try pairingDaemon()
    expect(daemon.takeCalls().map(\.member), is: ["Connect", "RegisterAgent", "Pair"])
    expect(daemon.host.connectionCount, is: 0)
    daemon.finishLateCall(.done)
    expect(daemon.takeCalls(), is: [])
    expect(daemon.host.connectionCount, is: 1)
  }

  // bluetoothd 5.66 disconnects a device whose pairing has failed.
  @Test(
    "A device that refuses to pair is connected again, and used without",
    arguments: [false, true])
  func refusedPairing(leavesBefore: Bool) throws {
    let daemon = try pairingDaemon()
    _ = daemon.takeCalls()
    if leavesBefore {
      daemon.objects = [(device, "org.bluez.Device1", describe())]
      daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    }
    daemon.finishLateCall(
      .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect", "Connect"])
    expect(daemon.host.connectionCount, is: 1)
  }

  @Test("A pairing without an answer fails the connection")
  func silentPairing() throws {
    let daemon = try pairingDaemon()
    _ = daemon.takeCalls()
    daemon.pass(milliseconds: 60_000)
    daemon.settle()
    expect(
      daemon.host.client.application.events.last,
      is: .connectionFailed(.connectionFailedToBeEstablished))
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect"])
  }

  @Test("A device with a bond, or one that another program has connected, is used as it is")
  func paired() throws {
    for isPaired in [false, true] {
      let daemon = try daemon()
      daemon.pairs = true
      daemon.objects = attributes()
      daemon.objects[0].properties.append(("Paired", .flag(isPaired)))
      expect(daemon.host.connect(to: ball))
      daemon.settle()
      expect(
        daemon.takeCalls().map(\.member),
        is: ["StartNotify"] + (isPaired ? [] : ["RegisterAgent", "Pair"]))
      expect(daemon.host.connectionCount, is: 1)
      daemon.host.disconnect(at: 0)
      daemon.settle()
      expect(daemon.takeCalls(), is: [])
    }
  }

  @Test("A link has the strength of the last advertisement, which bluetoothd has forgotten")
  func signalStrength() throws {
    for isReported in [false, true] {
      let daemon = try daemon()
      if isReported {
        daemon.objects = [(device, "org.bluez.Device1", describe(rssi: -60))]
        daemon.host.scan(ScanParameters())
        daemon.settle()
        daemon.host.scan(nil)
        daemon.settle()
      }
      daemon.objects = attributes()
      daemon.objects[0].properties = describe(isConnected: true, isResolved: true, rssi: nil)
      expect(daemon.host.connect(to: ball))
      daemon.settle()
      daemon.host.readRSSI(at: 0)
      daemon.settle()
      expect(daemon.host.client.application.events.last, is: .readRSSI(0, isReported ? -60 : nil))
    }
  }

  @Test("The strengths of the last 16 advertisers are known")
  func advertisers() {
    var advertisers = ReportedAdvertisers()
    func advertiser(_ number: UInt8) -> DeviceAddress {
      DeviceAddress(kind: .random, bytes: [number, 0, 0, 0, 0, 0xC0])
    }
    for number: UInt8 in 0..<17 {
      advertisers.note(advertiser(number), rssi: -Int8(number))
      // The last advertiser's next advertisement takes no other's place.
      advertisers.note(advertiser(number), rssi: -Int8(number) - 1)
    }
    expect(advertisers.rssi(of: advertiser(0)), is: nil)
    for number: UInt8 in 1..<17 {
      expect(advertisers.rssi(of: advertiser(number)), is: -Int8(number) - 1)
    }
    expect(advertisers.rssi(of: DeviceAddress(kind: .public, bytes: advertiser(5).bytes)), is: -6)
  }

  @Test("A connection that bluetoothd refuses, or does not answer, fails")
  func refusedConnection() throws {
    let daemon = try daemon()
    daemon.objects = [(device, "org.bluez.Device1", describe())]
    daemon.script = {
      $0.member == "Connect"
        ? .error("org.bluez.Error.Failed", "le-connection-abort-by-local") : nil
    }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(
      daemon.host.client.application.takeEvents().last,
      is: .connectionFailed(.connectionFailedToBeEstablished))
    daemon.script = { $0.member == "Connect" ? .later : nil }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    daemon.pass(milliseconds: 60_000)
    daemon.settle()
    expect(
      daemon.host.client.application.takeEvents().last,
      is: .connectionFailed(.connectionFailedToBeEstablished))
  }

  @Test("The host's link ends at once, and the next one to the device waits for bluetoothd")
  func departure() throws {
    let daemon = try connected()
    daemon.script = { $0.member == "Disconnect" ? .later : nil }
    daemon.host.disconnect(at: 0)
    daemon.settle()
    expect(
      daemon.host.client.application.takeEvents().last,
      is: .disconnected(0, .connectionTerminatedByLocalHost))
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect"])
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.takeCalls(), is: [])
    daemon.objects = [(device, "org.bluez.Device1", describe())]
    daemon.finishLateCall(.done)
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
  }

  @Test("A device that another program has connected stays connected")
  func sharedDevice() throws {
    let daemon = try daemon()
    daemon.objects = attributes()
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.host.connectionCount, is: 1)
    // bluetoothd refuses to subscribe to the question, but not because it is disconnecting the device.
    expect(
      daemon.takeCalls(),
      is: [DaemonCall(path: "\(device)/service001b/char001c", member: "StartNotify")])
    daemon.host.disconnect(at: 0)
    daemon.settle()
    expect(daemon.host.connectionCount, is: 0)
    expect(daemon.takeCalls(), is: [])
  }

  // A program that began within the 2 s in which bluetoothd disconnected the device for another lost its link.
  @Test("A device that bluetoothd is disconnecting for another program is connected again")
  func dyingConnection() throws {
    let daemon = try leavingDaemon()
    expect(daemon.takeCalls().map(\.member), is: ["StartNotify"])
    expect(daemon.host.connectionCount, is: 0)
    daemon.objects = [(device, "org.bluez.Device1", describe())]
    daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    expect(daemon.host.connectionCount, is: 1)
    // It is this program's connection.
    daemon.host.disconnect(at: 0)
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect"])
  }

  @Test("A device that bluetoothd does not finish to disconnect fails the connection after 35 s")
  func endlessDeparture() throws {
    let daemon = try leavingDaemon()
    daemon.pass(milliseconds: 34_999)
    expect(daemon.host.client.application.takeEvents(), is: [])
    daemon.pass(milliseconds: 1)
    expect(
      daemon.host.client.application.takeEvents(),
      is: [.connectionFailed(.connectionFailedToBeEstablished)])
    expect(daemon.takeCalls().map(\.member), is: ["StartNotify"])
  }

  @Test("A device whose values all have notifications is used after 4 s, unless it leaves")
  func undecidedConnection() throws {
    for leaves in [false, true] {
      let daemon = try daemon()
      daemon.objects = attributes(question: ["write", "indicate"])
      expect(daemon.host.connect(to: ball))
      daemon.settle()
      daemon.pass(milliseconds: 3_999)
      expect(daemon.host.connectionCount, is: 0)
      if leaves {
        daemon.script = { call in
          if call.member == "Connect" { daemon.objects = attributes() }
          return nil
        }
        daemon.objects = [(device, "org.bluez.Device1", describe())]
        daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
      } else {
        daemon.pass(milliseconds: 1)
      }
      expect(daemon.takeCalls().map(\.member), is: leaves ? ["Connect"] : [])
      expect(daemon.host.connectionCount, is: 1)
    }
  }

  @Test("A connection of another program that ends before its attributes are found is made again")
  func unresolvedConnection() throws {
    let daemon = try daemon()
    daemon.objects = [(device, "org.bluez.Device1", describe(isConnected: true))]
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    daemon.script = { call in
      if call.member == "Connect" { daemon.objects = attributes() }
      return nil
    }
    daemon.objects = [(device, "org.bluez.Device1", describe())]
    daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    expect(daemon.host.connectionCount, is: 1)
  }

  @Test("A device of another program that refuses to pair is not disconnected by this one")
  func refusedPairingOfSharedDevice() throws {
    let daemon = try daemon()
    daemon.pairs = true
    daemon.objects = attributes()
    daemon.script = {
      $0.member == "Pair"
        ? .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed") : nil
    }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(
      daemon.takeCalls().map(\.member), is: ["StartNotify", "RegisterAgent", "Pair", "StartNotify"]
    )
    expect(daemon.host.connectionCount, is: 1)
  }

  @Test("An unknown device cannot be found while bluetoothd does not answer")
  func silentSearch() throws {
    let daemon = try daemon()
    daemon.script = { $0.member == "StartDiscovery" ? .later : nil }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    daemon.pass(milliseconds: 25_000)
    expect(
      daemon.host.client.application.takeEvents().last, is: .connectionFailed(.hardwareFailure))
  }

  @Test("A link ends with the device's connection, or with the device")
  func ends() throws {
    for isRemoved in [false, true] {
      let daemon = try connected()
      if isRemoved {
        // The battery of the device is an interface of the same object.
        daemon.remove(device, "org.bluez.Battery1")
        expect(daemon.host.connectionCount, is: 1)
        daemon.remove(device, "org.bluez.Device1")
      } else {
        daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
      }
      expect(
        daemon.host.client.application.events.last,
        is: .disconnected(0, .remoteUserTerminatedConnection))
    }
  }

  @Test("Attributes that change are read again")
  func refresh() throws {
    let daemon = try connected()
    daemon.add(
      "\(device)/service0030", "org.bluez.GattService1",
      [("UUID", .text("0000180a-0000-1000-8000-00805f9b34fb"))])
    daemon.pass(milliseconds: 100)
    daemon.settle()
    expect(
      daemon.perform(.discoverServicesByUUID(.deviceInformationService)),
      is: .success(
        .services([
          RemoteService(
            uuid: .deviceInformationService,
            range: AttributeHandleRange(start: handle(0x30), end: handle(0x30)))
        ])))
  }

  @Test("A read of two values at once is refused, and the link works")
  func readMultiple() throws {
    let daemon = try connected()
    daemon.script = { $0.member == "ReadValue" ? .bytes([1]) : nil }
    let result = daemon.perform(
      .readMultiple(byteCount: 4, isVariable: false), [0x1F, 0, 0x20, 0])
    guard case .failure(.refused)? = result else {
      expect(false)
      return
    }
    expect(daemon.perform(.read(handle(0x1F))), is: .success(.value([1])))
  }

  @Test("Objects with wrong paths and properties are no attributes")
  func wrongObjects() throws {
    let daemon = try daemon()
    daemon.objects = attributes()
    for path in [
      "/service", "/serviceXYZW", "/service0000", "/service001", "/char0040", "/service001b/char",
      "/service001b/charffff", "/service001b/char0050/desc",
    ] {
      daemon.objects.append(
        (device + path, "org.bluez.GattService1", [("UUID", .text(service))]))
      daemon.objects.append(
        (device + path, "org.bluez.GattCharacteristic1", [("UUID", .text("?"))]))
    }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    guard case .success(.services(let services))? = daemon.perform(.discoverServices) else {
      expect(false)
      return
    }
    expect(services.map(\.range.start.rawValue), is: [0x1B])
  }
}
