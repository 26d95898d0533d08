import BluetoothHost
import EightBall
import Testing
import VirtualRadio

@Suite("A central finds the ball")
struct DiscoveryTests {
  @Test("The signal strength is that of the air")
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

  @Test("A ball with a random address is found and asked at it")
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
