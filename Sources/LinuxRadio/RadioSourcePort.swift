import BluetoothHost
import LinuxSystem

/// The bytes of a radio that has a name, as a port: connections that its source makes, again and again.
package struct RadioSourcePort: RadioPort, ~Copyable {
  /// Which radio.
  package let name: RadioName
  /// Those that see the packets.
  package var sinks: [any PacketSink] = []
  /// Why the radio could not be opened when that was last tried; `nil` once it has been, or before it is.
  package private(set) var refusal: RadioError?
  /// Why the last call failed.
  package private(set) var failure: RadioError?

  private let source: RadioSource
  private var connection: RadioConnection?

  /// A radio that is not open.
  ///
  /// - Parameter airPath: Where the virtual air is.
  package init(_ name: RadioName, loop: EventLoop, airPath: String = SharedAir.usualPath) {
    self.name = name
    source = RadioSource(name, loop: loop, airPath: airPath)
  }

  deinit {
    connection?.close()
    source.close()
  }

  /// Closes the radio, takes no more controllers, looks for no host, and hosts no air.
  package mutating func close() {
    closeRadio()
    source.close()
  }

  /// Whether this program hosts the virtual air.
  package var isHostingAir: Bool { source.air?.server != nil }

  /// When the radio must be opened again or time must pass; `nil` if only a descriptor can bring anything.
  package var deadline: Instant? { .earlier(source.deadline, source.air?.server?.deadline) }

  /// Lets time pass for the air, if this program hosts it.
  package func advance(to now: Instant) { source.air?.server?.advance(to: now) }

  /// Opens the radio, and waits in `loop` until its host is found or not, or a signal comes. No other
  /// radio is waited for.
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
    if connection != nil { return .opened }
    do throws(SystemError) {
      connection = try source.open(at: now)
    } catch {
      let refusal = RadioError(name, error)
      self.refusal = refusal
      failure = refusal
      return .failed
    }
    // While its host is looked for again, what is known is why it was not found before.
    if source.deadline == nil { refusal = nil }
    return connection == nil ? .pending : .opened
  }

  /// Closes the connection. An adapter is given back to the kernel as it was.
  package mutating func closeRadio() {
    connection?.close()
    connection = nil
  }

  /// Whether the radio is an adapter.
  package var isPacketwise: Bool { connection?.isPacketwise ?? false }

  /// Reads what there is.
  package mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard let connection else { return .closed }
    guard connection.isReadable else { return .nothing }
    do throws(SystemError) {
      switch try connection.read(into: &space) {
      case .bytes(let count):
        // A stream that gave less than it could has no more, and the loop says when it has.
        connection.isReadable = connection.isPacketwise || count == space.count
        return .bytes(count)
      case .nothingYet:
        connection.isReadable = false
        return .nothing
      case .end:
        return .closed
      }
    } catch {
      failure = RadioError(name, error)
      return .failed
    }
  }

  /// Writes what is taken now.
  package mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    guard let connection, connection.isWritable else { return .taken(0) }
    do throws(SystemError) {
      return .taken(try connection.write(bytes))
    } catch {
      failure = RadioError(name, error)
      return .failed
    }
  }

  /// Shows a packet to the sinks.
  package mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    for sink in sinks { sink.note(packet, direction) }
  }
}
