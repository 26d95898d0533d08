import Expectations

@testable import BluetoothHost

/// A central with the commands of Bluetooth 5.
private typealias Saver = ScriptedHost<
  1, NoServer, ScanningClient<1, Collector, ExtendedScanner<1, 31>>, NoChannels
>

private let wish = SubrateParameters(
  minimumFactor: 0x0102, maximumFactor: 0x0103, maximumLatency: 0, continuationNumber: 4,
  supervisionTimeout: 0x0506)
private let request: [UInt8] = [0x40, 0, 2, 1, 3, 1, 0, 0, 4, 0, 6, 5]

private func saver(features: UInt64 = 1 << 12 | 1 << 37) -> Saver {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Saver(
    behaviour, .central, server: NoServer(), client: ScanningClient(application: Collector()),
    channels: NoChannels())
  host.stopsAtDeadlines = true
  host.start()
  host.script = { opcode, _ in
    guard opcode == .leExtendedCreateConnection else { return nil }
    return [Events.status(opcode, 0), Events.connected(0x40, peer: [0, 2, 0, 0, 0, 0, 0xF0])]
  }
  expect(host.connect(to: .numbered(2)))
  _ = host.takeEvents()
  // An event ends what this begins.
  host.script = { opcode, _ in opcode == .leSubrateRequest ? [Events.status(opcode, 0)] : nil }
  return host
}

extension Saver {
  fileprivate func requestSubrate(_ parameters: SubrateParameters = wish, at index: Int = 0) -> Bool
  {
    let isBegun = host.requestSubrate(parameters, at: index)
    run()
    return isBegun
  }
}

private func changed(_ status: UInt8 = 0, handle: UInt8 = 0x40) -> [UInt8] {
  [0x04, 0x3E, 12, 0x23, status, handle, 0, 3, 1, 0, 0, 4, 0, 6, 5]
}

private let result = LESubrateChange(
  status: .success, handle: ConnectionHandle(rawValue: 0x40), factor: 0x0103, latency: 0,
  continuationNumber: 4, supervisionTimeout: 0x0506)

@Suite("Host: the subrate of a link")
struct SubratingTests {
  @Test("The controller learns that the host supports it, if it does itself")
  func hostFeature() {
    let host = saver()
    expect(host.parameters(of: .leSetHostFeature), is: [[38, 1]])
    // LE Subrate Change is bit 34 of the mask.
    expect(host.parameters(of: .leSetEventMask).last?[4], is: 0b100)
    let old = saver(features: 1 << 12)
    expect(old.parameters(of: .leSetHostFeature), is: [])
    expect(!old.requestSubrate())
    expect(old.parameters(of: .leSubrateRequest), is: [])
  }

  @Test("A request gets the link's new subrate")
  func changes() {
    let host = saver()
    expect(host.requestSubrate())
    expect(host.parameters(of: .leSubrateRequest), is: [request])
    expect(host.takeEvents(), is: [])
    host.receive(changed())
    expect(host.takeEvents(), is: [.subrate(0, result)])
    // The peer's, too, and those of other links do not count.
    host.receive(changed())
    host.receive(changed(handle: 0x41))
    expect(host.takeEvents(), is: [.subrate(0, result)])
  }

  @Test("A refusal of the peer or of the controller is reported once")
  func refusals() {
    let host = saver()
    expect(host.requestSubrate())
    host.receive(changed(0x1A))
    expect(host.takeEvents(), is: [.subrateFailed(0, .unsupportedRemoteFeature)])
    host.script = { opcode, _ in opcode == .leSubrateRequest ? [Events.status(opcode, 0x12)] : nil }
    expect(host.requestSubrate())
    expect(host.takeEvents(), is: [.subrateFailed(0, .invalidCommandParameters)])
  }

  @Test("An unanswered command fails, and no other is sent")
  func unanswered() {
    let host = saver()
    host.script = { opcode, _ in opcode == .leSubrateRequest ? [] : nil }
    expect(host.requestSubrate())
    expect(!host.host.requestSubrate(wish, at: 0), "one waits for its answer")
    host.pass(milliseconds: 2_000)
    expect(host.takeEvents(), is: [.subrateFailed(0, .unspecifiedError)])
    expect(!host.requestSubrate())
  }

  @Test("Wrong parameters and links are refused at once")
  func wrong() {
    let host = saver()
    var parameters = wish
    parameters.minimumFactor = 0
    expect(!host.requestSubrate(parameters))
    expect(!host.requestSubrate(at: 1))
    expect(!host.requestSubrate(at: -1))
    host.receive(Events.disconnected(0x40, reason: 0x13))
    expect(!host.requestSubrate())
    expect(host.parameters(of: .leSubrateRequest), is: [])
  }

  @Test("Parameters need ten bytes, and their order")
  func truncated() {
    let bytes = Array(request.dropFirst(2))
    for count in 0...bytes.count {
      let part = Array(bytes.prefix(count))
      var reader = ByteReader(part.span)
      let parameters = SubrateParameters(&reader)
      expect(parameters, is: count < bytes.count ? nil : wish)
    }
  }
}
