import Expectations

@testable import BluetoothHost

/// A host of two links with the test database and four channels.
private typealias Controller = ScriptedHost<
  2, GATTServer<2, GATTDatabase<27>, TestApplication>, NoClient,
  CreditBasedChannels<2, 4, ChannelOwner>
>

@Suite("A host with channels")
struct HostChannelsTests {
  /// A controller with a link, and on it channel 0 with SPSM 0x0080 and these credits for the host.
  /// The peer has an MTU of 300 bytes and an MPS of 100.
  private func makeController(credits: UInt16 = 50) -> Controller {
    let controller = Controller(
      database: testDatabase,
      channels: CreditBasedChannels(application: ChannelOwner(), mps: .twoPackets))
    controller.host.channels.application.listeners[0x0080] = ChannelMTU(600).map {
      ChannelListener(mtu: $0)
    }
    controller.connect(0x40)
    controller.send([0x14, 7, 10, 0] + words(0x0080, 0x0041, 300, 100, credits), channel: 5)
    // MTU 600, MPS 498, and 1,000 / 498 = 2 credits.
    expect(controller.frames.last?.payload, is: [0x15, 7, 10, 0] + words(0x0040, 600, 498, 2, 0))
    controller.forgetWhatWasSent()
    return controller
  }

  @Test("Attributes and channels take turns on a link, and no frame is within another")
  func turns() {
    let controller = makeController()
    controller.behaviour.completesPackets = false
    // 20 SDUs of 250 bytes, each in frames of 98, 100 and 52 bytes.
    controller.host.channels.application.outgoing[0] = (0..<20).map {
      [UInt8](repeating: $0, count: 250)
    }
    controller.host.channels.resume(0)
    controller.run()
    // The peer reads all the time. The controller completes one packet of 27 bytes for each
    // request.
    var answers: [Int] = []
    for _ in 0..<300 {
      controller.send([0x0A, 0x16, 0x00])
      controller.completePackets(of: 0x40, count: 1)
      answers.append(controller.frames.filter { $0.channel == 4 }.count)
    }
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40, count: 4)
    let data = controller.frames.filter { $0.channel == 0x41 }
    // 20 × 3 frames are pending, and the peer gave 50 credits.
    expect(data.count, is: 50)
    expect(data.first?.payload, is: words(250) + [UInt8](repeating: 0, count: 98))
    // A frame has 3 or 4 packets, and a response 1: responses wait for one frame.
    let channels = controller.frames.prefix { frame in
      frame != controller.frames.last { $0.channel == 0x41 }
    }.map(\.channel)
    expect(zip(channels, channels.dropFirst()).allSatisfy { $0 != 0x41 || $1 != 0x41 })
    expect(answers.last.map { $0 > 100 }, is: true)
  }

  @Test("A frame waits until a response is sent")
  func withinResponse() {
    let controller = makeController()
    controller.send([0x02, 0xFF, 0x01])
    controller.application.values[0] = [UInt8](repeating: 7, count: 100)
    controller.behaviour.completesPackets = false
    controller.forgetWhatWasSent()
    controller.host.channels.application.outgoing[0] = [[1, 2, 3]]
    controller.send([0x0A, 0x16, 0x00])
    controller.host.channels.resume(0)
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40, count: 4)
    expect(Set(controller.frames.map(\.channel)), is: [4, 0x41])
    expect(controller.frames.contains { $0.payload == [3, 0, 1, 2, 3] })
  }

  @Test("An SDU arrives in fragments of any length", arguments: [1, 27, 251, 502])
  func fragments(length: Int) {
    let controller = makeController()
    controller.fragmentLength = length
    controller.send(words(496) + [UInt8](counting: 496), channel: 0x0040)
    expect(controller.host.channels.application.incoming[0], is: [[UInt8](counting: 496)])
    expect(controller.host.channels.count, is: 1)
  }

  @Test(
    "A frame that is too long for the host closes only its channel", arguments: [27, 100, 521, 522])
  func overlong(length: Int) {
    let controller = makeController()
    controller.fragmentLength = length
    controller.send([UInt8](repeating: 0, count: 518), channel: 0x0040)
    // A Disconnection Request, and the end without a response.
    let request = controller.frames.last?.payload ?? []
    expect(request.prefix(1), is: [0x06])
    expect(Array(request.dropFirst(2)), is: [4, 0] + words(0x0041, 0x0040))
    controller.pass(milliseconds: 30_000)
    expect(controller.host.channels.application.events.last, is: .closed(0, .frameTooLong))
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 100])
  }

  @Test("An MPS that is too long for the host stops the program")
  func precondition() async {
    await #expect(processExitsWith: .failure) {
      guard let mps = ChannelMPS(518) else { return }
      _ = Controller(
        database: testDatabase,
        channels: CreditBasedChannels(application: ChannelOwner(), mps: mps))
    }
  }

  @Test("A frame that is too long on another channel changes nothing")
  func overlongElsewhere() {
    let controller = makeController()
    controller.send([UInt8](repeating: 0x0A, count: 600))
    expect(controller.host.channels.count, is: 1)
    expect(controller.frames.isEmpty)
  }

  @Test("Malformed commands, and those for unknown channels, are rejected")
  func otherCommands() {
    let controller = makeController()
    for (command, answer) in [
      ([0x14, 9, 9, 0] + [UInt8](counting: 9), [0x01, 9, 2, 0, 0, 0]),
      ([0x06, 9, 4, 0] + words(0x0055, 0x0041), [0x01, 9, 6, 0, 2, 0] + words(0x0055, 0x0041)),
      ([0x08, 9, 0, 0], [0x01, 9, 2, 0, 0, 0]),
    ] as [([UInt8], [UInt8])] {
      controller.forgetWhatWasSent()
      controller.send(command, channel: 5)
      expect(controller.frames.map(\.payload), is: [answer])
    }
  }

  @Test("A request ends after 30 s without a response")
  func timeOut() {
    let controller = makeController()
    let start = controller.now
    expect(controller.host.channels.open(.firstDynamic, mtu: .minimum, at: 0), is: 1)
    controller.run()
    expect(controller.frames.last?.payload.first, is: 0x14)
    expect(controller.host.deadline, is: start.advanced(by: 30_000))
    controller.pass(milliseconds: 29_999)
    expect(controller.host.channels.count, is: 2)
    controller.pass(milliseconds: 1)
    expect(controller.host.channels.application.events.last, is: .closed(1, .timedOut))
  }

  @Test("The end of a link closes its channels; the next link has its own")
  func ending() {
    let controller = makeController()
    controller.receive([0x04, 0x05, 4, 0, 0x40, 0x00, 0x13])
    expect(controller.host.channels.count, is: 0)
    expect(
      controller.host.channels.application.events.last,
      is: .closed(0, .linkLost(.remoteUserTerminatedConnection)))
    controller.connect(0x41)
    expect(controller.host.channels.open(.firstDynamic, mtu: .minimum, at: 0) != nil)
    controller.run()
    expect(controller.frames.last?.payload.first, is: 0x14)
  }

  @Test("A lost radio closes all channels")
  func lostRadio() {
    let controller = makeController()
    controller.radioLost()
    expect(
      controller.host.channels.application.events.last, is: .closed(0, .linkLost(.hardwareFailure)))
    expect(controller.host.channels.pendingConnections, is: .none)
  }

  @Test("A channel goes on when the controller has free buffers")
  func buffers() {
    let controller = makeController()
    controller.behaviour.completesPackets = false
    controller.host.channels.application.outgoing[0] = [[UInt8](repeating: 5, count: 290)]
    controller.host.channels.resume(0)
    controller.run()
    // Three of four buffers: one is reserved for another link.
    expect(controller.aclPackets.count, is: 3)
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40, count: 3)
    expect(controller.frames.filter { $0.channel == 0x41 }.count, is: 3)
    expect(controller.host.channels.application.events.last, is: .sent(0))
  }
}
