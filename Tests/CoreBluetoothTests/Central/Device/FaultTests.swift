import BluetoothHost
import Expectations
import LinuxRadio

@testable import CoreBluetooth

@Suite("A controller that fails under a central")
struct FaultTests {
  private func fail(_ radio: ScriptedRadio) {
    radio.give(ScriptedRadio.event(HardwareError(hardwareCode: 0x42)))
    radio.pass(5_000)
  }

  @Test("ends everything: the fault comes first, operations end before their link")
  func order() {
    let (central, radio, link) = connectedDevice()
    let read = central.perform(.read(handle(3)), on: link)
    radio.run()
    radio.held = [.leCreateConnection]
    let attempt = central.connect(to: .numbered(3))
    let waiting = central.connect(to: .numbered(4))
    radio.run()
    radio.held = []
    fail(radio)
    expect(
      radio.takeEvents(),
      is: [
        .controllerError(.hardwareError(0x42)), .completed(read, link, .failure(.disconnected)),
        .disconnected(link, .radioLost), .connectionFailed(attempt, .radioLost),
        .connectionFailed(waiting, .radioLost), .ready,
      ])
  }

  @Test("is reported as broken once, after three faults without hearing a peer in between")
  func inARow() {
    let (_, radio) = readyDevice()
    for _ in 0..<5 { fail(radio) }
    let fault = ControllerError.hardwareError(0x42)
    expect(
      radio.takeEvents(),
      is: [
        .controllerError(fault), .ready, .controllerError(fault), .ready, .radioFailed(fault),
        .ready, .controllerError(fault), .ready, .controllerError(fault), .ready,
      ])
  }

  @Test("has another three faults after a peer was heard or connected", arguments: [true, false])
  func heard(connects: Bool) {
    let (central, radio) = readyDevice()
    for _ in 0..<4 {
      fail(radio)
      if connects { _ = central.connect(to: .numbered(2)) } else { central.scan() }
      radio.run()
      if !connects { radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), [])) }
    }
    expect(!radio.takeEvents().contains(.radioFailed(.hardwareError(0x42))))
  }

  @Test("is lost, also for waiting attempts; the next one starts again, without the scan")
  func lost() {
    let (central, radio) = readyDevice()
    radio.held = [.leCreateConnection]
    central.scan()
    let attempt = central.connect(to: .numbered(3))
    let waiting = central.connect(to: .numbered(4))
    radio.run()
    radio.device.radioIsLost(RadioError("unplugged"), at: radio.now)
    expect(
      radio.takeEvents(),
      is: [
        .radioFailed(.lost), .connectionFailed(attempt, .radioLost),
        .connectionFailed(waiting, .radioLost),
      ])
    radio.pass(10_000)
    expect(radio.takePacket(), is: nil)
    let count = radio.commands.count { $0 == .leSetScanEnable }
    radio.device.radioIsReady(at: radio.now)
    expect(radio.runEvents(), is: [.ready])
    expect(radio.commands.count { $0 == .leSetScanEnable }, is: count)
    central.scan()
    radio.run()
    expect(radio.scan, is: ScanParameters())
  }

  @Test("ends a link with the reason that the host also gives for a fault")
  func ownReason() {
    let (_, radio, link) = connectedDevice()
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x03))
    expect(radio.takeEvents(), is: [.disconnected(link, .disconnected(.hardwareFailure))])
  }
}
