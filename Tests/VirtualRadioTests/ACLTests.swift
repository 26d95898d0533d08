import BluetoothHost
import Expectations
import VirtualRadio

@Suite("ACL packets and credits")
struct ACLTests {
  private let pair = Pair()

  @Test("A packet reaches the other host with that host's handle, and then the credit returns")
  func delivery() {
    let (near, far) = (pair.central.handle, pair.peripheral.handle)
    pair.central.send([1, 2, 3], on: near)
    // Only after the other host has taken it.
    expect(pair.central.receive(), is: [])
    expect(pair.peripheral.receive(), is: [acl(far, .firstFlushable, [1, 2, 3])])
    expect(pair.central.receive(), is: [completed(near)])
    pair.peripheral.send([4], on: far, .continuing)
    expect(pair.central.receive(), is: [acl(near, .continuing, [4])])
    expect(pair.peripheral.receive(), is: [completed(far)])
    expect(pair.central.controller.counters.deliveredPackets, is: 1)
  }

  @Test("Before a longer data length is negotiated, a link carries 27 bytes at a time")
  func linkFragments() {
    let (near, far) = (pair.central.handle, pair.peripheral.handle)
    let data = (0..<60).map { UInt8($0) }
    pair.central.send(data, on: near)
    expect(
      pair.peripheral.receive(),
      is: [
        acl(far, .firstFlushable, Array(data[0..<27])),
        acl(far, .continuing, Array(data[27..<54])),
        acl(far, .continuing, Array(data[54..<60])),
      ])
    expect(pair.central.receive(), is: [completed(near)])
    // The central's packets grow; the peripheral's stay.
    pair.central.send(LESetDataLength(handle: near, transmitOctets: 251, transmitTime: 2_120))
    _ = (pair.central.receive(), pair.peripheral.receive())
    pair.central.send(data, on: near)
    pair.peripheral.send(data, on: far)
    expect(pair.peripheral.receive().first, is: acl(far, .firstFlushable, data))
    expect(pair.central.receive().count, is: 3 + 1)
  }

  @Test("A host with small buffers gets small fragments, whatever the link carries")
  func hostFragments() {
    let pair = Pair(peripheral: .init(aclDataLength: 30, aclPacketCount: 2))
    let near = pair.central.handle
    pair.central.send(LESetDataLength(handle: near, transmitOctets: 251, transmitTime: 2_120))
    _ = (pair.central.receive(), pair.peripheral.receive())
    pair.central.send(.zeros(61), on: near)
    expect(pair.peripheral.receive().map(\.count), is: [5 + 30, 5 + 30, 5 + 1])
  }

  @Test("Packets beyond the host's credits are dropped and counted, over all its links")
  func beyondCredits() {
    let pair = Pair(central: .init(aclDataLength: 27, aclPacketCount: 2))
    let near = pair.central.handle
    for value in 0..<3 { pair.central.send([UInt8(value)], on: near) }
    expect(pair.central.controller.counters.packetsBeyondCredits, is: 1)
    expect(pair.peripheral.receive().map(\.last), is: [0, 1])
    expect(pair.central.receive(), is: [completed(near), completed(near)])
    pair.central.send([3], on: near)
    expect(pair.peripheral.receive().map(\.last), is: [3])
  }

  @Test("Unknown handles, long packets and reserved flags are dropped and counted")
  func wrongPackets() {
    pair.central.send([1], on: ConnectionHandle(rawValue: 0x0EFE))
    pair.central.send(.zeros(252), on: pair.central.handle)
    pair.central.send([1], on: pair.central.handle, ACLHeader.Boundary(rawValue: 0b11))
    pair.central.send([], on: pair.central.handle)
    var expected = ControllerCounters()
    expected.packetsForUnknownLinks = 1
    expected.oversizedPackets = 1
    expected.malformedPackets = 2
    expect(pair.central.controller.counters, is: expected)
    expect(pair.peripheral.receive(), is: [])
  }

  @Test("What was sent before Disconnect arrives before its event; its credits never return")
  func disconnectOrder() {
    let (near, far) = (pair.central.handle, pair.peripheral.handle)
    pair.central.send([1], on: near)
    pair.central.send(Disconnect(handle: near, reason: .remoteUserTerminatedConnection))
    expect(
      pair.peripheral.receive(),
      is: [acl(far, .firstFlushable, [1]), ended(far, .remoteUserTerminatedConnection)])
    expect(pair.central.receive().count, is: 2)  // Command Status and Disconnection Complete
  }

  @Test("Packets for a vanished peer stay in their buffers until the link ends")
  func vanishedPeer() {
    let pair = Pair(central: .init(aclPacketCount: 1))
    pair.peripheral.controller.vanish()
    pair.central.send([1], on: pair.central.handle)
    pair.central.send([2], on: pair.central.handle)
    expect(pair.central.receive(), is: [])
    expect(pair.central.controller.counters.packetsBeyondCredits, is: 1)
  }
}

@Suite("Several links")
struct CrowdTests {
  @Test("Three phones and two balls: every byte reaches only its own link")
  func noCrosstalk() {
    let air = VirtualAir()
    let balls = (0..<2).map { _ in TestHost(on: air) }
    let phones = (0..<3).map { _ in TestHost(on: air) }
    // Every phone has a link to every ball.
    for phone in phones {
      for ball in balls {
        ball.advertise()
        phone.connect(to: ball.controller.address)
      }
    }
    for host in balls + phones { _ = host.receive() }
    expect(balls.map { $0.controller.connectionHandles.count }, is: [3, 3])
    expect(phones.map { $0.controller.connectionHandles.count }, is: [2, 2, 2])

    for (number, phone) in phones.enumerated() {
      for (index, handle) in phone.controller.connectionHandles.enumerated() {
        phone.send([UInt8(number), UInt8(index)], on: handle)
      }
    }
    for (index, ball) in balls.enumerated() {
      let handles = ball.controller.connectionHandles
      expect(
        ball.receive(),
        is: handles.enumerated().map { acl($1, .firstFlushable, [UInt8($0), UInt8(index)]) })
      // Each ball answers each phone with the phone's own number.
      for (number, handle) in handles.enumerated() {
        ball.send([0x80 + UInt8(number), UInt8(index)], on: handle)
      }
    }
    for (number, phone) in phones.enumerated() {
      let handles = phone.controller.connectionHandles
      expect(
        phone.receive(),
        is: handles.enumerated().flatMap {
          [completed($1), acl($1, .firstFlushable, [0x80 + UInt8(number), UInt8($0)])]
        })
    }
  }

  @Test("One link ends, the others stay")
  func oneLeaves() {
    let air = VirtualAir()
    let ball = TestHost(on: air)
    let phones = (0..<3).map { _ in TestHost(on: air) }
    for phone in phones {
      ball.advertise()
      phone.connect(to: publicAddress(1))
    }
    for host in phones + [ball] { _ = host.receive() }
    let left = ball.controller.connectionHandles[1]
    phones[1].controller.vanish()
    air.advance(to: milliseconds(720))
    expect(ball.receive(), is: [ended(left, .connectionTimeout)])
    expect(ball.controller.connectionHandles.count, is: 2)
    expect(phones[0].receive(), is: [])
    expect(phones[2].receive(), is: [])
    phones[2].send([7], on: phones[2].handle)
    expect(ball.receive(), is: [acl(ball.handle, .firstFlushable, [7])])
  }

  @Test("Handles are never shared, however often links begin and end")
  func handles() {
    let air = VirtualAir()
    let ball = TestHost(on: air)
    let phone = TestHost(on: air)
    var seen: [UInt16] = []
    for _ in 0..<5_000 {
      ball.advertise()
      phone.connect(to: publicAddress(1))
      seen.append(ball.handle.rawValue)
      phone.send(Disconnect(handle: phone.handle, reason: .remoteUserTerminatedConnection))
      _ = (ball.receive(), phone.receive())
    }
    expect(seen.allSatisfy { (1...0x0EFF).contains($0) })
    expect(Set(seen).count, is: 0x0EFF)
  }

  @Test("When two wait for the same advertiser, the earlier controller gets it")
  func race() {
    let air = VirtualAir()
    let first = TestHost(on: air)
    let second = TestHost(on: air)
    let ball = TestHost(on: air)
    second.connect(to: publicAddress(3))
    first.connect(to: publicAddress(3))
    ball.advertise()
    expect(first.controller.connectionHandles.count, is: 1)
    expect(second.controller.connectionHandles.count, is: 0)
    ball.advertise()
    expect(second.controller.connectionHandles.count, is: 1)
  }
}
