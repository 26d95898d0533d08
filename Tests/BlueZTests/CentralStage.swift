import BallTestSupport
import BluetoothHost
import Expectations
import Testing

/// bluetoothd, and a host that is a central.
typealias CentralDaemon = FakeDaemon<Central<2, Collector>>

/// A ball as bluetoothd describes it.
enum RemoteBall {
  static let path = "/org/bluez/hci0/dev_F0_00_00_00_11_BA"
  static let address = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])
  static let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"

  /// The properties of the device.
  static func properties(
    isConnected: Bool = false, isResolved: Bool = false, rssi: Int16? = -60
  ) -> CentralDaemon.Properties {
    var properties: CentralDaemon.Properties = [
      ("Address", .text("F0:00:00:00:11:BA")), ("AddressType", .text("public")),
      ("Name", .text("Ball")), ("UUIDs", .texts([service])), ("Connected", .flag(isConnected)),
      ("ServicesResolved", .flag(isResolved)),
    ]
    if let rssi { properties.append(("RSSI", .short(rssi))) }
    return properties
  }

  /// The objects of the connected device: a question to write, and an answer to read and to hear.
  ///
  /// - Parameter question: The properties of the question.
  static func objects(
    mtu: Int16 = 185, question: [String] = ["write", "write-without-response"]
  ) -> [(path: String, interface: String, properties: CentralDaemon.Properties)] {
    [
      (path, "org.bluez.Device1", properties(isConnected: true, isResolved: true)),
      (
        "\(path)/service001b", "org.bluez.GattService1",
        [("UUID", .text(service)), ("Primary", .flag(true))]
      ),
      // bluetoothd lists its objects in no order of handles.
      (
        "\(path)/service001b/char001e", "org.bluez.GattCharacteristic1",
        [
          ("UUID", .text("349a0d7b-6215-4e2c-a095-af078d737445")),
          ("Flags", .texts(["read", "notify"])), ("MTU", .short(mtu)),
        ]
      ),
      (
        "\(path)/service001b/char001e/desc0020", "org.bluez.GattDescriptor1",
        [("UUID", .text("00002902-0000-1000-8000-00805f9b34fb"))]
      ),
      (
        "\(path)/service001b/char001c", "org.bluez.GattCharacteristic1",
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
      ("\(path)/sep1", "org.bluez.MediaEndpoint1", []),
    ]
  }
}

extension FakeDaemon where Side == Central<2, Collector> {
  /// A host that has started, on a bluetoothd without devices.
  static func started() throws -> CentralDaemon {
    let daemon = try #require(
      try CentralDaemon(Central<2, Collector>(configuration: .central, application: Collector())))
    daemon.host.start(at: daemon.now)
    daemon.settle()
    _ = daemon.takeCalls()
    return daemon
  }

  /// A host whose link to the ball is open.
  static func connected(mtu: Int16 = 185) throws -> CentralDaemon {
    let daemon = try started()
    daemon.objects = [(RemoteBall.path, "org.bluez.Device1", RemoteBall.properties())]
    expect(daemon.host.connect(to: RemoteBall.address))
    daemon.script = { call in
      if call.member == "Connect" { daemon.objects = RemoteBall.objects(mtu: mtu) }
      return nil
    }
    daemon.settle()
    expect(
      daemon.host.client.application.events.last, is: .connected(0, RemoteBall.address, .central))
    daemon.script = { _ in nil }
    _ = daemon.takeCalls()
    _ = daemon.host.client.application.takeEvents()
    return daemon
  }

  /// A radio that pairs, whose bluetoothd has connected the ball and is pairing.
  static func pairing() throws -> CentralDaemon {
    let daemon = try started()
    daemon.pairs = true
    daemon.objects = [(RemoteBall.path, "org.bluez.Device1", RemoteBall.properties())]
    daemon.script = { call in
      switch call.member {
      case "Connect": daemon.objects = RemoteBall.objects()
      case "Disconnect":
        daemon.objects = [(RemoteBall.path, "org.bluez.Device1", RemoteBall.properties())]
      case "Pair": return .later
      default: break
      }
      return nil
    }
    expect(daemon.host.connect(to: RemoteBall.address))
    daemon.settle()
    return daemon
  }

  /// A host that connects to a ball which bluetoothd is disconnecting for another program.
  static func disconnectingDevice() throws -> CentralDaemon {
    let daemon = try started()
    daemon.objects = RemoteBall.objects()
    daemon.script = { call in
      switch call.member {
      case "StartNotify": return .error("org.bluez.Error.NotConnected", "Not Connected")
      case "Connect": daemon.objects = RemoteBall.objects()
      default: break
      }
      return nil
    }
    _ = daemon.host.client.application.takeEvents()
    expect(daemon.host.connect(to: RemoteBall.address))
    daemon.settle()
    return daemon
  }

  /// Performs an operation on the link, and returns its result; `nil` if it goes on.
  func perform(_ operation: ClientOperation, _ value: [UInt8] = [])
    -> Result<OperationOutput, OperationError>?
  {
    host.client.application.values[0] = value
    expect(host.perform(operation, at: 0))
    settle()
    return host.client.application.results.last
  }
}
