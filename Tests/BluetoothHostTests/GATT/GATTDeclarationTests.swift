import BluetoothHost
import Expectations

/// The handle, the type and the properties of each attribute; for a service, also its last handle.
private func lines<let capacity: Int>(of database: borrowing GATTDatabase<capacity>) -> [String] {
  var lines: [String] = []
  for index in database.attributes.indices {
    let attribute = database.attributes[index]
    func hexadecimal(_ number: UInt16?) -> String { String(number ?? 0, radix: 16) }
    var line =
      "\(index + 1) \(hexadecimal(attribute.type.short)) \(hexadecimal(UInt16(attribute.properties.rawValue)))"
    if case .service = attribute.value { line += " to \(attribute.groupEnd.rawValue)" }
    if case .clientConfiguration(let slot) = attribute.value { line += " slot \(slot)" }
    if attribute.isVacant { line += " vacant" }
    lines.append(line)
  }
  return lines
}

@Suite("GATT database: declarations")
struct GATTDeclarationTests {
  @Test("Handles follow the order; a value that is notified or indicated has a configuration")
  func order() {
    let database = GATTDatabase<15> {
      Service(.batteryService, isPrimary: false) {}
      Service(.genericAttributeService) {
        Attribute.include(serviceAt: AttributeHandle(rawValue: 0x0001))
        Characteristic(.serviceChanged, .indicate, value: .none)
        Characteristic(.databaseHash, .read, value: .databaseHash)
        Characteristic(.batteryLevel, .read | .notify, value: .number(0x64, byteCount: 1)) {
          Attribute.descriptor(.characteristicUserDescription, .read, .text(StaticText("Level")))
          Attribute.descriptor(
            .characteristicPresentationFormat, .read, .number(0x04, byteCount: 7))
        }
        Characteristic(.alertLevel, .write, value: .application(.alert))
      }
    }
    // Properties: read 0x02, write 0x08, notify 0x10, indicate 0x20.
    expect(
      lines(of: database),
      is: [
        "1 2801 2 to 1", "2 2800 2 to 15", "3 2802 2", "4 2803 20", "5 2a05 20", "6 2902 a slot 0",
        "7 2803 2", "8 2b2a 2", "9 2803 12", "10 2a19 12", "11 2902 a slot 1", "12 2901 2",
        "13 2904 2", "14 2803 8", "15 2a06 8",
      ])
  }

  @Test("Unused capacity is vacant, belongs to no service, and leaves the hash unchanged")
  func room() {
    func declaration() -> some GATTDeclaration {
      Service(.batteryService) {
        Characteristic(.batteryLevel, .read, value: .number(0x64, byteCount: 1))
      }
    }
    let exact = GATTDatabase<3> { declaration() }
    let roomy = GATTDatabase<5> { declaration() }
    expect(lines(of: exact), is: ["1 2800 2 to 3", "2 2803 2", "3 2a19 2"])
    expect(lines(of: roomy), is: lines(of: exact) + ["4 0 0 vacant", "5 0 0 vacant"])
    let hashesAreSame = roomy.hash == exact.hash
    expect(hashesAreSame)

    let controller = ScriptedServer<1, GATTDatabase<5>>(database: GATTDatabase { declaration() })
    controller.connect()
    controller.exchange([0x0A, 0x03, 0x00], gives: [0x0B, 0x64])
    controller.exchange([0x0A, 0x04, 0x00], gives: error(0x0A, 0x0004, .invalidHandle))
    controller.exchange(
      [0x04, 0x04, 0x00, 0xFF, 0xFF], gives: error(0x04, 0x0004, .attributeNotFound))
  }

  @Test("A capacity that is too small stops the program")
  func noRoom() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = GATTDatabase<2> {
        Service(.batteryService) {
          Characteristic(.batteryLevel, .read, value: .number(0x64, byteCount: 1))
        }
      }
    }
    // A release build stops without its message.
    #if DEBUG
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      expect(message.contains("declares more attributes than"))
    #else
      expect(result != nil)
    #endif
  }
}
