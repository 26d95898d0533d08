import BluetoothHost
import EightBall
import Testing
import VirtualRadio

@Suite("The ball is found")
struct DiscoveryTests {
  /// 31 bytes of advertisement, less 3 of flags, 18 of service and 2 of the name's own header,
  /// leave 8 for the name.
  @Test(
    "A name of up to 8 bytes is in the advertisement, a longer one in the scan response",
    arguments: [
      ("B", true), ("12345678", true), ("123456789", false), ("Magic 8-Ball", false),
      ("29 bytes of name, and no more", false), ("Kugelche", true), ("Kügelche", false),
    ])
  func name(_ name: String, isAdvertised: Bool) throws {
    let stage = try Stage<4>(name: name)
    for isActive in [false, true] {
      let phone = stage.phone()
      var options = ScanParameters()
      options.isActive = isActive
      phone.central.scan(options)
      stage.run(for: 1_000)
      let discovery = try #require(phone.discovery(of: stage.ballAddress))
      #expect(discovery.serviceUUIDs == [.ballService])
      #expect(discovery.isConnectable)
      #expect(discovery.name == (isAdvertised || isActive ? name : nil))
      #expect(discovery.isNameComplete == (isAdvertised || isActive))
      stage.dismiss(phone)
    }
    // The GAP Device Name equals the advertised one.
    let phone = try stage.connectedPhone()
    #expect(stage.readText(Handles.deviceName, by: phone) == name)
  }

  @Test("The signal strength is the air's")
  func rssi() throws {
    let stage = try Stage<4>()
    let near = stage.phone()
    let far = stage.phone()
    let beyond = stage.phone()
    stage.air.setSignalStrength(-37, from: stage.radio, to: near.radio)
    stage.air.setSignalStrength(-91, from: stage.radio, to: far.radio)
    stage.air.setSignalStrength(nil, from: stage.radio, to: beyond.radio)
    for phone in [near, far, beyond] { phone.central.scan() }
    stage.run(for: 1_000)
    #expect(near.discovery(of: stage.ballAddress)?.rssi == -37)
    #expect(far.discovery(of: stage.ballAddress)?.rssi == -91)
    #expect(beyond.discovery(of: stage.ballAddress) == nil)
  }

  @Test("A ball with a random address is found and asked under it")
  func randomAddress() throws {
    let random = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])
    let stage = try Stage<4>(address: .random(random))
    #expect(stage.host.address == random)
    let asker = stage.ask("Who are you?")
    stage.run(within: 10_000) { asker.isFinished }
    #expect(asker.isAnswered)
    #expect(asker.events.contains(.connected(random)))
  }
}
