import BluetoothHost
import Linux

/// Is notified when a radio is ready, so that a program with many radios serves only those.
package protocol RadioWatcher: AnyObject {
  /// The radio can be read or written now.
  func radioIsReady()
}

/// A radio in an event loop, which is opened as often as needed: a `PortRadio`, and its opener.
final class RadioSource: EventHandler {
  private(set) var opener: RadioOpener
  /// Whether other radios of this program use the same air, which their owner closes.
  private let isShared: Bool
  private let loop: EventLoop
  private weak var watcher: (any RadioWatcher)?
  private let sharing: RadioSharing?
  /// The radio at the address that is being used; `nil` before the first one.
  private var radio: PortRadio?
  private var tokens: (radio: PollToken, listener: PollToken)?
  /// What the loop reports and the radio has not handled yet.
  private var readiness = Readiness.none
  /// Whether the radio is open.
  private(set) var isOpen = false
  /// See `PortRadio.pairs`.
  var pairs = false

  /// A radio with an air of its own, if it is on the air.
  ///
  /// - Parameter sharing: How a radio beside bluetoothd is used; `nil` if it is not.
  init(_ opener: consuming RadioOpener, loop: EventLoop, sharing: RadioSharing?) {
    self.opener = opener
    self.loop = loop
    self.sharing = sharing
    isShared = false
  }

  /// One of many radios of this program. The owner of the air closes it.
  ///
  /// - Parameter watcher: Is notified when the radio is ready.
  init(_ opener: consuming RadioOpener, loop: EventLoop, watcher: any RadioWatcher) {
    self.opener = opener
    self.loop = loop
    self.watcher = watcher
    sharing = nil
    isShared = true
  }

  deinit { close() }

  /// Opens the radio: see `RadioOpener.open`.
  func open(at now: Instant) throws(SystemError) -> RadioOpening {
    if isOpen { return .opened }
    let opening = try opener.open(at: now) { address in
      use(address)
      takeReadiness()
      let opening = radio?.open(loop.queue, at: now) ?? .failed
      return (opening, radio?.failure)
    }
    isOpen = opening == .opened
    return opening
  }

  private func use(_ address: RadioAddress) {
    if radio?.choice == address { return }
    drop()
    let tokens = (radio: loop.reserve(for: self), listener: loop.reserve())
    self.tokens = tokens
    radio = PortRadio(
      address, token: tokens.radio, listenerToken: tokens.listener, sharing: sharing)
    radio?.pairs = pairs
  }

  private func drop() {
    radio?.close(loop.queue)
    radio = nil
    if let tokens {
      loop.release(tokens.radio)
      loop.release(tokens.listener)
    }
    tokens = nil
    readiness = .none
  }

  /// When the lookup of a host, or an attempt to connect, times out; `nil` without one. Then the
  /// radio must be opened again.
  var deadline: Instant? { Instant.earlier(opener.deadline, radio?.deadline) }

  /// Whether each read and each write is one packet, as with adapters.
  var isPacketwise: Bool { radio?.isPacketwise ?? false }

  /// Closes the connection. An adapter goes back to the kernel.
  func closeRadio() {
    isOpen = false
    radio?.close(loop.queue)
    opener.radioIsClosed()
  }

  /// Stops listening, looking up a host and hosting an air.
  func close() {
    closeRadio()
    drop()
    opener.close()
    if !isShared { opener.air?.close() }
  }

  // MARK: Bytes

  func handle(_ readiness: Readiness, token: Int) {
    self.readiness.add(readiness)
    watcher?.radioIsReady()
  }

  private func takeReadiness() {
    if readiness != .none { radio?.handle(readiness) }
    readiness = .none
  }

  func export(_ attributes: Span<Attribute>) { radio?.export(attributes) }

  func read(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard isOpen else { return .closed }
    takeReadiness()
    return radio?.read(into: &space) ?? .closed
  }

  func write(_ bytes: Span<UInt8>) -> RadioWrite {
    guard isOpen else { return .taken(0) }
    return radio?.write(bytes, loop.queue) ?? .taken(0)
  }

  /// Why the last call failed.
  var failure: SystemError? { radio?.failure.map { SystemError($0, of: opener.shown) } }
}

/// The port of a named radio: its connections, which its source opens as often as needed.
package struct RadioSourcePort: RadioPort, ~Copyable {
  /// The radio's name.
  package let name: RadioAddress
  /// The sinks that get the packets.
  package var sinks: [any PacketSink] = []
  /// Why the last attempt to open it failed; `nil` before the first attempt and after a success.
  package private(set) var openError: RadioError?
  /// Why the last call failed.
  package private(set) var failure: RadioError?

  /// The time of the program on the radio.
  package let time: AirTime

  private let source: RadioSource

  /// A radio that is not open.
  ///
  /// - Parameters:
  ///   - air: The air for the radio `virtual`, which is closed with it.
  ///   - sharing: How a radio beside bluetoothd is used: `bluez`, of the module `BlueZ`. Without it, there is none.
  ///   - time: The time of the program.
  package init(
    _ name: RadioAddress, loop: EventLoop, air: (any AirHost)? = nil, sharing: RadioSharing? = nil,
    time: AirTime = AirTime()
  ) {
    self.name = name
    self.time = time
    source = RadioSource(
      RadioOpener(name, loop: loop, air: air), loop: loop, sharing: sharing)
  }

  /// A radio that is not open, one of many of this program.
  ///
  /// - Parameters:
  ///   - air: The air for the radio `virtual`. Its owner advances and closes it.
  ///   - watcher: Is notified when the radio is ready.
  package init(
    _ name: RadioAddress, loop: EventLoop, sharing air: any AirHost, watcher: any RadioWatcher
  ) {
    self.name = name
    time = AirTime()
    source = RadioSource(
      RadioOpener(name, loop: loop, air: air), loop: loop, watcher: watcher)
  }

  deinit { source.close() }

  /// Whether bluetoothd pairs with each peripheral that the program connects to, on a radio beside it. Set it before the
  /// radio is opened.
  package var pairs: Bool {
    get { source.pairs }
    set { source.pairs = newValue }
  }

  /// Closes the radio, and stops listening, looking up a host and hosting an air.
  package mutating func close() { source.close() }

  /// When the lookup of the radio's host, or an attempt to connect, times out; `nil` without one.
  /// Then, or when the loop wakes, the radio must be opened again.
  package var openingDeadline: Instant? { source.deadline }

  /// When the radio must be opened again or time must pass; `nil` to wait for a descriptor.
  package var deadline: Instant? { .earlier(source.deadline, source.opener.air?.deadline) }

  /// Until when the loop may wait: see `AirTime`.
  package mutating func wait(until deadline: Instant?, hasOutput: Bool) -> Instant? {
    let source = source
    return time.wait(until: deadline, hasOutput: hasOutput) { source.write($0) }
  }

  /// Advances the air to `now`, if this program hosts it.
  package func advance(to now: Instant) { source.opener.air?.advance(to: now) }

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
    if let openError { throw openError }
  }

  // MARK: RadioPort

  /// Opens the radio, unless it is open.
  package mutating func openRadio(at now: Instant) -> RadioOpening {
    let opening: RadioOpening
    do throws(SystemError) {
      opening = try source.open(at: now)
    } catch {
      let openError = RadioError(name, error)
      self.openError = openError
      failure = openError
      return .failed
    }
    if opening == .opened { time.radioIsOpen(at: now) }
    // During another lookup of the host, the last openError stays.
    if source.deadline == nil { openError = nil }
    return opening
  }

  /// Closes the connection. An adapter returns to the kernel.
  package mutating func closeRadio() {
    source.closeRadio()
    time.radioIsClosed()
  }

  /// True: bluetoothd needs them.
  package static var takesAttributes: Bool { true }

  /// Describes the services of the program, for a radio beside bluetoothd.
  package mutating func export(_ attributes: Span<Attribute>) { source.export(attributes) }

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
    if direction == .received { time.note(packet) }
    for sink in sinks { sink.note(packet, direction) }
  }
}
