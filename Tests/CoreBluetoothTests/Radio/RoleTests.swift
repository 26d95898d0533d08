import BluetoothHost
import LinuxRadio
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// Both roles of a device on one controller, as peers see them.
struct RoleTests {
  @Test func bothRolesWorkAtOnce() throws {
    let stage = try RoleStage()
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    stage.settle()
    #expect(stage.device.radio.connectionHandles.count == 2)
    #expect(stage.device.program.device.host.connectionCount == 2)
    #expect(stage.device.program.links == [visit])

    for _ in 0..<3 {
      #expect(stage.askBall(visit) != nil)
      #expect(stage.askDevice(call))
    }
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    stage.expectTidy()
  }

  @Test func itScansWhileItAdvertises() throws {
    let stage = try RoleStage()
    stage.device.program.central.scan()
    stage.run(for: 1_000)
    #expect(stage.device.radio.isScanning && stage.device.radio.isAdvertising)
    let heard = stage.device.program.count { event in
      guard case .discovered(let found) = event else { return false }
      return found.address == RoleStage.ballAddress
    }
    #expect(heard > 0)
    try stage.expectWorking()
  }

  @Test func itAdvertisesLater() throws {
    let stage = try RoleStage(isPublished: false)
    let visit = try stage.visitBall()
    #expect(!stage.device.radio.isAdvertising)
    try stage.publish()
    let call = try stage.visitDevice()
    #expect(stage.askDevice(call))
    #expect(stage.askBall(visit) != nil)
    #expect(stage.device.program.links == [visit])
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    stage.expectTidy()
  }

  @Test(arguments: [1, 2, 3, 8] as [UInt8], [true, false])
  func neitherRoleTakesAllBuffers(count: UInt8, sharesBuffers: Bool) throws {
    let stage = try RoleStage(
      controller: ControllerConfiguration(
        aclDataLength: 27, aclPacketCount: count, sharesBuffers: sharesBuffers))
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    for _ in 0..<3 {
      // Both at once: neither waits for the other's end.
      let question = Array("Will a question that takes several packets be answered?".utf8)
      let central = stage.device.program.central
      central.perform(.exchangeMTU, on: visit)
      let write = central.perform(.write(handle(0x1D), question), on: visit)
      #expect(stage.askDevice(call))
      stage.run(within: 10_000) { stage.device.program.outcomes[write] != nil }
      #expect(stage.device.program.outcomes[write] == .success(.written))
    }
    stage.expectTidy()
  }

  @Test func aCentralThatHasMuchToWriteLeavesRoomForTheServer() throws {
    let stage = try RoleStage(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 4))
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    let central = stage.device.program.central
    central.perform(.exchangeMTU, on: visit)
    let writes = (0..<5).map { _ in
      let question = [UInt8](repeating: UInt8(ascii: "a"), count: 400)
      return central.perform(.writeWithoutResponse(handle(0x1D), question), on: visit)
    }
    #expect(stage.askDevice(call))
    #expect(stage.askBall(visit) != nil)
    for write in writes {
      #expect(stage.device.program.outcomes[write] == .success(.written))
    }
    stage.expectTidy()
  }

  /// A peripheral of one device and a central of another, over one link.
  @Test func aPeerIsReadOverTheLinkThatItMade() throws {
    let stage = try RoleStage()
    let call = try stage.visitDevice()
    // The phone has GAP's service at least, and its Device Name at 0x0003.
    let back = stage.device.program.central.connect(to: stage.phone.radio.address)
    let name = stage.device.program.central.perform(.readFirst(.deviceName), on: back)
    stage.run(within: 10_000) { stage.device.program.outcomes[name] != nil }
    guard case .success(.value(let bytes))? = stage.device.program.outcomes[name] else {
      Issue.record("\(stage.device.program.events)")
      return
    }
    #expect(!bytes.isEmpty)
    #expect(stage.askDevice(call))
    #expect(stage.device.radio.connectionHandles.count == 1)
    #expect(!stage.device.commands.contains(.leCreateConnection))
  }

  @Test func atMostEightCentralsConnect() throws {
    let stage = try RoleStage()
    let phones = (0..<9).map { _ in Seat(DeviceRunner(), on: stage.bench) }
    stage.settle()
    for phone in phones {
      _ = phone.program.central.connect(to: stage.deviceAddress)
      stage.run(for: 2_000)
    }
    #expect(phones.map(\.program.links.count) == [1, 1, 1, 1, 1, 1, 1, 1, 0])
    #expect(!stage.device.radio.isAdvertising)
    // The device can still make links itself.
    let visit = try stage.visitBall()
    #expect(stage.askBall(visit) != nil)
    #expect(stage.device.radio.connectionHandles.count == 9)
  }

  @Test func itEndsAllLinksAndStopsSending() throws {
    let stage = try RoleStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    #expect(!stage.device.program.isFinished)
    stage.device.program.central.scan()
    stage.settle()
    stage.device.program.shutDown(at: stage.now)
    stage.run(for: 1_000)
    #expect(stage.device.program.isFinished)
    #expect(stage.device.radio.connectionHandles.isEmpty)
    #expect(!stage.device.radio.isAdvertising && !stage.device.radio.isScanning)
  }
}
