import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("Starting a controller")
struct StartUpTests {
  private func started(
    _ configuration: CentralConfiguration = .test,
    script: @escaping (HCIOpcode, [UInt8]) -> [[UInt8]]? = { _, _ in nil },
    change: (ScriptedRadio) -> Void = { _ in }
  ) -> (Central, ScriptedRadio) {
    let central = Central(configuration: configuration)
    let radio = ScriptedRadio(central)
    radio.script = script
    change(radio)
    central.start(at: radio.now)
    radio.run()
    return (central, radio)
  }

  private static let order: [HCIOpcode] = [
    .reset, .setEventMask, .leSetEventMask, .readBDADDR, .leReadBufferSize,
    .leReadLocalSupportedFeatures,
  ]

  @Test("asks what it must know, one command at a time")
  func order() {
    let (central, radio) = started()
    #expect(radio.commands == Self.order)
    #expect(central.takeEvents() == [.ready(address: .numbered(1))])
    #expect(central.deadline == nil)
  }

  @Test("takes the shared buffers where there are none for LE")
  func sharedBuffers() {
    let (central, radio) = started(script: { opcode, _ in
      switch opcode {
      case .leReadBufferSize: [ScriptedRadio.complete(opcode, [0, 0, 0, 0])]
      case .readBufferSize:
        // 1021 bytes × 4, and 64 bytes × 8 for audio.
        [ScriptedRadio.complete(opcode, [0, 0xFD, 0x03, 64, 4, 0, 8, 0])]
      default: nil
      }
    })
    #expect(radio.commands.contains(.readBufferSize))
    #expect(central.isReady)
    #expect(central.budget.length == 1_021)
    #expect(central.budget.total == 4)
  }

  @Test("takes the random address where there is no public one")
  func randomAddress() {
    let (central, radio) = started(change: { $0.address = [0, 0, 0, 0, 0, 0] })
    #expect(radio.commands == Self.order + [.leSetRandomAddress])
    #expect(central.takeEvents() == [.ready(address: CentralConfiguration.test.randomAddress)])
  }

  @Test("takes the random address where it is preferred")
  func preferredRandomAddress() {
    var configuration = CentralConfiguration.test
    configuration.prefersRandomAddress = true
    let (central, radio) = started(configuration)
    #expect(radio.commands.last == .leSetRandomAddress)
    #expect(central.address.kind == .random)
  }

  @Test(
    "goes on without what is of no consequence",
    arguments: [HCIOpcode.setEventMask, .leSetEventMask, .leReadLocalSupportedFeatures])
  func optional(opcode: HCIOpcode) {
    let refusal = ScriptedRadio.complete(opcode, [0x01])
    for answer in [[refusal], [ScriptedRadio.status(opcode, .unknownCommand)], []] {
      let (central, radio) = started(script: { code, _ in code == opcode ? answer : nil })
      radio.pass(central.configuration.commandTimeout)
      #expect(central.isReady)
      #expect(radio.commands == Self.order)
    }
  }

  @Test("gives up a controller that does not answer, after three attempts")
  func silence() {
    let (central, radio) = started(script: { _, _ in [] })
    #expect(central.takeEvents() == [])
    radio.pass(2_000)
    #expect(central.takeEvents() == [.radioFault(.unanswered(.reset))])
    radio.pass(2_000)
    #expect(central.takeEvents() == [.radioFault(.unanswered(.reset))])
    radio.pass(2_000)
    #expect(central.takeEvents() == [.radioFailed(.unanswered(.reset))])
    radio.pass(60_000)
    #expect(radio.commands == [.reset, .reset, .reset])
    #expect(central.deadline == nil)
  }

  @Test("gives up a controller that has no buffers")
  func noBuffers() {
    let (central, _) = started(script: { opcode, _ in
      opcode == .leReadBufferSize || opcode == .readBufferSize
        ? [ScriptedRadio.complete(opcode, [0x01])] : nil
    })
    #expect(central.takeEvents().last == .radioFailed(.refused(.readBufferSize, .unknownCommand)))
  }

  @Test("starts a controller again that says it failed, and ends what there was")
  func hardwareError() {
    let (central, radio, link) = connectedCentral()
    let operation = central.perform(.read(AttributeHandle(rawValue: 3)), on: link)
    radio.run()
    radio.give(ScriptedRadio.event(HardwareError(hardwareCode: 0x42)))
    radio.run()
    #expect(
      central.takeEvents() == [
        .radioFault(.hardwareError(0x42)),
        .completed(operation, link, .failure(.disconnected)),
        .disconnected(link, .radioLost),
        .ready(address: .numbered(1)),
      ])
  }

  /// Symptom: a controller with a Hardware Error after each start was started again without a pause.
  @Test("gives up a controller that fails again and again with no peer heard in between")
  func hardwareErrorsInARow() {
    let (central, radio, _) = connectedCentral()
    for _ in 0..<5 {
      radio.give(ScriptedRadio.event(HardwareError(hardwareCode: 0x42)))
      radio.run()
    }
    let events = central.takeEvents()
    #expect(events.filter { $0 == .radioFault(.hardwareError(0x42)) }.count == 2)
    #expect(events.filter { $0 == .radioFailed(.hardwareError(0x42)) }.count == 1)
    #expect(!central.isReady)
  }

  @Test("waits for a controller that takes no commands now, but not for ever")
  func closedGate() {
    let central = Central(configuration: .test)
    let radio = ScriptedRadio(central)
    radio.script = { opcode, _ in
      opcode == .setEventMask ? [ScriptedRadio.complete(opcode, [0], credits: 0)] : nil
    }
    central.start(at: radio.now)
    radio.run()
    #expect(radio.commands == [.reset, .setEventMask])
    radio.give(ScriptedRadio.complete(.none, []))
    radio.run()
    #expect(central.isReady)

    central.start(at: radio.now)
    radio.run()
    #expect(!central.isReady)
    radio.pass(2_000)
    #expect(central.isReady)
  }

  @Test("is ready again after the way to the controller was gone")
  func lost() {
    let (central, radio, link) = connectedCentral()
    central.radioLost()
    #expect(
      central.takeEvents() == [.radioFailed(.lost), .disconnected(link, .radioLost)])
    #expect(radio.takePacket() == nil)
    central.start(at: radio.now)
    radio.run()
    #expect(central.isReady)
  }

  @Test("an answer cut short anywhere is not taken for an answer")
  func truncated() {
    for step in Self.order {
      for length in 0..<12 {
        let central = Central(configuration: .test)
        let radio = ScriptedRadio(central)
        radio.script = { opcode, _ in
          guard opcode == step else { return nil }
          let whole: [UInt8] = [0] + radio.address + [0, 0, 0, 0]
          return [ScriptedRadio.complete(opcode, Array(whole.prefix(length)))]
        }
        central.start(at: radio.now)
        radio.run()
        radio.pass(10_000)
        #expect(central.isReady || central.takeEvents().contains { $0.isFailure })
      }
    }
  }
}

extension CentralEvent {
  fileprivate var isFailure: Bool {
    if case .radioFailed = self { true } else { false }
  }
}
