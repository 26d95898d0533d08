import Expectations

@testable import BluetoothHost

/// A database with one value of the application, of any number.
private func database(_ attribute: ApplicationAttribute) -> GATTDatabase<11> {
  GATTDatabase {
    Service(.genericAttributeService) {  // 0x0001
      // Value 0x0003, configuration 0x0004.
      Characteristic(.serviceChanged, .indicate, value: .none)
    }
    Service(.batteryService) {
      Characteristic(.alertLevel, .read, value: .number(0x64, byteCount: 1))  // value 0x0007
      // The configuration is not the first descriptor.
      Attribute.characteristic(.batteryLevel, .read | .notify)
      Attribute.value(.application(attribute))  // 0x0009
      Attribute.descriptor(.characteristicUserDescription, .read, .text(StaticText("Level")))
      Attribute.clientCharacteristicConfiguration  // 0x000B
    }
  }
}

@Suite("GATT database: a table")
struct GATTDatabaseTests {
  @Test(
    "A value of any number has its handle and its slot",
    arguments: [0, 7, 8, 9, 255, 256, 65_535] as [UInt16])
  func location(number: UInt16) {
    let attribute = ApplicationAttribute(rawValue: number)
    let database = database(attribute)
    // Service Changed has slot 0.
    let location = ValueLocation(handle: AttributeHandle(rawValue: 0x0009), slot: 1)
    expect(database.location(of: attribute), is: location)
    expect(database.location(of: ApplicationAttribute(rawValue: number ^ 1)), is: ValueLocation())
  }

  @Test("A descriptor of the application has no location for updates")
  func descriptor() {
    let attribute = ApplicationAttribute(rawValue: 9)
    let database = GATTDatabase<5> {
      Service(.batteryService) {
        Characteristic(.batteryLevel, .read | .notify, value: .number(0x64, byteCount: 1)) {
          Attribute.descriptor(.characteristicUserDescription, .read, .application(attribute))
        }
      }
    }
    expect(database.location(of: attribute), is: ValueLocation())
  }

  /// Symptom: the notification was lost silently.
  @Test("The value with the number 9 is notified to its subscribers")
  func notification() {
    let attribute = ApplicationAttribute(rawValue: 9)
    let controller = ScriptedServer<2, GATTDatabase<11>>(database: database(attribute))
    controller.connect()
    controller.exchange([0x12, 0x0B, 0x00, 0x01, 0x00], gives: [0x13])
    expect(controller.events.last, is: .configured(attribute, 0, .notification))
    controller.forgetWhatWasSent()
    controller.update(attribute, [0x48])
    expect(controller.pdus(), is: [[0x1B, 0x09, 0x00, 0x48]])
  }
}

@Suite("Client configurations")
struct ClientConfigurationsTests {
  @Test("Each slot is separate; an index outside the slots is ignored")
  func slots() {
    var configurations = ClientConfigurations()
    let outside = [Int.min, -1, ClientConfigurations.capacity, .max]
    for slot in outside { configurations[slot] = .notification }
    expect(configurations, is: ClientConfigurations())
    for slot in outside { expect(configurations[slot], is: .none) }
    configurations[0] = .indication
    configurations[ClientConfigurations.capacity - 1] = .notification
    let wanted = (0..<ClientConfigurations.capacity).filter { configurations[$0] != .none }
    expect(wanted, is: [0, ClientConfigurations.capacity - 1])
    expect(configurations[0], is: .indication)
  }
}

@Suite("Static text")
struct StaticTextTests {
  @Test("Texts are equal if their bytes are equal")
  func equality() {
    expect(StaticText("Level") == StaticText("Level") && StaticText("") == StaticText(""))
    for other in [StaticText("level"), StaticText("Leve"), StaticText("Levels"), StaticText("")] {
      expect(StaticText("Level") != other && other != StaticText("Level"))
    }
  }
}
