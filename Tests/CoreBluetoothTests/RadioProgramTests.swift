import BluetoothCentral
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

  /// Carries every packet that there is.
  private func run(_ program: inout DeviceProgram) {
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

  private func pass(_ milliseconds: UInt32, _ program: inout DeviceProgram) {
    air.advance(to: air.now.advanced(by: milliseconds))
    program.advance(to: air.now)
    run(&program)
  }

  private func started() -> DeviceProgram {
    var program = DeviceProgram(
      CentralEngine(address: .automatic(orRandom: .newStaticRandom())),
      PeripheralEngine(address: .automatic(orRandom: .newStaticRandom())), onTrouble: { _ in },
      onLoss: { _ in })
    program.shared.join(.first, at: air.now)
    program.radioIsReady(at: air.now)
    run(&program)
    return program
  }

  @Test func itSleepsWhenNothingIsToBeDone() {
    var program = started()
    let isReady = program.shared.first.central.isReady
    let deadline = program.deadline
    #expect(isReady)
    #expect(deadline == nil)
  }

  @Test func aControllerThatCannotBeStartedIsTriedAgain() {
    controller.faults.refuse(.reset, with: .hardwareFailure, times: 4)
    var program = started()
    let events = Locked([CentralEvent]())
    program.shared.first.onEvent.append { event, _ in events.withLock { $0.append(event) } }
    pass(4_999, &program)
    var isReady = program.shared.first.central.isReady
    #expect(!isReady)
    pass(1, &program)
    isReady = program.shared.first.central.isReady
    #expect(isReady)
    let deadline = program.deadline
    #expect(deadline == nil)
    #expect(
      events.withLock { $0 } == [
        .radioFault(.refused(.reset, .hardwareFailure)), .ready(address: controller.address),
      ])
  }

  @Test func itSaysGoodbye() throws {
    let ball = air.addController()
    ball.advertise()
    var program = started()
    let link = program.shared.first.central.connect(to: ball.address, at: air.now)
    run(&program)
    pass(200, &program)
    #expect(controller.connectionHandles.count == 1)
    program.shutDown(at: air.now)
    var isFinished = program.isFinished
    #expect(!isFinished)
    run(&program)
    isFinished = program.isFinished
    #expect(isFinished)
    #expect(controller.connectionHandles.isEmpty)
    _ = link
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
