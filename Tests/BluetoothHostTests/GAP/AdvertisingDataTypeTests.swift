import BluetoothHost
import Expectations

/// Assigned Numbers, 2.3.
private let types: [Row<(AdvertisingDataType, UInt8)>] = [
  Row("Flags", (.flags, 0x01)),
  Row("Incomplete List of 16-bit Service Class UUIDs", (.incompleteServiceUUIDs16, 0x02)),
  Row("Complete List of 16-bit Service Class UUIDs", (.completeServiceUUIDs16, 0x03)),
  Row("Incomplete List of 32-bit Service Class UUIDs", (.incompleteServiceUUIDs32, 0x04)),
  Row("Complete List of 32-bit Service Class UUIDs", (.completeServiceUUIDs32, 0x05)),
  Row("Incomplete List of 128-bit Service Class UUIDs", (.incompleteServiceUUIDs128, 0x06)),
  Row("Complete List of 128-bit Service Class UUIDs", (.completeServiceUUIDs128, 0x07)),
  Row("Shortened Local Name", (.shortenedLocalName, 0x08)),
  Row("Complete Local Name", (.completeLocalName, 0x09)),
  Row("Tx Power Level", (.txPowerLevel, 0x0A)),
  Row("List of 16-bit Service Solicitation UUIDs", (.solicitedServiceUUIDs16, 0x14)),
  Row("List of 128-bit Service Solicitation UUIDs", (.solicitedServiceUUIDs128, 0x15)),
  Row("Service Data - 16-bit UUID", (.serviceData16, 0x16)),
  Row("Appearance", (.appearance, 0x19)),
  Row("List of 32-bit Service Solicitation UUIDs", (.solicitedServiceUUIDs32, 0x1F)),
  Row("Service Data - 32-bit UUID", (.serviceData32, 0x20)),
  Row("Service Data - 128-bit UUID", (.serviceData128, 0x21)),
  Row("Manufacturer Specific Data", (.manufacturerSpecificData, 0xFF)),
]

@Suite("Advertising data: types")
struct AdvertisingDataTypeTests {
  @Test("Each type has its assigned number", arguments: types)
  func number(type: Row<(AdvertisingDataType, UInt8)>) {
    expect(type.value.0.rawValue, is: type.value.1)
  }
}
