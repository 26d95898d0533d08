import BluetoothHost
import Expectations
import Linux
import Testing

@testable import BlueZ

private let device = RemoteBall.path
private let ball = RemoteBall.address

@Suite("The scans and connections of a radio beside bluetoothd")
struct BlueZCentralConnectionTests {
  @Test("A scan is bluetoothd's discovery: devices in range are reported, and new and changed ones")
  func scan() throws {
    let daemon = try CentralDaemon.started()
    daemon.objects = [
      (device, "org.bluez.Device1", RemoteBall.properties()),
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

  @Test("Every device of a list that is longer than the queue of the host is reported")
  func longList() throws {
    let daemon = try CentralDaemon.started()
    let texts = (0..<700).map { index in
      "F0:00:00:00:0\(index / 256):" + (index % 256 < 16 ? "0" : "")
        + String(index % 256, radix: 16, uppercase: true)
    }
    daemon.objects = texts.map {
      (
        "/org/bluez/hci0/dev_" + $0.replacing(":", with: "_"), "org.bluez.Device1",
        [("Address", .text($0)), ("RSSI", .short(-70))]
      )
    }
    daemon.host.scan(ScanParameters())
    daemon.settle()
    expect(daemon.host.client.application.advertisers.count, is: texts.count)
    // The list has ended, and what comes after it is reported.
    daemon.add(
      "/org/bluez/hci0/dev_F0_00_00_00_00_03", "org.bluez.Device1",
      [("Address", .text("F0:00:00:00:0F:03")), ("RSSI", .short(-70))])
    expect(daemon.host.client.application.advertisers.count, is: texts.count + 1)
  }

  @Test(
    "A scan that bluetoothd refuses or does not answer ends a radio without links with the reason",
    arguments: [
      ("StartDiscovery", .error("org.bluez.Error.NotReady", "Resource Not Ready"), .networkDown),
      ("StartDiscovery", .error("org.bluez.Error.Failed", "No"), .protocolError),
      ("StartDiscovery", .later, .timedOut),
      ("GetManagedObjects", .error("org.bluez.Error.Failed", "No"), .protocolError),
      ("GetManagedObjects", .done, .protocolError),
      ("GetManagedObjects", .bytes([1]), .protocolError),
      ("GetManagedObjects", .later, .timedOut),
    ] as [(String, DaemonAnswer, ErrorNumber)])
  func refusedScan(member: String, answer: DaemonAnswer, error: ErrorNumber) throws {
    let daemon = try CentralDaemon.started()
    daemon.script = { $0.member == member ? answer : nil }
    daemon.host.scan(ScanParameters())
    daemon.settle()
    // The host's own limit is 2 s.
    daemon.pass(milliseconds: 1_950)
    expect(daemon.failure, is: error)
  }

  @Test("A scan that bluetoothd refuses leaves links open")
  func refusedScanBesideLink() throws {
    for member in ["StartDiscovery", "GetManagedObjects"] {
      let daemon = try CentralDaemon.connected()
      daemon.script = {
        $0.member == member ? .error("org.bluez.Error.NotReady", "Resource Not Ready") : nil
      }
      daemon.host.scan(ScanParameters())
      daemon.settle()
      expect(daemon.failure, is: nil)
      expect(daemon.host.connectionCount, is: 1)
      if member == "StartDiscovery" {
        expect(daemon.host.client.application.events.last, is: .scanFailed(.hardwareFailure))
      }
    }
  }

  @Test("An unknown device is discovered first, and connected when it is found")
  func search() throws {
    let daemon = try CentralDaemon.started()
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["SetDiscoveryFilter", "StartDiscovery"])
    daemon.script = { call in
      if call.member == "Connect" { daemon.objects = RemoteBall.objects() }
      return nil
    }
    daemon.add(device, "org.bluez.Device1", RemoteBall.properties())
    expect(daemon.takeCalls().map(\.member), is: ["StopDiscovery", "Connect"])
    expect(daemon.host.client.application.events.last, is: .connected(0, ball, .central))
  }

  @Test(
    "The link opens when bluetoothd has found the attributes, and fails if the device leaves before"
  )
  func resolution() throws {
    for isResolved in [true, false] {
      let daemon = try CentralDaemon.started()
      daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
      expect(daemon.host.connect(to: ball))
      daemon.script = { call in
        if call.member == "Connect" {
          daemon.objects[0].properties = RemoteBall.properties(isConnected: true)
        }
        return nil
      }
      daemon.settle()
      expect(daemon.host.connectionCount, is: 0)
      if isResolved {
        daemon.objects = RemoteBall.objects()
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
    let daemon = try CentralDaemon.pairing()
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
    let daemon = try CentralDaemon.pairing()
    _ = daemon.takeCalls()
    if leavesBefore {
      daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
      daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    }
    daemon.finishLateCall(
      .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect", "Connect"])
    expect(daemon.host.connectionCount, is: 1)
  }

  @Test("A pairing without an answer fails the connection")
  func silentPairing() throws {
    let daemon = try CentralDaemon.pairing()
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
      let daemon = try CentralDaemon.started()
      daemon.pairs = true
      daemon.objects = RemoteBall.objects()
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
      let daemon = try CentralDaemon.started()
      if isReported {
        daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties(rssi: -60))]
        daemon.host.scan(ScanParameters())
        daemon.settle()
        daemon.host.scan(nil)
        daemon.settle()
      }
      daemon.objects = RemoteBall.objects()
      daemon.objects[0].properties = RemoteBall.properties(
        isConnected: true, isResolved: true, rssi: nil)
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
    let daemon = try CentralDaemon.started()
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
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

  @Test("An attempt is not ended by a call of a cancelled one that bluetoothd does not answer")
  func lateCallOfCancelledAttempt() throws {
    let daemon = try CentralDaemon.started()
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
    daemon.script = { $0.member == "Connect" ? .later : nil }
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    daemon.pass(milliseconds: 58_000)
    daemon.host.cancelConnection()
    daemon.settle()
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    _ = daemon.host.client.application.takeEvents()
    daemon.pass(milliseconds: 3_000)
    daemon.settle()
    expect(daemon.host.client.application.takeEvents(), is: [])
    daemon.pass(milliseconds: 57_000)
    daemon.settle()
    expect(
      daemon.host.client.application.takeEvents().last,
      is: .connectionFailed(.connectionFailedToBeEstablished))
  }

  @Test("The host's link ends at once, and the next one to the device waits for bluetoothd")
  func hostEndsLink() throws {
    let daemon = try CentralDaemon.connected()
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
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
    daemon.finishLateCall(.done)
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
  }

  @Test("A device that another program has connected stays connected")
  func sharedDevice() throws {
    let daemon = try CentralDaemon.started()
    daemon.objects = RemoteBall.objects()
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
    let daemon = try CentralDaemon.disconnectingDevice()
    expect(daemon.takeCalls().map(\.member), is: ["StartNotify"])
    expect(daemon.host.connectionCount, is: 0)
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
    daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    expect(daemon.host.connectionCount, is: 1)
    // It is this program's connection.
    daemon.host.disconnect(at: 0)
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["Disconnect"])
  }

  @Test("A device that bluetoothd never finishes disconnecting fails the connection after 35 s")
  func endlessDisconnection() throws {
    let daemon = try CentralDaemon.disconnectingDevice()
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
      let daemon = try CentralDaemon.started()
      daemon.objects = RemoteBall.objects(question: ["write", "indicate"])
      expect(daemon.host.connect(to: ball))
      daemon.settle()
      daemon.pass(milliseconds: 3_999)
      expect(daemon.host.connectionCount, is: 0)
      if leaves {
        daemon.script = { call in
          if call.member == "Connect" { daemon.objects = RemoteBall.objects() }
          return nil
        }
        daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
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
    let daemon = try CentralDaemon.started()
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties(isConnected: true))]
    expect(daemon.host.connect(to: ball))
    daemon.settle()
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    daemon.script = { call in
      if call.member == "Connect" { daemon.objects = RemoteBall.objects() }
      return nil
    }
    daemon.objects = [(device, "org.bluez.Device1", RemoteBall.properties())]
    daemon.change(device, "org.bluez.Device1", [("Connected", .flag(false))])
    expect(daemon.takeCalls().map(\.member), is: ["Connect"])
    expect(daemon.host.connectionCount, is: 1)
  }

  @Test("A device of another program that refuses to pair is not disconnected by this one")
  func refusedPairingOfSharedDevice() throws {
    let daemon = try CentralDaemon.started()
    daemon.pairs = true
    daemon.objects = RemoteBall.objects()
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
    let daemon = try CentralDaemon.started()
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
      let daemon = try CentralDaemon.connected()
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
}
