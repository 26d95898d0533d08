import BluetoothHost
import Testing
import VirtualRadio

@Suite("Injected encryption faults")
struct EncryptionFaultTests {
  let link = EncryptingPair()

  @Test("A key changed at either side: the link ends with a MIC failure", arguments: [true, false])
  func changedKey(atCentral: Bool) {
    let (near, far) = (link.near, link.far)
    let controller = (atCentral ? link.central : link.peripheral).controller
    controller.faults.changeKeys()
    link.begin()
    #expect(link.answer(link.key).last == link.ended(far, .micFailure))
    #expect(link.central.receive() == [link.ended(near, .micFailure)])
    #expect(controller.faults.isEmpty)
  }

  @Test("A late answer, with or without a key, takes effect when it arrives")
  func lateAnswer() {
    link.peripheral.controller.faults.delayKeyAnswer(by: 3_000)
    link.peripheral.controller.faults.delayKeyAnswer(by: 10)
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    #expect(link.answer(link.key) == [complete(link.reply, .success, farBytes)])
    #expect(link.answer(link.key) == [complete(link.reply, .commandDisallowed, farBytes)])
    #expect(link.pair.air.deadline == milliseconds(3_000))
    link.pair.air.advance(to: milliseconds(2_999))
    #expect(link.central.receive() == [])
    link.pair.air.advance(to: milliseconds(3_000))
    #expect(link.central.receive() == [link.changed(near)])
    #expect(link.peripheral.receive() == [link.changed(far)])
    link.begin()
    _ = link.peripheral.ask(link.negative, farBytes)
    link.pair.air.advance(to: milliseconds(3_010))
    #expect(link.central.receive() == [link.ended(near, .pinOrKeyMissing)])
    #expect(link.peripheral.controller.faults.isEmpty)
    #expect(link.pair.air.deadline == nil)
  }

  @Test("An answer after more than 40 s is too late")
  func tooLate() {
    link.peripheral.controller.faults.delayKeyAnswer(by: 50_000)
    link.begin()
    let near = link.near
    _ = link.answer(link.key)
    link.pair.air.advance(to: milliseconds(60_000))
    #expect(link.central.receive() == [link.ended(near, .linkLayerResponseTimeout)])
  }

  @Test("A link lost at a command: the command is accepted, and both sides time out")
  func lostAtCommand() {
    link.peripheral.controller.faults.loseLink(at: link.reply)
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    #expect(link.answer(link.key) == [complete(link.reply, .success, farBytes)])
    #expect(link.central.receive() == [])
    link.pair.air.advance(to: milliseconds(720))
    #expect(link.central.receive() == [link.ended(near, .connectionTimeout)])
    #expect(link.peripheral.receive() == [link.ended(far, .connectionTimeout)])
    #expect(link.peripheral.controller.faults.isEmpty)
  }

  @Test("A link lost after a number of packets: those arrive, later ones do not")
  func lostAfterPackets() {
    link.peripheral.controller.faults.loseLink(afterPackets: 2)
    let (near, far) = (link.near, link.far)
    var heard: [[UInt8]] = []
    for byte in UInt8(1)...4 {
      link.central.send([byte], on: near)
      heard += link.peripheral.receive()
    }
    #expect(heard == [acl(far, .firstFlushable, [1]), acl(far, .firstFlushable, [2])])
    #expect(link.peripheral.controller.faults.isEmpty)
    // The other way nothing arrives either.
    link.peripheral.send([5], on: far)
    #expect(link.central.receive() == [completed(near), completed(near)])
    link.pair.air.advance(to: milliseconds(720))
    #expect(link.peripheral.receive() == [link.ended(far, .connectionTimeout)])
    #expect(link.central.receive().last == link.ended(near, .connectionTimeout))
  }

  @Test("Removed faults do not happen")
  func takenBack() {
    for host in [link.central, link.peripheral] {
      host.controller.faults.changeKeys(5)
      host.controller.faults.delayKeyAnswer(by: 5)
      host.controller.faults.loseLink(at: .leEnableEncryption)
      host.controller.faults.loseLink(afterPackets: 1)
      #expect(!host.controller.faults.isEmpty)
      host.controller.faults.removeAll()
      #expect(host.controller.faults.isEmpty)
    }
    link.encrypt()
  }
}
