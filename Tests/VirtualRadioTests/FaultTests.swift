import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Injected faults")
struct FaultTests {
  private let host = TestHost(on: VirtualAir())
  private let pair = Pair()

  @Test("Lost completions: that many credits never return")
  func lostCompletions() {
    let pair = Pair(central: .init(aclPacketCount: 2))
    let near = pair.central.handle
    pair.central.controller.faults.loseCompletions(1)
    pair.central.send([1], on: near)
    pair.central.send([2], on: near)
    _ = pair.peripheral.receive()
    expect(pair.central.receive(), is: [completed(near)])
    expect(pair.central.controller.faults.isEmpty)
    // One buffer is lost for good.
    pair.central.send([3], on: near)
    pair.central.send([4], on: near)
    expect(pair.central.controller.counters.packetsBeyondCredits, is: 1)
  }

  @Test("An unanswered command, any or by opcode, is not executed")
  func unanswered() {
    host.controller.faults.leaveUnanswered(.leSetRandomAddress)
    expect(host.ask(.readBDADDR).count, is: 1)
    expect(host.ask(LESetRandomAddress(randomAddress(1))), is: [])
    expect(host.controller.randomAddress, is: nil)
    expect(host.ask(LESetRandomAddress(randomAddress(1))).count, is: 1)
    host.controller.faults.leaveUnanswered(times: 2)
    expect(
      [host.ask(.reset), host.ask(.readBDADDR), host.ask(.reset)].map(\.count), is: [0, 0, 1])
    expect(host.controller.counters.unansweredCommands, is: 3)
  }

  @Test("A command refused with any status, known to the controller or not")
  func refused() {
    host.controller.faults.refuse(.readBDADDR, with: .hardwareFailure)
    host.controller.faults.refuse(.leCreateConnection, with: .memoryCapacityExceeded, times: 2)
    expect(
      host.ask(.readBDADDR), is: [complete(.readBDADDR, .hardwareFailure, [0, 0, 0, 0, 0, 0])])
    expect(host.ask(.readBDADDR).first?[6], is: 0)
    for _ in 0..<2 {
      expect(
        host.ask(.leCreateConnection, .zeros(25)),
        is: [status(.leCreateConnection, .memoryCapacityExceeded)])
    }
    expect(host.controller.faults.isEmpty)
  }

  @Test("Hardware Error alone loses nothing; a failure loses everything, loudly or silently")
  func hardwareError() {
    let pair = Pair(supervisionTimeout: 10)
    let far = pair.peripheral.handle
    pair.central.controller.reportHardwareError(0x42)
    expect(pair.central.receive(), is: [[0x04, 0x10, 1, 0x42]])
    expect(pair.central.controller.connectionHandles.count, is: 1)
    pair.central.controller.fail(hardwareCode: 0x43)
    expect(pair.central.receive(), is: [[0x04, 0x10, 1, 0x43]])
    expect(pair.central.controller.connectionHandles, is: [])
    pair.air.advance(to: milliseconds(100))
    expect(pair.peripheral.receive(), is: [ended(far, .connectionTimeout)])
    pair.peripheral.advertise()
    pair.peripheral.controller.fail(hardwareCode: nil)
    expect(pair.peripheral.receive(), is: [])
    expect(!pair.peripheral.controller.isAdvertising)
  }

  @Test("A packet to the host truncated at every length")
  func cut() {
    let whole = complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0])
    for length in 0...whole.count {
      let host = TestHost(on: VirtualAir())
      host.controller.faults.cutPacket(to: length)
      // Of length 0, nothing arrives.
      let expected = length == 0 ? [] : [Array(whole.prefix(length))]
      expect(host.ask(.readBDADDR), is: expected)
      expect(host.ask(.readBDADDR), is: [whole])
    }
  }

  @Test("A wrong length in an event or an ACL packet changes no other byte")
  func misstatedLength() {
    pair.central.controller.faults.misstateLength(by: 3, type: .acl)
    pair.central.controller.faults.misstateLength(by: -1, type: .event)
    pair.peripheral.send([7, 8], on: pair.peripheral.handle)
    pair.central.send(.readBDADDR)
    var data = acl(pair.central.handle, .firstFlushable, [7, 8])
    data[3] = 5
    var answer = complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0])
    answer[2] = 9
    expect(pair.central.receive(), is: [data, answer])
  }

  @Test("A packet delivered twice, and a packet lost")
  func duplicateAndLose() {
    let (near, far) = (pair.central.handle, pair.peripheral.handle)
    pair.central.controller.faults.duplicatePacket(type: .acl)
    pair.central.controller.faults.losePacket(type: .acl)
    pair.peripheral.send([1], on: far)
    pair.peripheral.send([2], on: far)
    pair.peripheral.send([3], on: far)
    let first = acl(near, .firstFlushable, [1])
    expect(pair.central.receive(), is: [first, first, acl(near, .firstFlushable, [3])])
    // The air counts all three as delivered, once each.
    expect(pair.peripheral.receive(), is: [completed(far), completed(far), completed(far)])
  }

  @Test("A fault changes the first packet of all")
  func firstPacket() {
    let air = VirtualAir()
    let host = TestHost(air.addController(), on: air)
    host.controller.faults.losePacket()
    expect(host.ask(.reset), is: [])
    expect(host.ask(.reset), is: [complete(.reset)])
  }
}
