import BluetoothHost
import Expectations
import VirtualRadio

@Suite("The same calls give the same packets")
struct DeterminismTests {
  /// Twelve hosts that act by a fixed seed, and a checksum of every packet that they read
  /// and of every deadline of the air.
  private final class Story {
    private let air = VirtualAir(seed: 7)
    private var hosts: [TestHost] = []
    private var random: UInt64
    private var now: UInt64 = 0
    private(set) var reports = 0
    private(set) var links = 0
    private(set) var droppedReports = 0
    /// FNV-1a, 64 bits.
    private(set) var checksum: UInt64 = 0xCBF2_9CE4_8422_2325

    init(seed: UInt64) {
      random = seed
      for _ in 0..<12 { hosts.append(TestHost(on: air)) }
    }

    func run(steps: Int) {
      for step in 0..<steps {
        act(on: Int(next(UInt64(hosts.count))))
        now += next(20)
        air.advance(to: milliseconds(now))
        note(air.deadline?.rawValue ?? .max)
        // Often enough that no report is dropped.
        if step % 8 == 0 { for host in hosts { read(host) } }
        read(hosts[Int(next(UInt64(hosts.count)))])
      }
    }

    private func act(on index: Int) {
      let host = hosts[index]
      let other = hosts[Int(next(UInt64(hosts.count)))]
      switch next(16) {
      case 0, 1:
        host.send(LESetAdvertisingEnable(false))
        host.advertise(
          [2, 1, UInt8(index)], scanResponse: [2, 9, 65], interval: UInt16(160 + next(300)),
          type: UInt8([0, 0, 2, 3][Int(next(4))]))
      case 2: host.send(LESetAdvertisingEnable(false))
      case 3, 4: host.scan(active: next(2) == 0, filterDuplicates: next(2) == 0)
      case 5: host.stopScanning()
      case 6, 7:
        host.connect(to: other.controller.address, supervisionTimeout: UInt16(10 + next(60)))
      case 8: host.send(HCIOpcode.leCreateConnectionCancel)
      case 9:
        if let handle = host.controller.connectionHandles.last {
          host.send(Disconnect(handle: handle, reason: .remoteUserTerminatedConnection))
        }
      case 10, 11:
        for handle in host.controller.connectionHandles {
          host.send([UInt8](repeating: UInt8(index), count: Int(1 + next(80))), on: handle)
        }
      case 12:
        air.setSignalStrength(
          next(3) == 0 ? nil : -60 + Int8(next(20)), from: host.controller, to: other.controller)
      case 13:
        switch next(4) {
        case 0: host.controller.faults.duplicatePacket()
        case 1: host.controller.faults.losePacket(type: .acl)
        case 2: host.controller.faults.leaveUnanswered()
        default: host.controller.faults.loseCompletions(1)
        }
      case 14:
        host.send(HCIOpcode.reset)
        host.send(SetEventMask(mask: .max))
        host.send(LESetEventMask(mask: 0xFFFF))
      default:
        guard next(4) == 0 else { return }
        read(host)
        air.remove(host.controller, next(2) == 0 ? .politely : .vanishing)
        hosts.remove(at: index)
        hosts.append(
          TestHost(
            on: air,
            configuration: .init(
              supportsCodedPHY: false, supportsExtendedAdvertising: false,
              maximumLinks: Int(1 + next(3)))))
      }
    }

    private func read(_ host: TestHost) {
      note(UInt64(host.controller.number))
      for packet in host.receive() {
        if packet.starts(with: [0x04, 0x3E]), packet.count > 3 {
          if packet[3] == 0x02 { reports += 1 }
          if packet[3] == 0x0A, packet[4] == 0 { links += 1 }
        }
        for byte in packet { note(byte) }
      }
      droppedReports += host.controller.counters.droppedReports
    }

    private func note(_ number: UInt64) {
      for shift in stride(from: 0, to: 64, by: 8) {
        note(UInt8(truncatingIfNeeded: number >> shift))
      }
    }

    private func note(_ byte: UInt8) {
      checksum = (checksum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    private func next(_ bound: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random &>> 33) % bound
    }
  }

  // The checksums are those of an air that asked every controller at every step.
  @Test(
    "A long run of twelve hosts, with faults and signal strengths, never changes",
    arguments: [
      (UInt64(1), UInt64(0xDE37_E350_6F43_AD3F)), (2, 0x933D_D71C_F7A3_07A5),
      (3, 0xE80F_7CE2_26EE_A676),
    ])
  func story(seed: UInt64, checksum: UInt64) {
    let story = Story(seed: seed)
    story.run(steps: 20_000)
    // The run has enough events to compare.
    expect(story.reports > 1_000)
    expect(story.links > 100)
    expect(story.droppedReports, is: 0)
    expect(story.checksum, is: checksum)
  }
}
