import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Long runs leave nothing behind")
struct EnduranceTests {
  @Test("1,000 questions on one link are each answered once")
  func questions() throws {
    let scene = try Scene<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 2))
    let phone = try scene.connectedPhone(mtu: 185)
    scene.subscribe(phone)
    for number in 0..<1_000 {
      let text = "Is \(number) the number that I have been looking for all along?"
      expect(scene.write(text, by: phone), is: .success(.written))
      expect(phone.answers.count, is: number + 1)
      scene.sent.removeAll()
    }
    scene.expectHealthy()
    let asked = scene.events.filter { if case .asked = $0 { true } else { false } }
    expect(asked.count, is: 1_000)
    expect(!scene.events.contains { if case .missed = $0 { true } else { false } })
    // Each of the twenty is as likely as the others: about 50 of each.
    for text in answerTexts {
      let count = phone.answers.filter { $0 == text }.count
      expect((20...90).contains(count), "\(text) \(count) times")
    }
  }

  @Test("200 links one after another are each asked on", arguments: [1, 0])
  func reconnections(_ buffersLost: Int) throws {
    let scene = try Scene<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 3))
    let phone = scene.phone()
    for number in 0..<200 {
      try scene.connect(phone)
      if number % 2 == 0 { scene.subscribe(phone) }
      phone.forget()
      expect(scene.write("Number?", by: phone), is: .success(.written))
      expect(phone.answers.count, is: number % 2 == 0 ? 1 : 0)
      if buffersLost > 0, number % 2 == 0 {
        // The link ends with a packet in the controller, whose completion is never reported.
        scene.radio.faults.loseCompletions(buffersLost)
        _ = scene.readText(Handles.answer, by: phone)
      }
      scene.disconnect(phone)
      scene.sent.removeAll()
      scene.expectHealthy()
    }
  }

  @Test("200 links end while the answer is on its way")
  func abandoned() throws {
    let scene = try Scene<2>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1))
    let phone = scene.phone()
    for number in 0..<200 {
      try scene.connect(phone)
      scene.subscribe(phone)
      phone.write(Array("Why?".utf8))
      for _ in 0..<(number % 12) { _ = scene.carryOne() }
      if number % 3 == 0 {
        scene.host.disconnectAll()
        scene.run(within: 5_000) { !phone.hasLink }
        scene.settle()
      } else {
        scene.disconnect(phone)
      }
      scene.expectHealthy()
    }
  }
}
