import BluetoothHost
import Testing
import VirtualRadio

@Suite("What the ball does about faults of its controller")
struct RadioFaultTests {
  @Test("A Hardware Error ends every link, is reported, and is repaired at once")
  func hardwareError() throws {
    let stage = try Stage<4>()
    let phones = try (0..<2).map { _ in try stage.connectedPhone(mtu: 185) }
    stage.subscribe(phones[0])
    stage.events = []
    stage.radio.fail(hardwareCode: 0x42)
    stage.run(for: 0)
    #expect(
      stage.events == [
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

  @Test("A controller with only mandatory commands is enough")
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

  /// Symptom: a ball for one central never advertised again.
  @Test("A link whose end is not reported is noticed within two minutes")
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

  /// Symptom: the ball reported for ever that it was advertising.
  @Test("A link that is not reported is ended when data comes over it, or when it ends")
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

  @Test("A controller that silently loses everything is detected through its links")
  func silentReset() throws {
    for capacity in 1...2 {
      let stage = try Stage<2>()
      let phones = try (0..<capacity).map { _ in try stage.connectedPhone() }
      stage.radio.fail(hardwareCode: nil)
      #expect(stage.host.connectionCount == capacity)
      stage.run(within: 240_000) { stage.isInviting && stage.host.connectionCount == 0 }
      stage.settle()
      stage.expectHealthy()
      try stage.connect(phones[0])
      stage.subscribe(phones[0])
      _ = stage.write("Are you back?", by: phones[0])
      #expect(phones[0].answers.count == 1)
    }
  }

  /// Symptom: the ball reported that it advertised, and no central could ever find it.
  @Test("A controller that silently loses everything while advertising is detected within 32 s")
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

  @Test("A silent link is checked once a minute, and one with packets is not")
  func checks() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone()
    let readRSSI = HCIOpcode(rawValue: 0x1405)
    func count() -> Int { stage.commands.filter { $0 == readRSSI }.count }
    // Nothing has come over it since the connection.
    stage.run(for: 180_001)
    #expect(count() == 3)
    for _ in 0..<6 {
      _ = stage.readText(Handles.deviceName, by: phone)
      stage.run(for: 30_000)
    }
    #expect(count() == 3)
    #expect(phone.isConnected)
    // A controller without the command does not receive it again.
    stage.radio.faults.leaveUnanswered(readRSSI)
    stage.run(for: 600_000)
    #expect(count() == 4)
    #expect(phone.isConnected)
    stage.disconnect(phone)
    stage.run(for: 600_000)
    #expect(count() == 4)
  }

  @Test("Buffers that are not returned end only the links that used them")
  func lostCompletions() throws {
    let stage = try Stage<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 2))
    let phones = try (0..<2).map { _ in try stage.connectedPhone() }
    stage.radio.faults.loseCompletions(1)
    #expect(stage.readText(Handles.deviceName, by: phones[0]) == "Ball")
    // One buffer seems used, and the other is for the second link. The supervision timeout of 2 s
    // and the host's time limit of 2 s for the controller pass; then the first link ends.
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

  @Test("A central out of reach holds the only buffer until its supervision timeout at the latest")
  func heldBuffer() throws {
    let stage = try Stage<2>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1))
    let far = try stage.connectedPhone()
    let near = try stage.connectedPhone()
    stage.subscribe(far)
    let link = try #require(far.link)
    far.central.perform(.write(Handles.question, Array("Far?".utf8)), on: link)
    // The question is in the ball's controller, and its answer will reach no central.
    while !stage.events.contains(.asked(0, "Far?")) { #expect(stage.carryOne()) }
    stage.air.setSignalStrength(nil, from: stage.radio, to: far.radio)
    stage.settle()
    #expect(stage.write("Near?", by: near) == .success(.written))
    #expect(stage.now.rawValue <= 2_000)
    #expect(stage.events.contains(.disconnected(0, .connectionTimeout)))
    stage.expectHealthy()
  }

  @Test("A fault of one central does not affect another")
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

  @Test("A ball whose controller is unplugged and plugged in 100 times keeps working")
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
