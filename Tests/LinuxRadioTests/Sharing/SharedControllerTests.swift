import BluetoothCentral
import BluetoothHost
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

/// Two hosts on one controller, as their peers know them.
struct SharedControllerTests {
  @Test func bothRolesWorkAtOnce() throws {
    let stage = try SharedStage()
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    #expect(stage.device.radio.connectionHandles.count == 2)
    #expect(stage.device.program.second.host.connectionCount == 1)
    #expect(stage.device.program.first.links == [visit])

    for _ in 0..<3 {
      #expect(stage.askBall(visit) != nil)
      #expect(stage.askDevice(call) != nil)
    }
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    stage.expectTidy()
  }

  @Test func itIsScannedWhileItAdvertises() throws {
    let stage = try SharedStage()
    stage.device.program.first.central.scan()
    stage.run(for: 1_000)
    #expect(stage.device.radio.isScanning && stage.device.radio.isAdvertising)
    let heard = stage.device.program.first.count { event in
      guard case .discovered(let found) = event else { return false }
      return found.address == SharedStage.ballAddress
    }
    #expect(heard > 0)
    try stage.expectWorking()
  }

  @Test(arguments: [SharedHalf.first, .second]) func oneJoinsLater(half: SharedHalf) throws {
    let stage = try SharedStage(joined: [half == .first ? .second : .first])
    if half == .second {
      let visit = try stage.visitBall()
      stage.device.program.join(.second, at: stage.now)
      let call = try stage.visitDevice()
      #expect(stage.askDevice(call) != nil)
      #expect(stage.askBall(visit) != nil)
      #expect(stage.device.program.first.links == [visit])
    } else {
      let call = try stage.visitDevice()
      stage.device.program.join(.first, at: stage.now)
      let visit = try stage.visitBall()
      #expect(stage.askBall(visit) != nil)
      #expect(stage.askDevice(call) != nil)
      #expect(stage.phone.program.links == [call])
    }
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    stage.expectTidy()
  }

  @Test(arguments: [1, 2, 3, 8] as [UInt8], [true, false])
  func theBuffersAreDivided(count: UInt8, sharesBuffers: Bool) throws {
    let stage = try SharedStage(
      controller: ControllerConfiguration(
        aclDataLength: 27, aclPacketCount: count, sharesBuffers: sharesBuffers))
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    for _ in 0..<3 {
      // Both at once: neither waits for the other to be done.
      let question = Array("Will a question that takes several packets be answered?".utf8)
      let central = stage.device.program.first.central
      central.perform(.exchangeMTU(.maximum), on: visit)
      let write = central.perform(.write(AttributeHandle(rawValue: 0x1D), question), on: visit)
      #expect(stage.askDevice(call) != nil)
      stage.run(within: 10_000) { stage.device.program.first.outcomes[write] != nil }
      #expect(stage.device.program.first.outcomes[write] == .success(.written))
    }
    stage.expectTidy()
  }

  @Test func oneThatHadAllBuffersMakesRoom() throws {
    let stage = try SharedStage(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 4), joined: [.first])
    let visit = try stage.visitBall()
    stage.device.program.join(.second, at: stage.now)
    let call = try stage.visitDevice()
    let central = stage.device.program.first.central
    central.perform(.exchangeMTU(.maximum), on: visit)
    var writes: [OperationID] = []
    for _ in 0..<5 {
      let question = [UInt8](repeating: UInt8(ascii: "a"), count: 400)
      writes.append(
        central.perform(.writeWithoutResponse(AttributeHandle(rawValue: 0x1D), question), on: visit)
      )
    }
    #expect(stage.askDevice(call) != nil)
    #expect(stage.askBall(visit) != nil)
    for write in writes { #expect(stage.device.program.first.outcomes[write] != nil) }
    stage.expectTidy()
  }

  @Test func randomAddressesDoNotCollide() throws {
    let stage = try SharedStage(joined: []) { $0.prefersRandomAddress = true }
    stage.device.program.second = try PlainBall(
      "Device",
      address: .random(.staticRandom([2, 2, 2, 2, 2, 2])))
    stage.device.program.join(.second, at: stage.now)
    stage.settle()
    stage.device.program.join(.first, at: stage.now)
    stage.settle()
    #expect(stage.device.radio.randomAddress == .staticRandom([2, 2, 2, 2, 2, 2]))
    let visit = try stage.visitBall()
    #expect(stage.askBall(visit) != nil)
  }

  @Test func itEndsWhenBothHaveEnded() throws {
    let stage = try SharedStage(joined: [.second])
    #expect(!stage.device.isFinished)
    stage.device.program.shutDown(at: stage.now)
    stage.settle()
    #expect(stage.device.isFinished)
    #expect(!stage.device.radio.isAdvertising)
  }
}
