import BluetoothHost
import Expectations
import Foundation
import VirtualRadio

@testable import CoreBluetooth

/// A device in both roles: it connects to a ball, while a phone connects to it.
final class RoleScene: Scene {
  private(set) var ball: Ball!
  private(set) var phone: Seat!
  var device: Seat { radio }

  static let ballAddress = DeviceAddress.numbered(0xBA)
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
    let radio = Seat(isRecorded: true)
    radio.delay = delay
    super.init(controller, radio: radio, seed: seed, isStarted: false, prepare: fault)
    radio.device.radioIsReady(at: now)
    ball = try addBall()
    phone = add(Seat(isRecorded: true), number: 0x02)
    if isPublished { try publish() }
    settle()
  }

  /// The device advertises a service with one value of 400 bytes, at the handle 0x0012.
  func publish() throws {
    try device.publish(
      [
        CBMutableCharacteristic(
          type: CBUUID(string: "A001"), properties: .read, value: Data(Self.value),
          permissions: .readable)
      ], as: 0xA000)
  }

  /// The device's address: its controller's, if that could be read.
  var deviceAddress: DeviceAddress { device.device.host.address }

  // MARK: What is done

  /// The device's central connects to the ball.
  func visitBall(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    try visit(Self.ballAddress, from: device, sourceLocation)
  }

  /// The phone connects to the device.
  func visitDevice(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkID {
    try visit(deviceAddress, from: phone, sourceLocation)
  }

  @discardableResult
  func visitBoth(
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (visit: LinkID, call: LinkID) {
    let visit = try visitBall(sourceLocation: sourceLocation)
    return (visit, try visitDevice(sourceLocation: sourceLocation))
  }

  private func visit(
    _ address: DeviceAddress, from seat: Seat, _ sourceLocation: SourceLocation
  ) throws -> LinkID {
    for _ in 0..<5 {
      let link = seat.central.connect(to: address)
      if run(for: 15_000, until: { seat.links.contains(link) }) { return link }
      seat.central.disconnect(link)
    }
    Issue.record("\(seat.events.suffix(5))", sourceLocation: sourceLocation)
    throw CancellationError()
  }

  /// Asks the ball over a link of the device, and gives its answer.
  func askBall(_ link: LinkID) -> String? {
    let question = Array("Will a question of some length be answered as well?".utf8)
    device.central.perform(.exchangeMTU, on: link)
    device.central.perform(.write(handle(0x1D), question), on: link)
    return read(handle(0x1F), link, device).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Asks the device over a link of the phone; whether it answers.
  func askDevice(_ link: LinkID) -> Bool {
    phone.central.perform(.exchangeMTU, on: link)
    return read(handle(0x12), link, phone) == Self.value
  }

  private func read(_ handle: AttributeHandle, _ link: LinkID, _ seat: Seat) -> [UInt8]? {
    let read = seat.central.perform(.read(handle), on: link)
    run(for: 40_000) { seat.outcomes[read] != nil }
    guard case .success(.value(let bytes))? = seat.outcomes[read], !bytes.isEmpty else {
      return nil
    }
    return bytes
  }

  /// Both roles can be used, from the beginning to an answer; and the controller was treated well.
  func expectWorking(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (visit, call) = try visitBoth(sourceLocation: sourceLocation)
    expect(askBall(visit) != nil, "the ball's answer", sourceLocation: sourceLocation)
    expect(askDevice(call), "the device's answer", sourceLocation: sourceLocation)
    device.central.disconnect(visit)
    phone.central.disconnect(call)
    run(for: 20_000) { self.phone.links.isEmpty && self.device.links.isEmpty }
    expectTidy(sourceLocation: sourceLocation)
  }

  func expectTidy(sourceLocation: SourceLocation = #_sourceLocation) {
    expect(!isStuck, sourceLocation: sourceLocation)
    let counters = device.controller.counters
    expect(counters.packetsBeyondCredits, is: 0, sourceLocation: sourceLocation)
    expect(counters.oversizedPackets, is: 0, sourceLocation: sourceLocation)
    expect(counters.malformedPackets, is: 0, sourceLocation: sourceLocation)
  }
}
