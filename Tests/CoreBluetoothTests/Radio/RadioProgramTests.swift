import BluetoothHost
import LinuxRadio
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// The program of a radio, with time that passes on request.
struct RadioProgramTests {
  private let air = VirtualAir(seed: 5)
  private let controller: VirtualController

  init() {
    controller = air.addController()
  }

  /// Carries every packet.
  private func run(_ program: LocalDevice) {
    var storage = [UInt8](repeating: 0, count: 1_024)
    var isBusy = true
    while isBusy {
      isBusy = false
      var writer = ByteWriter(storage.mutableSpan)
      if program.nextPacket(into: &writer, at: air.now) {
        let count = writer.count
        controller.send(storage.span.extracting(0..<count))
        isBusy = true
      }
      var reader = ByteWriter(storage.mutableSpan)
      if controller.nextPacket(into: &reader) {
        let count = reader.count
        program.receive(storage.span.extracting(0..<count), at: air.now)
        isBusy = true
      }
    }
    program.advance(to: air.now)
    program.turnEnded()
  }

  private func pass(_ milliseconds: UInt32, _ program: LocalDevice) {
    air.advance(to: air.now.advanced(by: milliseconds))
    program.advance(to: air.now)
    run(program)
  }

  private func started() -> LocalDevice {
    let program = LocalDevice(address: .automatic(orRandom: .newStaticRandom()))
    program.radioIsReady(at: air.now)
    run(program)
    return program
  }

  private func connect(_ program: LocalDevice, to ball: VirtualController) {
    program.central.connect(
      PeerLink.Member(CentralHandle(queue: .main)) { _ in }, to: ball.address)
  }

  @Test func itSleepsWhileNothingHappens() {
    let program = started()
    let isReady = program.isReady
    let deadline = program.deadline
    #expect(isReady)
    #expect(deadline == nil)
  }

  /// The host waits 2 s after each refusal of a Reset.
  @Test func aControllerThatCannotBeStartedIsTriedAgain() {
    controller.faults.refuse(.reset, with: .hardwareFailure, times: 5)
    let program = LocalDevice(address: .automatic(orRandom: .newStaticRandom()))
    var troubles: [String] = []
    program.onTrouble = { troubles.append($0.description) }
    program.radioIsReady(at: air.now)
    run(program)
    pass(2_000, program)
    #expect(troubles == [])
    pass(2_000, program)
    // Three faults without hearing a peer. Further ones are not reported.
    #expect(troubles == ["the controller refused command 0x0C03 with error 0x03"])
    pass(2_000, program)
    pass(2_000, program)
    pass(1_999, program)
    #expect(!program.isReady)
    pass(1, program)
    #expect(program.isReady)
    #expect(troubles.count == 1)
    #expect(program.deadline == nil)
  }

  @Test func itShutsDown() throws {
    let ball = air.addController()
    ball.advertise()
    let program = started()
    connect(program, to: ball)
    run(program)
    pass(200, program)
    #expect(controller.connectionHandles.count == 1)
    program.shutDown(at: air.now)
    #expect(!program.isFinished)
    run(program)
    #expect(program.isFinished)
    #expect(controller.connectionHandles.isEmpty)
  }

  /// A new thread of the radio starts without the state of the last.
  @Test func itStartsAgain() throws {
    let ball = air.addController()
    ball.advertise()
    let program = started()
    let handle = CentralHandle(queue: .main)
    program.central.add(handle)
    program.central.scan(
      handle, ManagerScan(number: 1, services: [], solicited: [], allowsDuplicates: false))
    connect(program, to: ball)
    run(program)
    pass(200, program)
    program.shutDown(at: air.now)
    run(program)
    program.renew()
    #expect(!program.isFinished)
    #expect(!program.isReady)
    program.radioIsReady(at: air.now)
    run(program)
    #expect(program.isReady)
    #expect(!controller.isScanning)
    #expect(program.deadline == nil)
  }
}

extension VirtualController {
  /// Advertises as a host would have it.
  fileprivate func advertise() {
    let parameters = LESetAdvertisingParameters(minimumInterval: 32, maximumInterval: 32)
    var storage = [UInt8](repeating: 0, count: 64)
    var writer = ByteWriter(storage.mutableSpan)
    parameters.writePacket(to: &writer)
    let count = writer.count
    send(storage.span.extracting(0..<count))
    var second = ByteWriter(storage.mutableSpan)
    LESetAdvertisingEnable(true).writePacket(to: &second)
    let length = second.count
    send(storage.span.extracting(0..<length))
  }
}
