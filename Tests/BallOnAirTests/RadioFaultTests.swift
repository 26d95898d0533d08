import BluetoothHost
import Testing
import VirtualRadio

@Suite("What the ball does about its own controller")
struct RadioFaultTests {
  @Test("A Hardware Error ends every link, is reported, and is mended at once")
  func hardwareError() throws {
    let stage = try Stage<4>()
    let phones = try (0..<2).map { _ in try stage.connectedPhone(mtu: 185) }
    stage.subscribe(phones[0])
    stage.told = []
    stage.radio.fail(hardwareCode: 0x42)
    stage.run(for: 0)
    #expect(
      stage.told == [
        .disconnected(0, .hardwareFailure), .disconnected(1, .hardwareFailure),
        .radio(.fault(.hardwareError(0x42))), .radio(.silent), .radio(.advertising),
      ])
    stage.run(for: 3_000)
    for phone in phones { #expect(phone.ending == .connectionTimeout) }
    try stage.connect(phones[0])
    stage.subscribe(phones[0])
    _ = stage.write("Again?", by: phones[0])
    #expect(phones[0].answers.count == 1)
    stage.expectHealthy()
  }

  @Test("A controller that refuses to start is tried again, every two seconds")
  func refusesToStart() throws {
    let stage = try Stage<4>(isStarted: false)
    stage.radio.faults.refuse(.reset, with: .hardwareFailure, times: 5)
    stage.host.start(at: stage.now)
    stage.run(for: 9_999)
    #expect(stage.commands == [HCIOpcode](repeating: .reset, count: 5))
    #expect(stage.host.radio == .fault(.refused(.reset, .hardwareFailure)))
    stage.run(for: 2)
    #expect(stage.isInviting)
    stage.expectHealthy()
  }

  @Test("A controller that says nothing is reset until it does")
  func silent() throws {
    let stage = try Stage<4>(isStarted: false)
    stage.radio.faults.leaveUnanswered(times: 4)
    stage.host.start(at: stage.now)
    stage.run(for: 7_999)
    #expect(stage.commands == [HCIOpcode](repeating: .reset, count: 4))
    #expect(stage.host.radio == .fault(.unanswered(.reset)))
    stage.run(for: 2)
    #expect(stage.isInviting)
  }

  @Test("A controller that answers only what it must")
  func bareController() throws {
    let stage = try Stage<4>(isStarted: false)
    for opcode in [
      HCIOpcode.readBDADDR, .leSetEventMask, .leReadBufferSize, .readBufferSize,
      .leReadLocalSupportedFeatures,
    ] {
      stage.radio.faults.refuse(opcode, with: .unknownCommand, times: 100)
    }
    stage.host.start(at: stage.now)
    stage.settle()
    #expect(stage.isInviting)
    let phone = try stage.connectedPhone(mtu: 517)
    stage.subscribe(phone)
    _ = stage.write(String(repeating: "why ", count: 127) + "me ?", by: phone)
    #expect(phone.answers.count == 1)
  }

  @Test(
    "Advertising that is refused is tried again after a reset",
    arguments: [HCIErrorCode.commandDisallowed, .connectionLimitExceeded, .hardwareFailure])
  func advertisingRefused(_ status: HCIErrorCode) throws {
    let stage = try Stage<4>(isStarted: false)
    stage.radio.faults.refuse(.leSetAdvertisingEnable, with: status)
    stage.host.start(at: stage.now)
    stage.settle()
    #expect(stage.host.radio == .fault(.refused(.leSetAdvertisingEnable, status)))
    stage.run(for: 2_000)
    stage.settle()
    stage.expectHealthy()
  }

  /// Symptom: a ball with one place never advertised again.
  @Test("A link whose end is not told of is missed within two minutes")
  func lostEnd() throws {
    let stage = try Stage<1>()
    let phone = try stage.connectedPhone()
    _ = stage.readText(Handles.deviceName, by: phone)
    stage.radio.faults.losePacket(type: .event)
    stage.disconnect(phone)
    #expect(stage.radio.connectionHandles == [])
    #expect(stage.host.connectionCount == 1)
    stage.run(within: 120_000) { stage.isInviting }
    stage.expectHealthy()
    try stage.connect(phone)
  }

  /// Symptom: the ball thought that it was advertising, for ever.
  @Test("A link that is not told of is ended once data comes over it, or when it ends")
  func lostBeginning() throws {
    let stage = try Stage<4>()
    let phone = stage.phone()
    for sendsData in [true, false] {
      stage.radio.faults.losePacket(type: .event)
      try stage.connect(phone)
      #expect(stage.host.connectionCount == 0)
      #expect(!stage.radio.isAdvertising)
      if sendsData {
        let link = try #require(phone.link)
        phone.central.perform(.read(Handles.deviceName), on: link)
        stage.run(within: 3_000) { phone.ending != nil }
        #expect(phone.ending == .remoteUserTerminatedConnection)
      } else {
        stage.disconnect(phone)
      }
      stage.settle()
      stage.expectHealthy()
    }
  }

  @Test("A controller that loses everything without a word is found out by its links")
  func silentReset() throws {
    for places in 1...2 {
      let stage = try Stage<2>()
      let phones = try (0..<places).map { _ in try stage.connectedPhone() }
      stage.radio.fail(hardwareCode: nil)
      #expect(stage.host.connectionCount == places)
      stage.run(within: 240_000) { stage.isInviting && stage.host.connectionCount == 0 }
      stage.settle()
      stage.expectHealthy()
      try stage.connect(phones[0])
      stage.subscribe(phones[0])
      _ = stage.write("Are you back?", by: phones[0])
      #expect(phones[0].answers.count == 1)
    }
  }

  /// Symptom: the ball said that it was advertising, and nobody could find it, for ever.
  @Test("A controller that loses everything while it advertises is found out within 32 s")
  func silentResetWhileAdvertising() throws {
    let stage = try Stage<4>()
    for _ in 0..<3 {
      stage.radio.fail(hardwareCode: nil)
      #expect(!stage.isInviting)
      stage.run(for: 31_999)
      #expect(!stage.isInviting)
      stage.run(for: 1)
      stage.settle()
      stage.expectHealthy()
      let phone = try stage.connectedPhone()
      stage.subscribe(phone)
      _ = stage.write("Are you back?", by: phone)
      #expect(phone.answers.count == 1)
      stage.disconnect(phone)
    }
  }

  @Test(
    "A controller with a Hardware Error for each Reset is reset at most once in 5 s, in the end")
  func hardwareErrors() throws {
    let stage = try Stage<4>()
    stage.sent = []
    for _ in 0..<60_000 {
      stage.radio.reportHardwareError(0x42)
      stage.run(for: 1)
    }
    // At 0, 0.25, 0.75, 1.75, 3.75 and 7.75 s, then every 5 s: 6 + 10.
    #expect((15...17).contains(stage.commands.filter { $0 == .reset }.count))
    stage.run(for: 5_000)
    stage.settle()
    stage.expectHealthy()
  }

  @Test("A silent link is asked after once a minute, and one that is heard is not")
  func checks() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone()
    let readRSSI = HCIOpcode(rawValue: 0x1405)
    func count() -> Int { stage.commands.filter { $0 == readRSSI }.count }
    // Nothing has come over it but the connection itself.
    stage.run(for: 180_001)
    #expect(count() == 3)
    for _ in 0..<6 {
      _ = stage.readText(Handles.deviceName, by: phone)
      stage.run(for: 30_000)
    }
    #expect(count() == 3)
    #expect(phone.isConnected)
    // A controller that does not know how is not asked again.
    stage.radio.faults.leaveUnanswered(readRSSI)
    stage.run(for: 600_000)
    #expect(count() == 4)
    #expect(phone.isConnected)
    stage.disconnect(phone)
    stage.run(for: 600_000)
    #expect(count() == 4)
  }

  @Test("Buffers that do not come back cost the links they were used on, and no other time")
  func lostCompletions() throws {
    let stage = try Stage<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 2))
    let phones = try (0..<2).map { _ in try stage.connectedPhone() }
    stage.radio.faults.loseCompletions(1)
    #expect(stage.readText(Handles.deviceName, by: phones[0]) == "Ball")
    // One buffer seems taken, and the other is for the second link. The supervision time-out of 2 s
    // and the controller's patience of 2 s pass; then the first link goes.
    let link = try #require(phones[0].link)
    let operation = phones[0].central.perform(.read(Handles.deviceName), on: link)
    #expect(stage.readText(Handles.deviceName, by: phones[1]) == "Ball")
    stage.run(for: 4_100)
    #expect(phones[0].outcomes[operation] != .success(.value(Array("Ball".utf8))))
    #expect(phones[0].ending == .remoteUserTerminatedConnection)
    #expect(stage.readText(Handles.deviceName, by: phones[1]) == "Ball")
    #expect(phones[1].isConnected)
    stage.expectHealthy()
  }

  @Test("A central out of reach holds the only buffer no longer than its supervision time-out")
  func heldBuffer() throws {
    let stage = try Stage<2>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1))
    let far = try stage.connectedPhone()
    let near = try stage.connectedPhone()
    stage.subscribe(far)
    let link = try #require(far.link)
    far.central.perform(.write(Handles.question, Array("Far?".utf8)), on: link)
    // The question is with the ball's controller, and its answer will find nobody.
    while !stage.told.contains(.asked(0, "Far?")) { #expect(stage.carryOne()) }
    stage.air.setSignalStrength(nil, from: stage.radio, to: far.radio)
    stage.settle()
    #expect(stage.write("Near?", by: near) == .success(.written))
    #expect(stage.now.rawValue <= 2_000)
    #expect(stage.told.contains(.disconnected(0, .connectionTimeout)))
    stage.expectHealthy()
  }

  @Test("What goes wrong at one central is nothing to another")
  func bystander() throws {
    let stage = try Stage<4>()
    let bystander = try stage.connectedPhone(mtu: 185)
    stage.subscribe(bystander)
    var count = 0
    for (index, fault) in (Fault.failures + Fault.packets + Fault.cuts).enumerated() {
      let asker = stage.ask("Will it rain?")
      for _ in 0..<(30 + index * 3) {
        if !stage.carryOne() { _ = stage.passTime(until: stage.now.advanced(by: 200)) }
      }
      fault.strike(asker.radio)
      for _ in 0..<3 {
        #expect(stage.write("Me?", by: bystander) == .success(.written), "\(fault)")
        count += 1
        #expect(bystander.answers.count == count, "\(fault)")
        stage.run(for: 1_000)
      }
      stage.run(within: 60_000) { asker.isFinished }
      stage.dismiss(asker)
      stage.run(for: 3_000)
      #expect(bystander.isConnected, "\(fault)")
      stage.expectHealthy()
    }
  }

  @Test("A ball is unplugged and plugged in again, 100 times")
  func replugged() throws {
    let stage = try Stage<2>()
    for number in 0..<100 {
      let phone = try stage.connectedPhone()
      stage.subscribe(phone)
      _ = stage.write("Number \(number)?", by: phone)
      #expect(phone.answers.count == 1)
      stage.ballVanishes()
      stage.run(for: 1_000)
      #expect(stage.host.deadline == nil)
      stage.ballReturns()
      stage.run(within: 5_000) { stage.isInviting }
      stage.expectHealthy()
      stage.dismiss(phone)
    }
  }
}
