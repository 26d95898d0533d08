import BluetoothHost
import EightBall
import Testing

@Suite("The ball's attributes, as a central sees them")
struct ServiceTests {
  @Test("Everything is discovered with any MTU", arguments: [nil, 517])
  func discovery(_ mtu: Int?) throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone(mtu: mtu)
    func range(_ start: UInt16, _ end: UInt16) -> AttributeHandleRange {
      AttributeHandleRange(
        start: AttributeHandle(rawValue: start), end: AttributeHandle(rawValue: end))
    }
    #expect(
      stage.perform(.discoverServices(nil), by: phone)
        == .success(
          .services([
            RemoteService(uuid: .genericAccessService, range: range(0x0001, 0x0007)),
            RemoteService(uuid: .genericAttributeService, range: range(0x0008, 0x0011)),
            RemoteService(uuid: .deviceInformationService, range: range(0x0012, 0x001A)),
            RemoteService(uuid: .ballService, range: range(0x001B, 0x0020)),
          ])))
    #expect(
      stage.perform(.discoverServices(.ballService), by: phone)
        == .success(
          .services([RemoteService(uuid: .ballService, range: range(0x001B, 0x0020))])))

    var found: [BluetoothUUID: (UInt8, UInt16)] = [:]
    for range in [
      range(0x0001, 0x0007), range(0x0008, 0x0011), range(0x0012, 0x001A), range(0x001B, 0x0020),
    ] {
      guard
        case .success(.characteristics(let characteristics)) = stage.perform(
          .discoverCharacteristics(range), by: phone)
      else {
        Issue.record("The characteristics in \(range) are not found")
        continue
      }
      for characteristic in characteristics {
        found[characteristic.uuid] = (
          characteristic.properties.rawValue, characteristic.value.rawValue
        )
      }
    }
    #expect(found.count == 13)
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
      #expect(found[uuid]?.0 == properties.rawValue)
      #expect(found[uuid]?.1 == value)
    }
    #expect(
      stage.perform(.discoverDescriptors(range(0x0020, 0x0020)), by: phone)
        == .success(
          .descriptors([
            RemoteDescriptor(
              uuid: .clientCharacteristicConfiguration, handle: Handles.configuration)
          ])))
  }

  @Test("Names, device information and the database hash are read with any MTU")
  func reads() throws {
    let stage = try Stage<4>(name: "A ball of twenty-nine bytes!!")
    for mtu in [nil, 185] {
      let phone = try stage.connectedPhone(mtu: mtu)
      #expect(
        stage.readText(Handles.deviceName, by: phone) == "A ball of twenty-nine bytes!!")
      #expect(stage.readText(Handles.manufacturer, by: phone) == "The 8-Ball Project")
      #expect(stage.readText(Handles.model, by: phone) == "Magic 8-Ball")
      #expect(stage.readText(Handles.firmware, by: phone) == "0.2.0")
      guard case .success(.value(let hash)) = stage.perform(.read(Handles.databaseHash), by: phone)
      else {
        Issue.record("No hash")
        return
      }
      let expected = EightBallProfile.makeDatabase().hash.bytes
      #expect(hash == expected.indices.map { expected[$0] })
      stage.disconnect(phone)
    }
  }

  @Test("What may not be read or written is refused with the right error")
  func refusals() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone()
    #expect(
      stage.perform(.read(Handles.question), by: phone)
        == refused(.readRequest, Handles.question, .readNotPermitted))
    #expect(
      stage.perform(.write(Handles.answer, [1]), by: phone)
        == refused(.writeRequest, Handles.answer, .writeNotPermitted))
    let beyond = AttributeHandle(rawValue: 0x0021)
    #expect(
      stage.perform(.read(beyond), by: phone) == refused(.readRequest, beyond, .invalidHandle))
    #expect(
      stage.perform(.subscribe(Handles.configuration, .indication), by: phone)
        == refused(.writeRequest, Handles.configuration, .cccdImproperlyConfigured))
  }
}
