import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A program whose controller's packets take a while.
struct DelayedProgram<Program: RadioProgram & ~Copyable>: HostSide, ~Copyable {
  var program: Program
  /// How long a packet takes from the controller, in milliseconds.
  var delay: UInt32 = 0
  var underWay: [(due: Instant, packet: [UInt8])] = []

  init(_ program: consuming Program) { self.program = program }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    underWay.append((now.advanced(by: delay), packet.indices.map { packet[$0] }))
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    while let first = underWay.first, first.due <= now {
      underWay.removeFirst()
      program.receive(first.packet.span, at: now)
      if program.nextPacket(into: &writer, at: now) { return true }
    }
    return program.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? {
    mutating get { Instant.earlier(program.deadline, underWay.first?.due) }
  }

  mutating func advance(to now: Instant) { program.advance(to: now) }
}

/// A program and its controller.
final class Seat<Program: RadioProgram & ~Copyable> {
  private let device: AirDevice<DelayedProgram<Program>>
  /// The opcodes of the commands.
  private(set) var commands: [HCIOpcode] = []

  init(_ program: consuming Program, on bench: AirBench, _ controller: VirtualController? = nil) {
    device = bench.add(DelayedProgram(program), on: controller)
    device.onPacket = { [unowned self] packet, _ in
      if case .command(let opcode, _)? = HCIPacket(packet) { commands.append(opcode) }
    }
    self.program.radioIsReady(at: bench.now)
  }

  var radio: VirtualController { device.controller }
  var program: Program {
    _read { yield device.host.program }
    _modify { yield &device.host.program }
  }
  var delay: UInt32 {
    get { device.host.delay }
    set { device.host.delay = newValue }
  }

  /// Everything on its way is lost, and so is the controller.
  func lose(at now: Instant) {
    device.unplug()
    device.host.underWay = []
    program.radioIsLost(RadioError("unplugged"), at: now)
  }

  /// The controller is back.
  func find(at now: Instant) {
    device.plugIn()
    program.radioIsReady(at: now)
  }
}

/// An air with a device in both roles: it connects to a ball, while a phone connects to it.
final class RoleStage {
  let bench: AirBench
  let device: Seat<DeviceRunner>
  let ball: Seat<PlainBall>
  let phone: Seat<DeviceRunner>
  private(set) var isStuck = false

  static let controllerAddress = DeviceAddress(kind: .public, bytes: [0xDE, 0, 0, 0, 0, 0xF0])
  static let ballAddress = DeviceAddress(kind: .public, bytes: [0xBA, 0x11, 0, 0, 0, 0xF0])
  /// What the device's only characteristic holds.
  static let value = (0..<400).map { UInt8(truncatingIfNeeded: $0) }

  /// - Parameters:
  ///   - delay: How long a packet takes from the device's controller, in milliseconds.
  ///   - isPublished: Whether the device advertises from the beginning.
  ///   - fault: What is wrong with the device's controller from the beginning.
  init(
    seed: UInt64 = 7, controller: ControllerConfiguration = .init(), delay: UInt32 = 0,
    isPublished: Bool = true, _ fault: (VirtualController) -> Void = { _ in }
  ) throws {
    bench = AirBench(seed: seed)
    let radio = bench.air.addController(address: Self.controllerAddress, configuration: controller)
    fault(radio)
    device = Seat(DeviceRunner(), on: bench, radio)
    ball = Seat(try PlainBall(), on: bench, bench.air.addController(address: Self.ballAddress))
    phone = Seat(DeviceRunner(), on: bench)
    device.delay = delay
    if isPublished { try publish() }
    settle()
  }

  /// The device advertises a service with one value of 400 bytes, at the handle 0x0012.
  func publish() throws {
    let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "A001"), properties: .read, value: Data(Self.value),
        permissions: .readable)
    ]
    let client = PeripheralHandle(queue: DispatchQueue(label: "client"))
    device.program.device.peripheral.add(try ServiceDefinition(service), for: client)
    // Managers advertise again after a fault. Here there is no manager.
    let services = [BluetoothUUID(0xA000)]
    let name = Array("Device".utf8)
    device.program.device.host.advertise(
      Advertisement(services: services.span, name: name.span))
  }

  var now: Instant { bench.now }

  /// The device's address: its controller's, if that could be read.
  var deviceAddress: DeviceAddress { device.program.device.host.address }

  func settle() {
    attempt { () throws(AirBenchError) in try bench.settle() }
  }

  /// Carries packets and lets time pass until `isDone`, for `milliseconds` at most. Returns
  /// `isDone`.
  @discardableResult
  func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    var isEnded = false
    attempt { () throws(AirBenchError) in
      isEnded = try bench.run(for: milliseconds, until: isDone)
    }
    return isEnded
  }

  func run(for milliseconds: UInt32) {
    run(within: milliseconds) { false }
  }

  private func attempt(_ body: () throws(AirBenchError) -> Void) {
    do {
      try body()
    } catch {
      isStuck = true
      Issue.record("\(error) The device sent \(device.commands.suffix(8))")
    }
  }

  // MARK: What is done

  /// The device's central connects to the ball.
  func visitBall(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    try visit(Self.ballAddress, from: device, sourceLocation)
  }

  /// The phone connects to the device.
  func visitDevice(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    try visit(deviceAddress, from: phone, sourceLocation)
  }

  private func visit(
    _ address: DeviceAddress, from seat: Seat<DeviceRunner>, _ sourceLocation: SourceLocation
  ) throws -> LinkID {
    for _ in 0..<5 {
      let link = seat.program.central.connect(to: address)
      if run(within: 15_000, until: { seat.program.links.contains(link) }) { return link }
      seat.program.central.disconnect(link)
    }
    Issue.record("\(seat.program.events.suffix(5))", sourceLocation: sourceLocation)
    throw CancellationError()
  }

  /// Asks the ball over a link of the device, and gives its answer.
  func askBall(_ link: LinkID) -> String? {
    let question = Array("Will a question of some length be answered as well?".utf8)
    let central = device.program.central
    central.perform(.exchangeMTU, on: link)
    central.perform(.write(handle(0x1D), question), on: link)
    let answer = read(handle(0x1F), link, device)
    return answer.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Asks the device over a link of the phone; whether it answers.
  func askDevice(_ link: LinkID) -> Bool {
    phone.program.central.perform(.exchangeMTU, on: link)
    return read(handle(0x12), link, phone) == Self.value
  }

  private func read(
    _ handle: AttributeHandle, _ link: LinkID, _ seat: Seat<DeviceRunner>
  ) -> [UInt8]? {
    let read = seat.program.central.perform(.read(handle), on: link)
    run(within: 40_000) { seat.program.outcomes[read] != nil }
    guard case .success(.value(let bytes))? = seat.program.outcomes[read], !bytes.isEmpty else {
      return nil
    }
    return bytes
  }

  /// Both roles can be used, from the beginning to an answer; and the controller was treated well.
  func expectWorking(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let visit = try visitBall(sourceLocation: sourceLocation)
    let call = try visitDevice(sourceLocation: sourceLocation)
    let answer = askBall(visit)
    #expect(answer != nil, "the ball's answer", sourceLocation: sourceLocation)
    #expect(askDevice(call), "the device's answer", sourceLocation: sourceLocation)
    device.program.central.disconnect(visit)
    phone.program.central.disconnect(call)
    run(within: 20_000) { self.phone.program.links.isEmpty && self.device.program.links.isEmpty }
    expectTidy(sourceLocation: sourceLocation)
  }

  /// The device's central can be used while the phone keeps its link.
  func expectWorkingBeside(
    _ call: LinkID, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let visit = try visitBall(sourceLocation: sourceLocation)
    #expect(askBall(visit) != nil, sourceLocation: sourceLocation)
    #expect(askDevice(call), sourceLocation: sourceLocation)
    #expect(phone.program.links == [call], sourceLocation: sourceLocation)
    expectTidy(sourceLocation: sourceLocation)
  }

  func expectTidy(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!isStuck, sourceLocation: sourceLocation)
    #expect(device.radio.counters.packetsBeyondCredits == 0, sourceLocation: sourceLocation)
    #expect(device.radio.counters.oversizedPackets == 0, sourceLocation: sourceLocation)
    #expect(device.radio.counters.malformedPackets == 0, sourceLocation: sourceLocation)
  }
}
