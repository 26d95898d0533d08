import BluetoothHost
import Testing
import VirtualRadio

@Suite("Several centrals at once")
struct CrowdTests {
  @Test("Each of four centrals has its own question, answer, subscription and MTU")
  func four() throws {
    let stage = try Stage<4>()
    var phones: [Phone] = []
    for (index, mtu) in [nil, 50, 185, 517].enumerated() {
      #expect(stage.isInviting)
      phones.append(try stage.connectedPhone(mtu: mtu))
      #expect(stage.host.connectionCount == index + 1)
    }
    stage.expectHealthy()
    #expect(phones.map(\.mtu) == [23, 50, 185, 517])

    // The first two subscribe, and all but the second ask.
    stage.subscribe(phones[0])
    stage.subscribe(phones[1])
    for index in [0, 2, 3] {
      #expect(stage.write("Am I number \(index)?", by: phones[index]) == .success(.written))
      #expect(stage.events.contains(.asked(index, "Am I number \(index)?")))
    }
    #expect(phones.map(\.answers.count) == [1, 0, 0, 0])
    #expect(stage.readText(Handles.answer, by: phones[1]) == "")
    let answers = phones.map { stage.readText(Handles.answer, by: $0) ?? "" }
    #expect(phones[0].answers.first.map { answers[0].hasPrefix($0) } == true)

    // One central's requests do not affect the others.
    stage.subscribe(phones[2])
    #expect(phones.map(\.answers.count) == [1, 0, 1, 0])
    #expect(phones[2].answers == [answers[2]])
    stage.subscribe(phones[0], .none)
    _ = stage.write("Again?", by: phones[0])
    #expect(phones.map(\.answers.count) == [1, 0, 1, 0])
    #expect(stage.readText(Handles.answer, by: phones[3]) == answers[3])
    func configuration(_ phone: Phone) -> Outcome? {
      stage.perform(.read(Handles.configuration), by: phone)
    }
    #expect(
      phones.map(configuration)
        == [[0, 0], [1, 0], [1, 0], [0, 0]].map { .success(.value($0)) })
  }

  @Test("A fifth central finds the ball only after one of the four leaves")
  func fifth() throws {
    let stage = try Stage<4>()
    let phones = try (0..<4).map { _ in try stage.connectedPhone() }
    stage.expectHealthy()
    #expect(!stage.radio.isAdvertising)
    let fifth = stage.phone()
    fifth.connect(to: stage.ballAddress, timeout: 3_000, at: stage.now)
    stage.run(within: 10_000) { fifth.failure != nil }
    #expect(fifth.failure == .timedOut)
    #expect(!fifth.isConnected)
    let asker = stage.ask("May I?")
    stage.run(within: 20_000) { asker.isFinished }
    #expect(asker.outcome == .noBallFound)
    stage.dismiss(asker)

    stage.disconnect(phones[2])
    stage.expectHealthy()
    try stage.connect(fifth)
    stage.expectHealthy()
    // It has the free connection, without data of the previous central.
    #expect(stage.readText(Handles.answer, by: fifth) == "")
    stage.subscribe(fifth)
    _ = stage.write("Now?", by: fifth)
    #expect(stage.events.contains(.asked(2, "Now?")))
    #expect(fifth.answers.count == 1)
  }

  @Test("A reused connection has no data of the previous central")
  func successor() throws {
    let stage = try Stage<1>()
    let first = try stage.connectedPhone(mtu: 517)
    let raw = RawLink(first)
    _ = stage.write("Shall I?", by: first)
    _ = raw.ask([0x16, 0x1D, 0x00, 0, 0] + Array("Half a".utf8), on: stage)
    // Half a frame is also on its way.
    let handle = try #require(first.radio.connectionHandles.first)
    raw.sendFragment([20, 0, 4, 0, 0x12, 0x1D], on: handle, isFirst: true)
    stage.disconnect(first)
    stage.expectHealthy()

    let second = try stage.connectedPhone()
    #expect(second.mtu == 23)
    #expect(stage.readText(Handles.answer, by: second) == "")
    stage.subscribe(second)
    #expect(second.answers == [])
    let other = RawLink(second)
    let next = try #require(second.radio.connectionHandles.first)
    other.sendFragment([0x00, 0x3F, 0x3F], on: next, isFirst: false)
    stage.settle()
    #expect(other.ask([0x18, 0x01], on: stage) == [0x19])
    #expect(second.answers == [])
    // The MTU is 23 again: a longer request is malformed.
    #expect(
      other.ask([0x12, 0x1D, 0x00] + [UInt8](repeating: 0x3F, count: 21), on: stage)
        == [0x01, 0x12, 0x00, 0x00, 0x04])
  }

  @Test("A controller may have fewer links than the ball")
  func smallController() throws {
    let stage = try Stage<4>(controller: ControllerConfiguration(maximumLinks: 2))
    let phones = try (0..<2).map { _ in try stage.connectedPhone(mtu: 185) }
    #expect(stage.host.radio == .silent)
    #expect(!stage.radio.isAdvertising)
    stage.run(for: 60_000)
    stage.subscribe(phones[0])
    _ = stage.write("Still there?", by: phones[0])
    #expect(phones[0].answers.count == 1)
    stage.disconnect(phones[1])
    #expect(stage.isInviting)
    _ = try stage.connectedPhone()
  }
}
