import BluetoothHost
import LinuxRadio
import VirtualRadio

/// A radio on a simulated clock: what a `RadioEngine` is on a thread. The calls of managers wait for
/// the clock's turn.
final class SimulatedRadio: DeviceEngine, HostSide, @unchecked Sendable {
  private let sink: (any PacketSink)?

  // Only the clock uses these.
  private var isOn = false
  /// When the shutdown ends at the latest.
  private var end: Instant?
  /// Whether it is closed for good.
  private(set) var hasLeft = false

  /// - Parameters:
  ///   - calls: The calls of the clock.
  ///   - seed: The seed of its keys.
  ///   - sink: Receives each packet.
  init(_ calls: DelegateCalls, seed: UInt64, sink: (any PacketSink)?) {
    self.sink = sink
    super.init(LocalDevice(address: .public, random: AirRandom(seed: seed)), calls)
  }

  // MARK: On the clock

  /// Runs the calls of managers, and switches the device on or off. `false` if there was nothing to do.
  func turn(at now: Instant) -> Bool {
    let (present, isClosed) = shared.withLock { ($0.observations, $0.isClosed) }
    let isUnused = removeObservers(except: present)
    var hasActed = adoptArrivals()
    if !isOn, !isClosed, !observers.isEmpty {
      switchOn(at: now)
      hasActed = true
    }
    let jobs = takeJobs()
    if !jobs.isEmpty {
      device.run(jobs, at: now)
      hasActed = true
    }
    let isLast = isClosed || isUnused
    if isOn, end == nil, isLast {
      device.shutDown(at: now)
      end = now.advanced(by: 2_000)
      hasActed = true
    }
    if let end, device.isFinished || now >= end {
      switchOff()
      hasActed = true
    }
    let isReady = isOn && device.isReady
    change(to: isReady ? .poweredOn : isClosed && !isOn ? .poweredOff : .unknown)
    if isClosed, !isOn, !hasLeft {
      hasLeft = true
      hasActed = true
    }
    return hasActed
  }

  private func takeJobs() -> [DeviceJob] {
    shared.withLock { shared in
      // Those of a caller that does not observe the state yet wait until it does.
      guard isOn else { return [] }
      defer { shared.jobs = [] }
      return shared.jobs
    }
  }

  private func switchOn(at now: Instant) {
    isOn = true
    shared.withLock { $0.isServed = true }
    device.renew()
    device.radioIsReady(at: now)
  }

  private func switchOff() {
    isOn = false
    end = nil
    shared.withLock { $0.isServed = false }
  }

  /// Passes a packet to the sink.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    sink?.note(packet, direction)
  }

  // MARK: HostSide

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    if isOn { device.receive(packet, at: now) }
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    isOn && device.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { isOn ? Instant.earlier(device.deadline, end) : nil }

  func advance(to now: Instant) { if isOn { device.advance(to: now) } }
}

extension CBRadio {
  /// A radio on the air of a simulated clock, for tests. Its address is `F0:00:00:00:00:01` for the
  /// clock's first radio, and so on; its bonds last as long as it does. `close` takes effect when the
  /// clock advances, and does not wait.
  ///
  /// - Parameters:
  ///   - clock: The time of this radio and of all radios that it can hear.
  ///   - capture: The path of a btsnoop file for its packets, with the clock's time. A file that cannot
  ///     be written is logged.
  public convenience init(simulated clock: CBSimulatedClock, capture: String? = nil) {
    let calls = clock.calls
    var file: Capture?
    if let capture {
      do throws(SystemError) {
        file = try Capture(path: capture, microseconds: { Int64(calls.milliseconds) * 1_000 })
      } catch { Log.logger.error("cannot write capture file \(capture): \(error.description)") }
    }
    self.init(simulated: clock, watchedBy: file)
  }

  /// A radio with a sink for its packets.
  convenience init(simulated clock: CBSimulatedClock, watchedBy sink: (any PacketSink)?) {
    let radio = SimulatedRadio(clock.calls, seed: clock.nextSeed(), sink: sink)
    clock.change { $0.add(radio) }
    self.init(radio)
  }
}
