import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Starting encryption")
struct EncryptionTests {
  let link = EncryptingPair()

  @Test("No key: the central gets PIN or Key Missing, and the link stays")
  func noKey() {
    link.begin()
    let (far, farBytes) = (link.far, link.farBytes)
    expect(
      link.peripheral.ask(link.negative, farBytes),
      is: [complete(link.negative, .success, farBytes)])
    expect(link.central.receive(), is: [link.changed(link.near, .pinOrKeyMissing)])
    expect(
      link.peripheral.ask(link.negative, farBytes),
      is: [complete(link.negative, .commandDisallowed, farBytes)])
    expect(link.peripheral.handle, is: far)
    // It can be tried again.
    link.encrypt()
  }

  @Test("Another key: both sides end the link with a MIC failure")
  func otherKey() {
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    expect(
      link.answer(link.otherKey),
      is: [complete(link.reply, .success, farBytes), ended(far, .micFailure)])
    expect(link.central.receive(), is: [ended(near, .micFailure)])
    expect(link.central.controller.connectionHandles, is: [])
    expect(link.peripheral.controller.connectionHandles, is: [])
  }

  @Test("An encrypted link takes new keys: both hosts get an event for each refresh")
  func refresh() {
    link.encrypt()
    for _ in 0..<3 {
      link.begin()
      expect(
        link.answer(link.key),
        is: [complete(link.reply, .success, link.farBytes), link.refreshed(link.far)])
      expect(link.central.receive(), is: [link.refreshed(link.near)])
    }
  }

  @Test("An encrypted link ends if a new key is missing or differs: it never continues unencrypted")
  func failedRefresh() {
    link.encrypt()
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    expect(
      link.peripheral.ask(link.negative, farBytes),
      is: [complete(link.negative, .success, farBytes), ended(far, .pinOrKeyMissing)])
    expect(link.central.receive(), is: [ended(near, .pinOrKeyMissing)])

    let other = EncryptingPair()
    other.encrypt()
    other.begin()
    let end = other.near
    _ = other.answer(other.otherKey)
    expect(other.central.receive(), is: [ended(end, .micFailure)])
  }

  @Test("Only a central starts, only a peripheral answers, and each only once")
  func wrongStates() {
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    let nearBytes = [UInt8(near.rawValue & 0xFF), UInt8(near.rawValue >> 8)]
    let refused = status(.leEnableEncryption, .commandDisallowed)
    expect(link.peripheral.ask(LEEnableEncryption(handle: far, key: link.key)), is: [refused])
    expect(link.answer(link.key), is: [complete(link.reply, .commandDisallowed, farBytes)])
    link.begin()
    expect(link.enable(), is: [refused])
    expect(link.peripheral.receive(), is: [])
    expect(
      link.central.ask(LELongTermKeyRequestReply(handle: near, key: link.key)),
      is: [complete(link.reply, .commandDisallowed, nearBytes)])
    expect(
      link.central.ask(link.negative, nearBytes),
      is: [complete(link.negative, .commandDisallowed, nearBytes)])
    _ = link.answer(link.key)
    expect(link.answer(link.key), is: [complete(link.reply, .commandDisallowed, farBytes)])
    expect(link.central.receive(), is: [link.changed(near)])
  }

  @Test("Each truncated or overlong command on a link is refused and changes nothing")
  func wrongLengths() {
    link.begin()
    let farBytes = link.farBytes
    for (command, length) in [(link.reply, 18), (link.negative, 2)] {
      for count in 0...60 where count != length {
        let answer = link.peripheral.ask(command, Array((farBytes + .zeros(60)).prefix(count)))
        expect(answer.map(\.[6]), is: [0x12])
      }
    }
    // The answer is still pending.
    expect(link.answer(link.key).count, is: 2)
    _ = link.central.receive()
    for count in 0...60 where count != 28 {
      expect(
        link.central.ask(.leEnableEncryption, .zeros(count)),
        is: [status(.leEnableEncryption, .invalidCommandParameters)])
    }
  }

  @Test("A peripheral's host that masks the request has no key; masked events are not sent")
  func masks() {
    let (near, far) = (link.near, link.far)
    // Every LE event but LE Long Term Key Request, bit 4.
    link.peripheral.send(LESetEventMask(mask: 0xFFEF))
    _ = link.peripheral.receive()
    expect(link.enable(), is: [status(.leEnableEncryption), link.changed(near, .pinOrKeyMissing)])
    expect(link.peripheral.receive(), is: [])

    // Without Encryption Change, bit 7, at the peripheral; without the refresh, bit 47, at the
    // central.
    link.peripheral.send(LESetEventMask(mask: 0xFFFF))
    link.peripheral.send(SetEventMask(mask: .max & ~(1 << 7)))
    link.central.send(SetEventMask(mask: .max & ~(1 << 47)))
    _ = link.peripheral.receive()
    _ = link.central.receive()
    link.begin()
    expect(link.answer(link.key).count, is: 1)
    expect(link.central.receive(), is: [link.changed(near)])
    link.begin()
    expect(link.answer(link.key).last, is: link.refreshed(far))
    expect(link.central.receive(), is: [])
  }

  @Test("Without an answer of the peripheral's host, both sides time out after 40 s")
  func noAnswer() {
    let (near, far) = (link.near, link.far)
    link.pair.air.advance(to: milliseconds(5_000))
    link.begin()
    expect(link.pair.air.deadline, is: milliseconds(45_000))
    link.pair.air.advance(to: milliseconds(44_999))
    expect(link.central.receive(), is: [])
    link.pair.air.advance(to: milliseconds(45_000))
    expect(link.central.receive(), is: [ended(near, .linkLayerResponseTimeout)])
    expect(link.peripheral.receive(), is: [ended(far, .linkLayerResponseTimeout)])
    expect(link.pair.air.deadline, is: nil)
  }

  @Test("A peripheral without encryption: Unsupported Remote Feature")
  func unsupported() {
    let link = EncryptingPair(peripheral: .init(supportsEncryption: false))
    expect(
      link.enable(),
      is: [status(.leEnableEncryption), link.changed(link.near, .unsupportedRemoteFeature)])
  }

  @Test(
    "Data waits while encryption starts, uses its buffers, and keeps its order",
    arguments: [true, false])
  func data(hasKey: Bool) {
    let (near, far) = (link.near, link.far)
    link.central.send([1], on: near)
    link.begin(after: acl(far, .firstFlushable, [1]))
    expect(link.central.receive(), is: [completed(near)])
    for byte in UInt8(2)...4 {
      link.central.send([byte], on: near)
      link.peripheral.send([byte], on: far)
    }
    expect(link.central.receive(), is: [])
    expect(link.peripheral.receive(), is: [])
    if hasKey {
      link.peripheral.send(LELongTermKeyRequestReply(handle: far, key: link.key))
    } else {
      link.peripheral.send(link.negative, link.farBytes)
    }
    // The events come first: what follows is encrypted.
    let heard = link.central.receive()
    expect(heard.first, is: link.changed(near, hasKey ? .success : .pinOrKeyMissing))
    expect(heard.dropFirst().elementsEqual((2...4).map { acl(near, .firstFlushable, [$0]) }))
    let answers = link.peripheral.receive()
    let received = (UInt8(2)...4).map { acl(far, .firstFlushable, [$0]) }
    expect(answers.filter { $0[0] == 0x02 }, is: received)
    expect(answers.filter { $0 == completed(far) }.count, is: 3)
    expect(answers.firstIndex(of: received[0]), is: hasKey ? 2 : 1)
    expect(link.central.receive(), is: [completed(near), completed(near), completed(near)])
  }

  @Test("Waiting data does not exceed the buffers, and is dropped with the link")
  func heldBuffers() {
    let link = EncryptingPair(central: .init(aclPacketCount: 2))
    link.begin()
    for byte in UInt8(1)...3 { link.central.send([byte], on: link.near) }
    expect(link.central.controller.counters.packetsBeyondCredits, is: 1)
    link.central.send(Disconnect(handle: link.near, reason: .remoteUserTerminatedConnection))
    expect(link.peripheral.receive().map(\.[1]), is: [0x05])
    expect(link.peripheral.controller.connectionHandles, is: [])
  }

  @Test(
    "Contact lost half-way, also by a fault: the answer is accepted, and both sides time out",
    arguments: [false, true])
  func lostContact(byFault: Bool) {
    if byFault { link.peripheral.controller.faults.loseLink(at: link.reply) }
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    if !byFault {
      link.pair.air.setSignalStrength(
        nil, from: link.central.controller, to: link.peripheral.controller)
    }
    expect(link.answer(link.key), is: [complete(link.reply, .success, farBytes)])
    expect(link.central.receive(), is: [])
    link.pair.air.advance(to: milliseconds(720))
    expect(link.central.receive(), is: [ended(near, .connectionTimeout)])
    expect(link.peripheral.receive(), is: [ended(far, .connectionTimeout)])
    expect(link.pair.air.deadline, is: nil)
    expect(link.peripheral.controller.faults.isEmpty)
  }

  @Test("Out of range, encryption starts once and gets no answer")
  func outOfReach() {
    let near = link.near
    link.pair.air.setSignalStrength(
      nil, from: link.central.controller, to: link.peripheral.controller)
    expect(link.enable(), is: [status(.leEnableEncryption)])
    expect(link.enable(), is: [status(.leEnableEncryption, .commandDisallowed)])
    link.pair.air.advance(to: milliseconds(720))
    expect(link.central.receive(), is: [ended(near, .connectionTimeout)])
  }

  @Test(
    "A host that is reset half-way: its controller is silent, and the other side times out",
    arguments: [true, false])
  func reset(isCentral: Bool) {
    link.begin()
    let (host, other) =
      isCentral ? (link.central, link.peripheral) : (link.peripheral, link.central)
    let handle = other.handle
    expect(host.ask(.reset), is: [complete(.reset)])
    if isCentral { expect(link.answer(link.key).count, is: 1) }
    link.pair.air.advance(to: milliseconds(720))
    expect(other.receive(), is: [ended(handle, .connectionTimeout)])
    expect(link.pair.air.deadline, is: nil)
  }

  @Test("A link closed half-way leaves nothing pending, and the next link starts fresh")
  func closed() {
    link.begin()
    let farBytes = link.farBytes
    link.central.send(Disconnect(handle: link.near, reason: .remoteUserTerminatedConnection))
    _ = link.central.receive()
    _ = link.peripheral.receive()
    expect(
      link.peripheral.ask(link.negative, farBytes),
      is: [complete(link.negative, .unknownConnectionIdentifier, farBytes)])
    link.peripheral.advertise()
    link.central.connect(to: link.peripheral.controller.address)
    _ = link.central.receive()
    _ = link.peripheral.receive()
    // Not a refresh: the new link is not encrypted.
    link.encrypt()
  }

  // MARK: Injected faults

  @Test("A key changed at either side: the link ends with a MIC failure", arguments: [true, false])
  func changedKey(atCentral: Bool) {
    let (near, far) = (link.near, link.far)
    let controller = (atCentral ? link.central : link.peripheral).controller
    controller.faults.changeKeys()
    link.begin()
    expect(link.answer(link.key).last, is: ended(far, .micFailure))
    expect(link.central.receive(), is: [ended(near, .micFailure)])
    expect(controller.faults.isEmpty)
  }

  @Test("A late answer, with or without a key, takes effect when it arrives")
  func lateAnswer() {
    link.peripheral.controller.faults.delayKeyAnswer(by: 3_000)
    link.peripheral.controller.faults.delayKeyAnswer(by: 10)
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    expect(link.answer(link.key), is: [complete(link.reply, .success, farBytes)])
    expect(link.answer(link.key), is: [complete(link.reply, .commandDisallowed, farBytes)])
    expect(link.pair.air.deadline, is: milliseconds(3_000))
    link.pair.air.advance(to: milliseconds(2_999))
    expect(link.central.receive(), is: [])
    link.pair.air.advance(to: milliseconds(3_000))
    expect(link.central.receive(), is: [link.changed(near)])
    expect(link.peripheral.receive(), is: [link.changed(far)])
    link.begin()
    _ = link.peripheral.ask(link.negative, farBytes)
    link.pair.air.advance(to: milliseconds(3_010))
    expect(link.central.receive(), is: [ended(near, .pinOrKeyMissing)])
    expect(link.peripheral.controller.faults.isEmpty)
    expect(link.pair.air.deadline, is: nil)
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
    expect(heard, is: [acl(far, .firstFlushable, [1]), acl(far, .firstFlushable, [2])])
    expect(link.peripheral.controller.faults.isEmpty)
    // The other way nothing arrives either.
    link.peripheral.send([5], on: far)
    expect(link.central.receive(), is: [completed(near), completed(near)])
    link.pair.air.advance(to: milliseconds(720))
    expect(link.peripheral.receive(), is: [ended(far, .connectionTimeout)])
    expect(link.central.receive().last, is: ended(near, .connectionTimeout))
  }

  @Test("Removed faults do not happen")
  func takenBack() {
    for host in [link.central, link.peripheral] {
      host.controller.faults.changeKeys(5)
      host.controller.faults.delayKeyAnswer(by: 5)
      host.controller.faults.loseLink(at: .leEnableEncryption)
      host.controller.faults.loseLink(afterPackets: 1)
      host.controller.faults.leaveUnanswered(times: .max)
      expect(!host.controller.faults.isEmpty)
      host.controller.faults.removeAll()
      expect(host.controller.faults.isEmpty)
    }
    link.encrypt()
  }
}

extension EncryptingPair {
  /// The central begins; the peripheral's host reads `packet` before it is asked for the key.
  fileprivate func begin(after packet: [UInt8]) {
    expect(enable(), is: [status(.leEnableEncryption)])
    expect(peripheral.receive(), is: [packet, request])
  }
}
