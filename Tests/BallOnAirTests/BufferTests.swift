import BluetoothHost
import Testing
import VirtualRadio

/// The buffers of a controller.
struct Buffers: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let configuration: ControllerConfiguration

  static let all = [
    Buffers(
      testDescription: "27 × 1",
      configuration: ControllerConfiguration(
        aclDataLength: 27, aclPacketCount: 1, supportsDataLengthExtension: false)),
    Buffers(
      testDescription: "27 × 1, long packets over the air",
      configuration: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1)),
    Buffers(
      testDescription: "192 × 1",
      configuration: ControllerConfiguration(aclDataLength: 192, aclPacketCount: 1)),
    Buffers(testDescription: "251 × 8", configuration: ControllerConfiguration()),
    Buffers(
      testDescription: "1021 × 4, shared with BR/EDR",
      configuration: ControllerConfiguration(
        aclDataLength: 1_021, aclPacketCount: 4, sharesBuffers: true)),
  ]
}

@Suite("Long frames are cut to the controllers' buffers in both directions")
struct BufferTests {
  @Test(
    "The longest question and response pass, and no packet exceeds the controller's buffers",
    arguments: Buffers.all, Buffers.all)
  func longest(ball: Buffers, phone: Buffers) throws {
    let stage = try Stage<4>(controller: ball.configuration)
    let central = try stage.connectedPhone(mtu: 517, controller: phone.configuration)
    stage.subscribe(central)
    let question = String(repeating: "why ", count: 127) + "me ?"
    for _ in 0..<4 { #expect(stage.write(question, by: central) == .success(.written)) }
    #expect(central.answers.count == 4)
    #expect(stage.events.filter { $0 == .asked(0, question) }.count == 4)
    // Declarations of 2-byte and of 16-byte UUIDs never share a response.
    let everything = AttributeHandleRange(
      start: AttributeHandle(rawValue: 1), end: AttributeHandle(rawValue: 0x20))
    guard
      case .success(.characteristics(let found)) = stage.perform(
        .discoverCharacteristics(everything), by: central)
    else {
      Issue.record("Nothing is found")
      return
    }
    #expect(found.count == 13)
    stage.expectHealthy()
    // No packet exceeds the controller's buffers.
    let limit = 5 + Int(ball.configuration.aclDataLength)
    #expect(stage.sent.allSatisfy { $0.first != 0x02 || $0.count <= limit })
  }

  /// Prepare Write's response repeats up to 512 bytes: 3 fragments of 251, or 20 of 27.
  @Test("A response is sent in many fragments", arguments: Buffers.all)
  func fragments(ball: Buffers) throws {
    let stage = try Stage<1>(controller: ball.configuration)
    let phone = try stage.connectedPhone(mtu: 517)
    let raw = RawLink(phone)
    let part = (0..<512).map { UInt8($0 & 0xFF) }
    #expect(
      raw.ask([0x16, 0x1D, 0x00, 0, 0] + part, on: stage) == [0x17, 0x1D, 0x00, 0, 0] + part)
    #expect(raw.ask([0x18, 0x00], on: stage) == [0x19])
    stage.expectHealthy()
  }

  @Test("A request may come in fragments of any size, down to one byte")
  func cutRequests() throws {
    let stage = try Stage<1>()
    let phone = try stage.connectedPhone(mtu: 517)
    stage.subscribe(phone)
    let raw = RawLink(phone)
    for size in 1...20 {
      let before = phone.answers.count
      let question = Array("Will it rain?".utf8)
      let frame = [UInt8(3 + question.count), 0, 4, 0, 0x12, 0x1D, 0x00] + question
      let handle = try #require(phone.radio.connectionHandles.first)
      for start in stride(from: 0, to: frame.count, by: size) {
        let data = Array(frame[start..<min(frame.count, start + size)])
        raw.sendFragment(data, on: handle, isFirst: start == 0)
        stage.settle()
      }
      #expect(phone.answers.count == before + 1, "in fragments of \(size)")
    }
  }

  @Test("Four links share one buffer, each in turn")
  func oneBuffer() throws {
    let stage = try Stage<4>(
      controller: ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1))
    let phones = try (0..<4).map { _ in try stage.connectedPhone(mtu: 517) }
    for phone in phones { stage.subscribe(phone) }
    let question = Array((String(repeating: "why ", count: 127) + "me ?").utf8)
    for _ in 0..<5 {
      for phone in phones {
        let link = try #require(phone.link)
        phone.central.perform(.write(Handles.question, question), on: link)
      }
      stage.settle()
    }
    for phone in phones { #expect(phone.answers.count == 5) }
    stage.expectHealthy()
  }
}
