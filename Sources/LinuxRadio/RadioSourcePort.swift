import BluetoothHost
import LinuxAir
import LinuxSystem

/// The port of a named radio: its connections, which its source opens as often as needed.
package struct RadioSourcePort: RadioPort, ~Copyable {
  /// The radio's name.
  package let name: RadioAddress
  /// The sinks that get the packets.
  package var sinks: [any PacketSink] = []
  /// Why the last attempt to open it failed; `nil` before the first attempt and after a success.
  package private(set) var refusal: RadioError?
  /// Why the last call failed.
  package private(set) var failure: RadioError?

  private let source: RadioSource

  /// A radio that is not open.
  ///
  /// - Parameter airPath: The path of the virtual air's socket.
  package init(_ name: RadioAddress, loop: EventLoop, airPath: String = SharedAir.defaultPath) {
    self.name = name
    source = RadioSource(
      RadioOpener(name, loop: loop, air: SharedAir(path: airPath, loop: loop)), loop: loop)
  }

  /// A radio that is not open, one of many of this program.
  ///
  /// - Parameters:
  ///   - air: The air for the radio `virtual`. Its owner advances and closes it.
  ///   - watcher: Is notified when the radio is ready.
  package init(
    _ name: RadioAddress, loop: EventLoop, sharing air: SharedAir, watcher: any RadioWatcher
  ) {
    self.name = name
    source = RadioSource(
      RadioOpener(name, loop: loop, air: air), loop: loop, watcher: watcher)
  }

  deinit { source.close() }

  /// Closes the radio, and stops listening, looking up a host and hosting an air.
  package mutating func close() { source.close() }

  /// When the lookup of the radio's host, or an attempt to connect, times out; `nil` without one.
  /// Then, or when the loop wakes, the radio must be opened again.
  package var openingDeadline: Instant? { source.deadline }

  /// Whether this program hosts the virtual air.
  package var isHostingAir: Bool { source.opener.air?.server != nil }

  /// When the radio must be opened again or time must pass; `nil` to wait for a descriptor.
  package var deadline: Instant? { .earlier(source.deadline, source.opener.air?.server?.deadline) }

  /// Advances the air to `now`, if this program hosts it.
  package func advance(to now: Instant) { source.opener.air?.server?.advance(to: now) }

  /// Opens the radio. Runs `loop` until the lookup of its host ends or a signal comes; does not
  /// wait for a controller to connect.
  ///
  /// - Throws: Why it cannot be opened.
  package mutating func open(
    in loop: EventLoop, endedBy signals: TerminationSignals? = nil
  ) throws {
    _ = openRadio(at: MonotonicClock.now)
    while let deadline = source.deadline, signals.map({ $0.count == 0 }) ?? true {
      try loop.wait(until: deadline)
      _ = openRadio(at: MonotonicClock.now)
    }
    if let refusal { throw refusal }
  }

  // MARK: RadioPort

  /// Opens the radio, unless it is open.
  package mutating func openRadio(at now: Instant) -> RadioOpening {
    let opening: RadioOpening
    do throws(SystemError) {
      opening = try source.open(at: now)
    } catch {
      let refusal = RadioError(name, error)
      self.refusal = refusal
      failure = refusal
      return .failed
    }
    // During another lookup of the host, the last refusal stays.
    if source.deadline == nil { refusal = nil }
    return opening
  }

  /// Closes the connection. An adapter returns to the kernel.
  package mutating func closeRadio() { source.closeRadio() }

  /// Whether the radio is an adapter.
  package var isPacketwise: Bool { source.isPacketwise }

  /// Reads the available bytes.
  package mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    let result = source.read(into: &space)
    if case .failed = result { noteFailure() }
    return result
  }

  /// Writes as many bytes as the connection takes now.
  package mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    let result = source.write(bytes)
    if case .failed = result { noteFailure() }
    return result
  }

  private mutating func noteFailure() {
    failure = source.failure.map { RadioError(name, $0) }
  }

  /// Passes a packet to the sinks.
  package mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    for sink in sinks { sink.note(packet, direction) }
  }
}
