import BluetoothHost

/// A device of an `AirBench`: a controller and the host that uses it.
///
/// Made by `AirBench.add(_:on:)`.
public final class AirDevice<Side: HostSide & ~Copyable> {
  /// The controller; a new one after `plugIn`.
  public private(set) var controller: VirtualController
  /// The host. It does nothing before it is started: `device.host.start(at: bench.now)`.
  public var host: Side
  /// Called after each packet, when the receiver has taken it. `sent` is from the host to the controller.
  public var onPacket: ((Span<UInt8>, PacketDirection) -> Void)?

  private let air: VirtualAir
  private var storage: [UInt8]

  init(_ host: consuming Side, on controller: VirtualController, of air: VirtualAir) {
    self.host = host
    self.controller = controller
    self.air = air
    storage = [UInt8](repeating: 0, count: max(1_024, controller.maximumPacketLength))
  }

  /// Whether the controller is there.
  public var isPluggedIn: Bool { controller.isOnAir }

  /// Takes the controller away, as when its power is lost. The host notices nothing: call
  /// `Host.radioLost()` too.
  public func unplug() { controller.vanish() }

  /// Brings a new controller with the same address and configuration. Call `Host.start(at:)` then.
  /// Nothing happens if the controller is there.
  public func plugIn() {
    guard !isPluggedIn else { return }
    controller = air.addController(
      address: controller.address, configuration: controller.configuration)
  }
}

/// What a bench needs of a device, without the type of its host.
protocol BenchDevice: AnyObject {
  var controller: VirtualController { get }
  /// Carries one packet; `false` if there is none.
  func carryOne(at now: Instant) -> Bool
  func nextDeadline() -> Instant?
  func advance(to now: Instant)
}

extension AirDevice: BenchDevice where Side: ~Copyable {
  func carryOne(at now: Instant) -> Bool {
    guard isPluggedIn else { return false }
    // The host must not find the storage in use, if it carries packets itself.
    var bytes: [UInt8] = []
    swap(&bytes, &storage)
    defer { swap(&bytes, &storage) }
    let direction: PacketDirection
    var count = 0
    do {
      var writer = ByteWriter(bytes.mutableSpan)
      if controller.nextPacket(into: &writer) {
        direction = .received
      } else if host.nextPacket(into: &writer, at: now) {
        direction = .sent
      } else {
        return false
      }
      count = writer.count
    }
    let packet = bytes.span.extracting(first: count)
    switch direction {
    case .received: host.receive(packet, at: now)
    case .sent: controller.send(packet)
    }
    onPacket?(packet, direction)
    return true
  }

  func nextDeadline() -> Instant? { host.deadline }

  func advance(to now: Instant) { host.advance(to: now) }
}
