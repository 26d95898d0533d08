import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// Somebody on the stage.
protocol Seated: AnyObject {
  func carryOne(at now: Instant) -> Bool
  var deadline: Instant? { get }
  func advance(to now: Instant)
}

/// A program and its controller.
final class Seat<Program: RadioProgram & ~Copyable>: Seated {
  var radio: VirtualController
  var program: Program
  /// How long a packet takes from the controller, in milliseconds.
  var delay: UInt32 = 0
  /// The opcodes of the commands.
  private(set) var commands: [HCIOpcode] = []
  private var underWay: [(due: Instant, packet: [UInt8])] = []

  init(_ radio: VirtualController, _ program: consuming Program, at now: Instant) {
    self.radio = radio
    self.program = program
    self.program.radioIsReady(at: now)
  }

  func carryOne(at now: Instant) -> Bool {
    if radio.hasPacket, let packet = packet({ radio.nextPacket(into: &$0) }) {
      underWay.append((now.advanced(by: delay), packet))
      return true
    }
    if let first = underWay.first, first.due <= now {
      underWay.removeFirst()
      program.receive(first.packet.span, at: now)
      return true
    }
    if let packet = packet({ program.nextPacket(into: &$0, at: now) }) {
      if case .command(let opcode, _)? = HCIPacket(packet.span) { commands.append(opcode) }
      radio.send(packet.span)
      return true
    }
    return false
  }

  var deadline: Instant? {
    Instant.earlier(program.deadline, underWay.first?.due)
  }

  func advance(to now: Instant) { program.advance(to: now) }

  var isFinished: Bool { program.isFinished }

  /// Everything on its way is lost, and so is the controller.
  func lose(at now: Instant) {
    radio.vanish()
    underWay = []
    program.radioIsLost(RadioError("unplugged"), at: now)
  }

  private func packet(_ write: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(storage.mutableSpan)
    guard write(&writer) else { return nil }
    let count = writer.count
    return Array(storage[..<count])
  }
}

/// An air on which one device has both roles: it visits a ball, while a phone visits the device.
final class RoleStage {
  let air: VirtualAir
  let configuration: ControllerConfiguration
  let device: Seat<DeviceRunner>
  let ball: Seat<PlainBall>
  let phone: Seat<DeviceRunner>
  private var turn = 0
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
    air = VirtualAir(seed: seed)
    configuration = controller
    let now = air.now
    let radio = air.addController(address: Self.controllerAddress, configuration: controller)
    fault(radio)
    device = Seat(radio, DeviceRunner(), at: now)
    ball = Seat(air.addController(address: Self.ballAddress), try PlainBall(), at: now)
    phone = Seat(air.addController(), DeviceRunner(), at: now)
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
    let client = PeripheralClient(queue: DispatchQueue(label: "client"))
    device.program.peripheral.add(try ServiceDefinition(service), for: client)
    // Managers advertise anew after a fault. Here no manager does.
    let services = [BluetoothUUID(0xA000)]
    let name = Array("Device".utf8)
    device.program.device.host.advertise(
      Advertisement(services: services.span, name: name.span))
  }

  var now: Instant { air.now }

  /// What the device goes by: its controller's address, if that could be read.
  var deviceAddress: DeviceAddress { device.program.device.host.address }

  /// Others on the air.
  var guests: [any Seated] = []

  private var seats: [any Seated] { [device, ball, phone] + guests }

  func carryOne() -> Bool {
    let seats = seats
    for _ in seats.indices {
      turn = (turn + 1) % seats.count
      if seats[turn].carryOne(at: now) { return true }
    }
    return false
  }

  func settle() {
    var count = 0
    while carryOne() {
      count += 1
      if count > 100_000 { return giveUp("Packets go to and fro without end") }
    }
  }

  /// Carries packets and lets time pass until `isDone`, for `milliseconds` at most; gives
  /// `isDone`.
  @discardableResult
  func run(within milliseconds: UInt32, until isDone: () -> Bool) -> Bool {
    let limit = now.advanced(by: milliseconds)
    var stops = 0
    while !isDone() {
      if carryOne() { continue }
      let before = now
      let next = seats.reduce(air.deadline) { Instant.earlier($0, $1.deadline) }
      let time = min(max(next ?? limit, now), limit)
      air.advance(to: time)
      for seat in seats { seat.advance(to: time) }
      stops = now == before ? stops + 1 : 0
      if stops > 1_000 { giveUp("A deadline at \(now.rawValue) ms does not pass") }
      if isStuck || (now == limit && !carryOne()) { return isDone() }
    }
    return true
  }

  func run(for milliseconds: UInt32) {
    run(within: milliseconds) { false }
  }

  private func giveUp(_ why: String) {
    isStuck = true
    Issue.record("\(why): the device sent \(device.commands.suffix(8))")
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
