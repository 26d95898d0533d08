import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Any packet from a host")
struct RobustnessTests {
  private let host = TestHost(on: VirtualAir())

  @Test("Every command with parameters of every length gets one answer")
  func everyLength() {
    for (opcode, length) in TestHost.knownOpcodes {
      for count in 0...255 {
        let host = TestHost(on: VirtualAir())
        let answers = host.ask(HCIOpcode(rawValue: opcode), .zeros(count))
        // Commands that cause a second event, such as a connection, need another controller.
        expect(answers.count, is: 1, "0x\(String(opcode, radix: 16)) with \(count) bytes")
        guard count != length, let answer = answers.first else { continue }
        let status = answer[1] == 0x0E ? answer[6] : answer[3]
        expect(status, is: 0x12, "0x\(String(opcode, radix: 16)) with \(count) bytes")
      }
    }
  }

  @Test("Every truncated command is dropped and counted")
  func everyCut() {
    var cuts = 0
    for (opcode, length) in TestHost.knownOpcodes {
      let packet = [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(length)] + .zeros(length)
      for count in 0..<packet.count {
        host.send(Array(packet.prefix(count)))
        cuts += 1
      }
      host.send(packet + [0])
      cuts += 1
    }
    expect(host.receive(), is: [])
    expect(host.controller.counters.malformedPackets, is: cuts)
  }

  @Test("Every opcode gets an answer")
  func everyOpcode() {
    for opcode in UInt16(0)...(.max) {
      expect(!host.ask(HCIOpcode(rawValue: opcode)).isEmpty)
    }
  }

  @Test("Packets of other kinds are dropped and counted")
  func otherKinds() {
    let packets: [[UInt8]] = [
      [], [0x00], [0x03, 0, 0, 0], [0x04, 0x0E, 0], [0x05, 0, 0, 0, 0], [0xFF, 1, 2, 3],
    ]
    for packet in packets { host.send(packet) }
    expect(host.controller.counters.malformedPackets, is: packets.count)
  }

  @Test("Random commands on several controllers with links never trap")
  func randomCommands() {
    var state: UInt64 = 0x8BA1_1BA8
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state &>> 33) % bound
    }
    let air = VirtualAir()
    let hosts = (0..<4).map { _ in TestHost(on: air) }
    for round in 0..<20_000 {
      let host = hosts[Int(next(4))]
      let (opcode, length) = TestHost.knownOpcodes[Int(next(UInt64(TestHost.knownOpcodes.count)))]
      var parameters = (0..<length).map { _ in UInt8(next(next(2) == 0 ? 3 : 256)) }
      let handles = host.controller.connectionHandles
      if let handle = handles.first, length >= 2, next(2) == 0 {
        parameters[0] = UInt8(handle.rawValue & 0xFF)
        parameters[1] = UInt8(handle.rawValue >> 8)
      }
      host.send(HCIOpcode(rawValue: opcode), parameters)
      if next(8) == 0 {
        hosts[0].advertise()
        hosts[1].connect(to: publicAddress(1))
      }
      for handle in handles { host.send(.zeros(Int(next(80))), on: handle) }
      if next(4) == 0 { _ = hosts[Int(next(4))].receive() }
      air.advance(to: milliseconds(UInt64(round) * 7))
    }
  }

  @Test("A writer that is too small leaves the packet in the queue")
  func noRoom() {
    host.send(.readBDADDR)
    var storage = [UInt8](repeating: 0, count: 4)
    var writer = ByteWriter(storage.mutableSpan)
    expect(!host.controller.nextPacket(into: &writer))
    expect(host.receive().count, is: 1)
  }
}
