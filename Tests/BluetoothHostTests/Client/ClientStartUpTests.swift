import BluetoothHost
import Expectations

@Suite("Host: start-up of a client")
struct ClientStartUpTests {
  private static let order: [HCIOpcode] = [
    .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
    .leReadLocalSupportedFeatures,
  ]

  private func started(_ change: (ScriptedCentral<1>) -> Void = { _ in }) -> ScriptedCentral<1> {
    let central = ScriptedCentral<1>()
    change(central)
    central.start()
    return central
  }

  @Test("reads the controller's properties, and sets up no advertising")
  func startUp() {
    let central = started()
    expect(central.commands, is: Self.order)
    expect(central.takeEvents(), is: [.radio(.silent)])
    expect(central.deadline, is: nil)
  }

  @Test("uses the random address if the controller has no public one")
  func randomAddress() {
    let central = started { $0.publicAddress = [0, 0, 0, 0, 0, 0] }
    expect(central.commands, is: Self.order + [.leSetRandomAddress])
    let address = central.host.address
    expect(address, is: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0]))
    // It uses the address to scan and connect.
    central.scan(ScanParameters())
    expect(central.parameters(of: .leSetScanParameters), is: [[1, 96, 0, 96, 0, 1, 0]])
    central.connect(to: .numbered(2))
    expect(central.parameters(of: .leCreateConnection).map { $0[12] }, is: [1])
  }

  /// Core Specification, Vol 4, Part E, 7.8.1: the default mask has the events of links and
  /// advertisers.
  @Test("works with a controller that refuses or ignores the LE event mask")
  func leEventMask() {
    for central in [
      started { $0.refused = (.leSetEventMask, .unknownCommand) },
      started { $0.unanswered = .leSetEventMask },
    ] {
      central.pass(milliseconds: 2_000)
      expect(central.radio, is: .silent)
      expect(central.commands, is: Self.order)
    }
  }

  /// Core Specification, Vol 4, Part E, 7.3.1: by default LE Meta, bit 61, is masked, so no link
  /// would ever be reported.
  @Test("reports a controller that refuses the event mask, and tries again")
  func eventMask() {
    let central = started { $0.refused = (.setEventMask, .unknownCommand) }
    expect(central.takeEvents(), is: [.radio(.fault(.refused(.setEventMask, .unknownCommand)))])
    central.refused = nil
    central.pass(milliseconds: 2_000)
    expect(central.radio, is: .silent)
  }

  @Test("a peripheral treats both masks alike")
  func peripheral() {
    let strict = ScriptedPeripheral<1>.with { $0.refused = (.setEventMask, .unknownCommand) }
    expect(strict.radio, is: .fault(.refused(.setEventMask, .unknownCommand)))
    let lenient = ScriptedPeripheral<1>.with { $0.refused = (.leSetEventMask, .unknownCommand) }
    expect(lenient.radio, is: .advertising)
  }

  @Test("a lost controller ends links and attempts; the next one is set up")
  func lost() {
    let central = ScriptedCentral<2>.connected()
    central.script = { opcode, _ in opcode == .leCreateConnection ? [Events.status(opcode)] : nil }
    central.connect(to: .numbered(3))
    central.radioLost()
    expect(
      central.takeEvents(),
      is: [
        .disconnected(0, .hardwareFailure), .connectionFailed(.hardwareFailure),
        .radio(.fault(.lost)),
      ])
    expect(central.nextPacket(), is: nil)
    central.start()
    expect(central.radio, is: .silent)
    expect(central.canConnect)
  }

  @Test("works with answers of every length", arguments: order)
  func truncated(step: HCIOpcode) {
    for length in 0..<12 {
      let central = started {
        $0.script = { opcode, _ in
          guard opcode == step else { return nil }
          let whole: [UInt8] = [0, 1, 0, 0, 0, 0, 0xF0, 0, 0, 0, 0, 0]
          return [Events.complete(opcode, Array(whole.prefix(length)))]
        }
      }
      central.pass(milliseconds: 10_000)
      expect(central.radio, is: .silent, "length \(length)")
    }
  }
}
