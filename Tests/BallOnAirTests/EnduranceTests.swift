import BluetoothHost
import Testing
import VirtualRadio

@Suite("Long runs leave nothing behind")
struct EnduranceTests {
  @Test("1,000 questions on one link are each answered once")
  func questions() throws {
    let stage = try Stage<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 2))
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    for number in 0..<1_000 {
      let text = "Is \(number) the number that I have been looking for all along?"
      #expect(stage.write(text, by: phone) == .success(.written))
      #expect(phone.answers.count == number + 1)
      stage.sent.removeAll()
    }
    stage.expectHealthy()
    let asked = stage.events.filter { if case .asked = $0 { true } else { false } }
    #expect(asked.count == 1_000)
    #expect(!stage.events.contains { if case .missed = $0 { true } else { false } })
    // Each of the twenty is as likely as the others: about 50 of each.
    for text in texts {
      let count = phone.answers.filter { $0 == text }.count
      #expect((20...90).contains(count), "\(text) \(count) times")
    }
  }

  @Test("200 links one after another are each asked on", arguments: [1, 0])
  func reconnections(_ buffersLost: Int) throws {
    let stage = try Stage<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 3))
    let phone = stage.phone()
    for number in 0..<200 {
      try stage.connect(phone)
      if number % 2 == 0 { stage.subscribe(phone) }
      phone.forget()
      #expect(stage.write("Number?", by: phone) == .success(.written))
      #expect(phone.answers.count == (number % 2 == 0 ? 1 : 0))
      if buffersLost > 0, number % 2 == 0 {
        // The link ends with a packet in the controller, whose completion is never reported.
        stage.radio.faults.loseCompletions(buffersLost)
        _ = stage.readText(Handles.answer, by: phone)
      }
      stage.disconnect(phone)
      stage.sent.removeAll()
      stage.expectHealthy()
    }
  }

  @Test("200 links end while the answer is on its way")
  func abandoned() throws {
    let stage = try Stage<2>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1))
    let phone = stage.phone()
    for number in 0..<200 {
      try stage.connect(phone)
      stage.subscribe(phone)
      let link = try #require(phone.link)
      phone.central.perform(.write(Handles.question, Array("Why?".utf8)), on: link)
      for _ in 0..<(number % 12) { _ = stage.carryOne() }
      if number % 3 == 0 {
        stage.host.disconnectAll()
        stage.run(within: 5_000) { phone.link == nil }
        stage.settle()
      } else {
        stage.disconnect(phone)
      }
      stage.expectHealthy()
    }
  }
}
