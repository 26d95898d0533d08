import BluetoothHost
import Testing
import VirtualRadio

/// A pair whose hosts encrypt their link.
struct EncryptingPair {
  let pair: Pair
  let key = HCIKey(reversed: InlineArray<16, UInt8> { UInt8(0x50 + $0) })
  let otherKey = HCIKey(InlineArray<16, UInt8>(repeating: 0))
  let negative = HCIOpcode.leLongTermKeyRequestNegativeReply
  let reply = HCIOpcode.leLongTermKeyRequestReply

  init(central: ControllerConfiguration = .init(), peripheral: ControllerConfiguration = .init()) {
    pair = Pair(central: central, peripheral: peripheral)
  }

  var central: TestHost { pair.central }
  var peripheral: TestHost { pair.peripheral }
  var near: ConnectionHandle { central.handle }
  var far: ConnectionHandle { peripheral.handle }

  /// The bytes of the peripheral's handle.
  var farBytes: [UInt8] { [UInt8(far.rawValue & 0xFF), UInt8(far.rawValue >> 8)] }

  /// What the central's host says to begin, and what it hears at once.
  func enable() -> [[UInt8]] {
    central.ask(
      LEEnableEncryption(
        handle: near, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0B0A, key: key))
  }

  /// The central begins; the peripheral's host is asked for the key.
  func begin() {
    #expect(enable() == [status(.leEnableEncryption)])
    #expect(peripheral.receive() == [request])
  }

  /// LE Long Term Key Request.
  var request: [UInt8] {
    let farBytes = farBytes
    return [0x04, 0x3E, 13, 0x05] + farBytes + [1, 2, 3, 4, 5, 6, 7, 8, 0x0A, 0x0B]
  }

  func answer(_ key: HCIKey) -> [[UInt8]] {
    peripheral.ask(LELongTermKeyRequestReply(handle: far, key: key))
  }

  /// The link becomes encrypted.
  func encrypt() {
    begin()
    #expect(answer(key) == [complete(reply, .success, farBytes), changed(far)])
    #expect(central.receive() == [changed(near)])
  }

  func changed(_ handle: ConnectionHandle, _ status: HCIErrorCode = .success) -> [UInt8] {
    event(
      EncryptionChange(status: status, handle: handle, enabled: status == .success ? 1 : 0))
  }

  func refreshed(_ handle: ConnectionHandle) -> [UInt8] {
    event(EncryptionKeyRefreshComplete(status: .success, handle: handle))
  }

  func ended(_ handle: ConnectionHandle, _ reason: HCIErrorCode) -> [UInt8] {
    event(DisconnectionComplete(status: .success, handle: handle, reason: reason))
  }
}

@Suite("Starting encryption")
struct EncryptionTests {
  let link = EncryptingPair()

  @Test("The same key: both sides are encrypted")
  func sameKey() {
    link.encrypt()
    #expect(link.pair.air.deadline == nil)
  }

  @Test("No key: the central hears PIN or Key Missing, and the link goes on")
  func noKey() {
    link.begin()
    let (far, farBytes) = (link.far, link.farBytes)
    #expect(
      link.peripheral.ask(link.negative, farBytes) == [complete(link.negative, .success, farBytes)])
    #expect(link.central.receive() == [link.changed(link.near, .pinOrKeyMissing)])
    #expect(
      link.peripheral.ask(link.negative, farBytes)
        == [complete(link.negative, .commandDisallowed, farBytes)])
    #expect(link.peripheral.handle == far)
    // It may be tried again.
    link.encrypt()
  }

  @Test("Another key: both sides end the link with a MIC failure")
  func otherKey() {
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    #expect(
      link.answer(link.otherKey) == [
        complete(link.reply, .success, farBytes), link.ended(far, .micFailure),
      ])
    #expect(link.central.receive() == [link.ended(near, .micFailure)])
    #expect(link.central.controller.connectionHandles == [])
    #expect(link.peripheral.controller.connectionHandles == [])
  }

  @Test("An encrypted link takes a new key, any number of times: both sides hear of the refresh")
  func refresh() {
    link.encrypt()
    for _ in 0..<3 {
      link.begin()
      #expect(
        link.answer(link.key) == [
          complete(link.reply, .success, link.farBytes), link.refreshed(link.far),
        ])
      #expect(link.central.receive() == [link.refreshed(link.near)])
    }
  }

  @Test("An encrypted link ends when a new key is missing or differs: it never goes on unencrypted")
  func failedRefresh() {
    link.encrypt()
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    #expect(
      link.peripheral.ask(link.negative, farBytes) == [
        complete(link.negative, .success, farBytes), link.ended(far, .pinOrKeyMissing),
      ])
    #expect(link.central.receive() == [link.ended(near, .pinOrKeyMissing)])

    let other = EncryptingPair()
    other.encrypt()
    other.begin()
    let end = other.near
    _ = other.answer(other.otherKey)
    #expect(other.central.receive() == [other.ended(end, .micFailure)])
  }

  @Test("Only a central begins, only a peripheral answers, and each only once")
  func wrongStates() {
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    let nearBytes = [UInt8(near.rawValue & 0xFF), UInt8(near.rawValue >> 8)]
    let refused = status(.leEnableEncryption, .commandDisallowed)
    #expect(link.peripheral.ask(LEEnableEncryption(handle: far, key: link.key)) == [refused])
    #expect(
      link.answer(link.key) == [complete(link.reply, .commandDisallowed, farBytes)])
    link.begin()
    #expect(link.enable() == [refused])
    #expect(link.peripheral.receive() == [])
    #expect(
      link.central.ask(LELongTermKeyRequestReply(handle: near, key: link.key))
        == [complete(link.reply, .commandDisallowed, nearBytes)])
    #expect(
      link.central.ask(link.negative, nearBytes)
        == [complete(link.negative, .commandDisallowed, nearBytes)])
    _ = link.answer(link.key)
    #expect(link.answer(link.key) == [complete(link.reply, .commandDisallowed, farBytes)])
    #expect(link.central.receive() == [link.changed(near)])
  }

  @Test("A handle without a link is unknown to each of the commands")
  func unknownHandle() {
    let none = ConnectionHandle(rawValue: 0x0EFE)
    #expect(
      link.central.ask(LEEnableEncryption(handle: none, key: link.key))
        == [status(.leEnableEncryption, .unknownConnectionIdentifier)])
    #expect(
      link.peripheral.ask(LELongTermKeyRequestReply(handle: none, key: link.key))
        == [complete(link.reply, .unknownConnectionIdentifier, [0xFE, 0x0E])])
    #expect(
      link.peripheral.ask(link.negative, [0xFE, 0x0E])
        == [complete(link.negative, .unknownConnectionIdentifier, [0xFE, 0x0E])])
  }

  @Test("Each command on a link, cut or too long, is refused and changes nothing")
  func wrongLengths() {
    link.begin()
    let farBytes = link.farBytes
    for count in 0...60 where count != 18 {
      let answer = link.peripheral.ask(link.reply, Array((farBytes + .zeros(60)).prefix(count)))
      #expect(answer.map(\.[6]) == [0x12])
    }
    for count in 0...60 where count != 2 {
      let answer = link.peripheral.ask(link.negative, Array((farBytes + .zeros(60)).prefix(count)))
      #expect(answer.map(\.[6]) == [0x12])
    }
    // The answer is still owed.
    #expect(link.answer(link.key).count == 2)
    _ = link.central.receive()
    for count in 0...60 where count != 28 {
      #expect(
        link.central.ask(.leEnableEncryption, .zeros(count))
          == [status(.leEnableEncryption, .invalidCommandParameters)])
    }
  }

  @Test("The masks: a peripheral's host that is not asked has no key; nothing says what is masked")
  func masks() {
    let (near, far) = (link.near, link.far)
    // Every LE event but LE Long Term Key Request, bit 4.
    link.peripheral.send(LESetEventMask(mask: 0xFFEF))
    _ = link.peripheral.receive()
    #expect(
      link.enable() == [status(.leEnableEncryption), link.changed(near, .pinOrKeyMissing)])
    #expect(link.peripheral.receive() == [])

    // Without Encryption Change, bit 7, at the peripheral; without the refresh, bit 47, at the central.
    link.peripheral.send(LESetEventMask(mask: 0xFFFF))
    link.peripheral.send(SetEventMask(mask: .max & ~(1 << 7)))
    link.central.send(SetEventMask(mask: .max & ~(1 << 47)))
    _ = link.peripheral.receive()
    _ = link.central.receive()
    link.begin()
    #expect(link.answer(link.key).count == 1)
    #expect(link.central.receive() == [link.changed(near)])
    link.begin()
    #expect(link.answer(link.key).last == link.refreshed(far))
    #expect(link.central.receive() == [])
  }

  @Test("Without an answer of the peripheral's host, both sides give up after 40 s")
  func noAnswer() {
    let (near, far) = (link.near, link.far)
    link.pair.air.advance(to: milliseconds(5_000))
    link.begin()
    #expect(link.pair.air.deadline == milliseconds(45_000))
    link.pair.air.advance(to: milliseconds(44_999))
    #expect(link.central.receive() == [])
    link.pair.air.advance(to: milliseconds(45_000))
    #expect(link.central.receive() == [link.ended(near, .linkLayerResponseTimeout)])
    #expect(link.peripheral.receive() == [link.ended(far, .linkLayerResponseTimeout)])
    #expect(link.pair.air.deadline == nil)
  }

  @Test("A peripheral without encryption: Unsupported Remote Feature, and its commands are unknown")
  func unsupported() {
    let link = EncryptingPair(peripheral: .init(supportsEncryption: false))
    #expect(
      link.enable() == [
        status(.leEnableEncryption), link.changed(link.near, .unsupportedRemoteFeature),
      ])
    let commands: [HCIOpcode] = [.leEncrypt, .leEnableEncryption, link.reply, link.negative]
    for command in commands {
      #expect(link.peripheral.ask(command) == [status(command, .unknownCommand)])
    }
    #expect(
      link.peripheral.ask(.leReadLocalSupportedFeatures).map { $0[7] & 1 } == [0])
    let mask = link.peripheral.ask(.readLocalSupportedCommands)[0].dropFirst(7)
    // LE Rand, octet 27 bit 7, stays.
    #expect(mask[7 + 27] & 0b1100_0000 == 0b1000_0000)
    #expect(mask[7 + 28] & 0b0111 == 0)
  }

  @Test(
    "Data waits while encryption starts, holds its buffers, and keeps its order",
    arguments: [true, false])
  func data(hasKey: Bool) {
    let (near, far) = (link.near, link.far)
    link.central.send([1], on: near)
    link.begin(after: acl(far, .firstFlushable, [1]))
    #expect(link.central.receive() == [completed(near)])
    for byte in UInt8(2)...4 {
      link.central.send([byte], on: near)
      link.peripheral.send([byte], on: far)
    }
    #expect(link.central.receive() == [])
    #expect(link.peripheral.receive() == [])
    if hasKey {
      link.peripheral.send(LELongTermKeyRequestReply(handle: far, key: link.key))
    } else {
      link.peripheral.send(link.negative, link.farBytes)
    }
    // The events come first: what follows is encrypted.
    let heard = link.central.receive()
    #expect(heard.first == link.changed(near, hasKey ? .success : .pinOrKeyMissing))
    #expect(heard.dropFirst().elementsEqual((2...4).map { acl(near, .firstFlushable, [$0]) }))
    let answers = link.peripheral.receive()
    let received = (UInt8(2)...4).map { acl(far, .firstFlushable, [$0]) }
    #expect(answers.filter { $0[0] == 0x02 } == received)
    #expect(answers.filter { $0 == completed(far) }.count == 3)
    #expect(answers.firstIndex(of: received[0]) == (hasKey ? 2 : 1))
    #expect(link.central.receive() == [completed(near), completed(near), completed(near)])
  }

  @Test("Data that waits does not go beyond the buffers, and goes with the link")
  func heldBuffers() {
    let link = EncryptingPair(central: .init(aclPacketCount: 2))
    link.begin()
    for byte in UInt8(1)...3 { link.central.send([byte], on: link.near) }
    #expect(link.central.controller.counters.packetsBeyondCredits == 1)
    link.central.send(Disconnect(handle: link.near, reason: .remoteUserTerminatedConnection))
    #expect(link.peripheral.receive().map(\.[1]) == [0x05])
    #expect(link.peripheral.controller.connectionHandles == [])
  }

  @Test("Contact lost half-way: the answer is taken, and the link ends by its supervision time-out")
  func lostContact() {
    link.begin()
    let (near, far, farBytes) = (link.near, link.far, link.farBytes)
    link.pair.air.setSignalStrength(
      nil, from: link.central.controller, to: link.peripheral.controller)
    #expect(link.answer(link.key) == [complete(link.reply, .success, farBytes)])
    link.pair.air.advance(to: milliseconds(720))
    #expect(link.central.receive() == [link.ended(near, .connectionTimeout)])
    #expect(link.peripheral.receive() == [link.ended(far, .connectionTimeout)])
    #expect(link.pair.air.deadline == nil)
  }

  @Test("A link whose peer is out of reach: begun once, and no answer comes")
  func outOfReach() {
    let near = link.near
    link.pair.air.setSignalStrength(
      nil, from: link.central.controller, to: link.peripheral.controller)
    #expect(link.enable() == [status(.leEnableEncryption)])
    #expect(link.enable() == [status(.leEnableEncryption, .commandDisallowed)])
    link.pair.air.advance(to: milliseconds(720))
    #expect(link.central.receive() == [link.ended(near, .connectionTimeout)])
  }

  @Test(
    "A host that is reset half-way: its controller is silent, and the other side times out",
    arguments: [true, false])
  func reset(isCentral: Bool) {
    link.begin()
    let (host, other) =
      isCentral ? (link.central, link.peripheral) : (link.peripheral, link.central)
    let handle = other.handle
    #expect(host.ask(.reset) == [complete(.reset)])
    if isCentral { #expect(link.answer(link.key).count == 1) }
    link.pair.air.advance(to: milliseconds(720))
    #expect(other.receive() == [link.ended(handle, .connectionTimeout)])
    #expect(link.pair.air.deadline == nil)
  }

  @Test("A link that is closed half-way owes nothing more, and the next one begins anew")
  func closed() {
    link.begin()
    let farBytes = link.farBytes
    link.central.send(Disconnect(handle: link.near, reason: .remoteUserTerminatedConnection))
    _ = link.central.receive()
    _ = link.peripheral.receive()
    #expect(
      link.peripheral.ask(link.negative, farBytes)
        == [complete(link.negative, .unknownConnectionIdentifier, farBytes)])
    link.peripheral.advertise()
    link.central.connect(to: link.peripheral.controller.address)
    _ = link.central.receive()
    _ = link.peripheral.receive()
    // Not a refresh: the new link is not encrypted.
    link.encrypt()
  }
}

extension EncryptingPair {
  /// The central begins; the peripheral's host reads `packet` before it is asked for the key.
  fileprivate func begin(after packet: [UInt8]) {
    #expect(enable() == [status(.leEnableEncryption)])
    #expect(peripheral.receive() == [packet, request])
  }
}

@Suite("Faults of encryption on request")
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

  @Test("A late answer, with a key or without: it counts when it comes")
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

  @Test("An answer that is more than 40 s late is none")
  func tooLate() {
    link.peripheral.controller.faults.delayKeyAnswer(by: 50_000)
    link.begin()
    let near = link.near
    _ = link.answer(link.key)
    link.pair.air.advance(to: milliseconds(60_000))
    #expect(link.central.receive() == [link.ended(near, .linkLayerResponseTimeout)])
  }

  @Test("A link lost at a command: the command is taken, and both sides time out")
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

  @Test("A link lost after so many packets: those arrive, and none that is sent later")
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

  @Test("Taken back, they do not happen")
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

@Suite("What a controller computes for its host")
struct ComputingTests {
  @Test("LE Encrypt is AES-128: the example of FIPS 197, C.1, the least significant byte first")
  func encrypt() {
    let host = TestHost(on: VirtualAir())
    let key = (UInt8(0)..<16).map { $0 }
    let plaintext = (UInt8(0)..<16).map { $0 * 0x11 }
    let ciphertext: [UInt8] = [
      0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5,
      0x5A,
    ]
    #expect(
      host.ask(.leEncrypt, key.reversed() + plaintext.reversed())
        == [complete(.leEncrypt, .success, ciphertext.reversed())])
  }

  @Test("The curve's commands: unknown, or claimed and refused; never carried out")
  func curve() {
    let commands: [(HCIOpcode, Int, Int, Int)] = [
      (.leReadLocalP256PublicKey, 0, 34, 1), (.leGenerateDHKey, 64, 34, 2),
      (.leGenerateDHKeyV2, 65, 41, 2),
    ]
    let air = VirtualAir()
    let unknowing = TestHost(on: air)
    let refusing = TestHost(
      on: air, configuration: .init(p256Commands: .refused(.unspecifiedError)))
    let honest = unknowing.ask(.readLocalSupportedCommands)[0]
    let claims = refusing.ask(.readLocalSupportedCommands)[0]
    for (command, length, octet, bit) in commands {
      #expect(unknowing.ask(command, .zeros(length)) == [status(command, .unknownCommand)])
      #expect(honest[7 + octet] & 1 << UInt8(bit) == 0)
      #expect(refusing.ask(command, .zeros(length)) == [status(command, .unspecifiedError)])
      #expect(claims[7 + octet] & 1 << UInt8(bit) != 0)
      for count in 0...70 where count != length {
        #expect(
          refusing.ask(command, .zeros(count)) == [status(command, .invalidCommandParameters)])
      }
    }
  }
}
