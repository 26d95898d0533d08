import BluetoothHost
import Linux
import LinuxAir
import LinuxSystem

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
  /// The radio at the address that is being used; `nil` before the first one.
  private var radio: PortRadio?
  private var tokens: (radio: PollToken, listener: PollToken)?
  /// What the loop reports and the radio has not handled yet.
  private var readiness = Readiness.none
  /// Whether the radio is open.
  private(set) var isOpen = false

  /// A radio with an air of its own, if it is on the air.
  init(_ opener: consuming RadioOpener, loop: EventLoop) {
    self.opener = opener
    self.loop = loop
    isShared = false
  }

  /// One of many radios of this program. The owner of the air closes it.
  ///
  /// - Parameter watcher: Is notified when the radio is ready.
  init(_ opener: consuming RadioOpener, loop: EventLoop, watcher: any RadioWatcher) {
    self.opener = opener
    self.loop = loop
    self.watcher = watcher
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
    radio = PortRadio(address, token: tokens.radio, listenerToken: tokens.listener)
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
