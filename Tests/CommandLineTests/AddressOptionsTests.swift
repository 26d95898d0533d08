import BluetoothHost
import LinuxRadio
import Testing

@testable import eightball

@Suite("The address of a program")
struct AddressOptionsTests {
  private let address = DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])
  private let arguments = ["--address", "C0:00:00:00:00:07"]

  @Test("run, ask and scan take it")
  func taken() throws {
    #expect(try Run.parse(arguments).addressOptions.choice == .fixed(address))
    #expect(try Ask.parse(["--random"] + arguments).addressOptions.choice == .fixed(address))
    #expect(try ListDevices.parse(arguments).addressOptions.choice == .fixed(address))
  }

  @Test("An invalid address is refused with the reason")
  func refused() throws {
    let error = #expect(throws: (any Error).self) {
      try ListDevices.parse(["--address", "FF:FF:FF:FF:FF:FF"])
    }
    #expect(ListDevices.message(for: try #require(error)).contains("at least one must be 0"))
  }
}
