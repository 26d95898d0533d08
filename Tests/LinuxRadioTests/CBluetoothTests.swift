import CBluetooth
import Testing

@testable import LinuxRadio

@Suite("The declarations of CBluetooth in Swift")
struct CBluetoothTests {
  /// This compiles only while both declare the same types.
  @Test("have the header's types")
  func types() {
    func areAlike<Function>(_ header: Function, _ ours: Function) -> Bool { true }
    #expect(
      unsafe areAlike(CBluetooth.cbluetooth_find_adapter, LinuxRadio.cbluetooth_find_adapter))
    #expect(
      unsafe areAlike(CBluetooth.cbluetooth_list_adapters, LinuxRadio.cbluetooth_list_adapters))
    #expect(areAlike(CBluetooth.cbluetooth_take_down, LinuxRadio.cbluetooth_take_down))
    #expect(areAlike(CBluetooth.cbluetooth_bring_up, LinuxRadio.cbluetooth_bring_up))
    #expect(
      areAlike(CBluetooth.cbluetooth_open_user_channel, LinuxRadio.cbluetooth_open_user_channel))
  }
}
