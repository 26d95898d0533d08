import BluetoothHost

/// Devices on one air, for tests: it carries the packets between each host and its controller, and
/// lets time pass.
///
/// There are no threads, no sleeps and no clock, so that each run is the same as the one before:
///
///     let bench = AirBench()
///     let peripheral = bench.add(Peripheral<1, GATTDatabase<4>, Battery>(…))
///     let central = bench.add(Central<1, ChargeReader>(…))
///     peripheral.host.start(at: bench.now)
///     central.host.start(at: bench.now)
///     _ = central.host.connect(to: peripheral.controller.address)
///     try bench.settle()                    // packets, at one moment
///     try bench.run(for: 30_000)            // packets and 30 s: intervals and time-outs pass
///
/// A host with queues or threads of its own needs `carryOne()` and `advance(upTo:)` in a loop of its
/// test.
public final class AirBench {
  /// The air. Add controllers without a host here, and set the signal strengths.
  public let air: VirtualAir
  /// How many packets may fall on one moment; `settle` and `run` throw if there are more.
  public var stepLimit = 200_000
  /// How many deadlines may fall on one moment. Raise it for hosts that compute keys in steps.
  public var deadlineLimit = 1_000

  private var devices: [any BenchDevice] = []
  /// The device whose turn is next.
  private var turn = 0

  /// An empty air at 0 ms.
  ///
  /// - Parameter seed: The seed of the controllers' random numbers.
  public init(seed: UInt64 = 0) { air = VirtualAir(seed: seed) }

  /// The time.
  public var now: Instant { air.now }

  /// Adds a device. Start its host to use it.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - controller: A controller of `air`; without one, a new controller that is set up as usual.
  public func add<Side: HostSide & ~Copyable>(
    _ host: consuming Side, on controller: VirtualController? = nil
  ) -> AirDevice<Side> {
    let device = AirDevice(host, on: controller ?? air.addController(), of: air)
    devices.append(device)
    return device
  }

  /// Removes a device by its controller, which vanishes from the air.
  public func remove(_ controller: VirtualController) {
    controller.vanish()
    devices.removeAll { $0.controller === controller }
  }

  /// Carries one packet; each device has its turn. `false` if there is none.
  @discardableResult public func carryOne() -> Bool {
    for _ in devices.indices {
      let device = devices[turn % devices.count]
      turn = (turn + 1) % devices.count
      if device.carryOne(at: now) { return true }
    }
    return false
  }

  /// Carries packets until there are none. No time passes.
  ///
  /// - Throws: After `stepLimit` packets.
  public func settle() throws(AirBenchError) {
    for _ in 0..<stepLimit where !carryOne() { return }
    throw .packetsWithoutEnd(now)
  }

  /// When something is due next; `nil` if only a call brings work.
  public var deadline: Instant? {
    devices.reduce(air.deadline) { Instant.earlier($0, $1.nextDeadline()) }
  }

  /// Moves the time to the next deadline, or to `limit` if that is earlier. `false` if nothing is due
  /// by then.
  @discardableResult public func advance(upTo limit: Instant) -> Bool {
    let next = deadline
    let time = max(now, min(next ?? limit, limit))
    air.advance(to: time)
    for device in devices { device.advance(to: time) }
    return next.map { $0 <= limit } ?? false
  }

  /// Carries packets and lets time pass.
  ///
  /// - Parameters:
  ///   - milliseconds: How long.
  ///   - isDone: Ends the run early; asked after each packet and each deadline.
  /// - Returns: Whether `isDone` ended it.
  /// - Throws: If more than `stepLimit` packets, or `deadlineLimit` deadlines, fall on one moment.
  @discardableResult public func run(for milliseconds: UInt32, until isDone: () -> Bool = { false })
    throws(AirBenchError) -> Bool
  {
    let end = now.advanced(by: milliseconds)
    var (moment, packets, deadlines) = (now, 0, 0)
    while !isDone() {
      if now > moment { (moment, packets, deadlines) = (now, 0, 0) }
      if carryOne() {
        packets += 1
        if packets > stepLimit { throw .packetsWithoutEnd(now) }
      } else {
        deadlines += 1
        if deadlines > deadlineLimit { throw .deadlineStays(now) }
        if !advance(upTo: end), !carryOne() { return isDone() }
      }
    }
    return true
  }
}

/// Why a bench does not come to rest.
public enum AirBenchError: Error, Equatable, CustomStringConvertible {
  /// The devices send packets at this moment without end.
  case packetsWithoutEnd(Instant)
  /// The deadline of a device is due at this moment, and stays when `advance(to:)` is called.
  case deadlineStays(Instant)

  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .packetsWithoutEnd(let time):
      "Packets go back and forth without end at \(time.rawValue) ms. Use onPacket to see them."
    case .deadlineStays(let time):
      "A deadline at \(time.rawValue) ms stays due: advance(to:) of that host must clear it."
    }
  }
}

/// The host's side of HCI: a `Host`, or a type that contains one.
///
/// `Host` conforms. A type of your own conforms if it adds something to a host, such as a task that
/// is due at a time. Packets are whole and begin with H4's type byte.
public protocol HostSide: ~Copyable {
  /// Takes a packet from the controller.
  mutating func receive(_ packet: Span<UInt8>, at now: Instant)

  /// Writes the next packet for the controller; `false` if there is none now.
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool

  /// When `advance(to:)` has to be called next; `nil` if only a packet brings work.
  var deadline: Instant? { mutating get }

  /// Lets time pass.
  mutating func advance(to now: Instant)
}

extension Host: HostSide
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {}
