import BallTestSupport
import BluetoothHost
import EightBall
import Expectations

@Suite("The ball's attributes, as a central sees them")
struct ServiceTests {
  private static func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
    AttributeHandleRange(
      start: AttributeHandle(rawValue: start), end: AttributeHandle(rawValue: end))
  }

  /// Handles never change, because centrals cache them.
  private static let services = [
    RemoteService(uuid: .genericAccessService, range: range(0x0001, 0x0007)),
    RemoteService(uuid: .genericAttributeService, range: range(0x0008, 0x0011)),
    RemoteService(uuid: .deviceInformationService, range: range(0x0012, 0x001A)),
    RemoteService(uuid: .ballService, range: range(0x001B, 0x0020)),
  ]

  @Test("Everything is discovered with any MTU", arguments: [nil, 517])
  func discovery(_ mtu: Int?) throws {
    let scene = try Scene<4>()
    let phone = try scene.connectedPhone(mtu: mtu)
    expect(scene.perform(.discoverServices, by: phone), is: .success(.services(Self.services)))
    expect(
      scene.perform(.discoverServicesByUUID(.ballService), by: phone),
      is: .success(.services(Self.services.suffix(1))))

    var found: [BluetoothUUID: (UInt8, UInt16)] = [:]
    for service in Self.services {
      guard
        case .success(.characteristics(let characteristics)) = scene.perform(
          .discoverCharacteristics(service.range), by: phone)
      else {
        Issue.record("The characteristics in \(service.range) are not found")
        continue
      }
      for characteristic in characteristics {
        found[characteristic.uuid] = (
          characteristic.properties.rawValue, characteristic.value.rawValue
        )
      }
    }
    expect(found.count, is: 13)
    let expected: [(BluetoothUUID, GATTProperties, UInt16)] = [
      (.deviceName, .read, 0x0003), (.appearance, .read, 0x0005),
      (.peripheralPreferredConnectionParameters, .read, 0x0007),
      (.serviceChanged, .indicate, 0x000A),
      (.clientSupportedFeatures, .read | .write, 0x000D), (.databaseHash, .read, 0x000F),
      (.serverSupportedFeatures, .read, 0x0011), (.manufacturerNameString, .read, 0x0014),
      (.modelNumberString, .read, 0x0016), (.firmwareRevisionString, .read, 0x0018),
      (.pnpID, .read, 0x001A), (.question, .write | .writeWithoutResponse, 0x001D),
      (.answer, .read | .notify, 0x001F),
    ]
    for (uuid, properties, value) in expected {
      expect(found[uuid]?.0, is: properties.rawValue)
      expect(found[uuid]?.1, is: value)
    }
    expect(scene.host.server.handle(of: .question), is: Handles.question)
    expect(scene.host.server.handle(of: .answer), is: Handles.answer)
    expect(
      scene.perform(.discoverDescriptors(Self.range(0x0020, 0x0020)), by: phone),
      is: .success(
        .descriptors([
          RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: Handles.configuration)
        ])))
  }

  @Test("Each attribute has its value, read with any MTU")
  func reads() throws {
    let hash = EightBallProfile.makeDatabase().hash.bytes
    let values: [(UInt16, [UInt8])] = [
      (0x0003, Array("A ball of twenty-nine bytes!!".utf8)), (0x0005, [0x00, 0x00]),
      // 24 and 40 × 1.25 ms, no latency, 400 × 10 ms
      (0x0007, [24, 0, 40, 0, 0, 0, 0x90, 0x01]), (0x000F, hash.indices.map { hash[$0] }),
      (0x0011, [0x00]), (0x0014, Array("The 8-Ball Project".utf8)),
      (0x0016, Array("Magic 8-Ball".utf8)), (0x0018, Array("0.2.0".utf8)),
      // Source 0x01, vendor 0xFFFF, product 0x0008, version 0x0020: 0.2.0
      (0x001A, [0x01, 0xFF, 0xFF, 0x08, 0x00, 0x20, 0x00]),
    ]
    let scene = try Scene<4>(name: "A ball of twenty-nine bytes!!")
    for mtu in [nil, 185] {
      let phone = try scene.connectedPhone(mtu: mtu)
      for (handle, value) in values {
        expect(
          scene.perform(.read(AttributeHandle(rawValue: handle)), by: phone),
          is: .success(.value(value)))
      }
      scene.disconnect(phone)
    }
  }
}
