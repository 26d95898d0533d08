import LinuxSystem

/// One listening socket of a server.
final class AirListener: EventHandler {
  let listener: StreamListener
  private weak var server: AirServer?
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var isPaused = false

  /// Accepts clients for `server`.
  init(
    _ listener: consuming StreamListener, server: AirServer, loop: EventLoop
  ) throws(SystemError) {
    self.listener = listener
    self.server = server
    self.loop = loop
    registration = try loop.add(
      number: self.listener.rawValue, for: .readable, handler: self)
  }

  /// Stops accepting clients: new ones wait.
  func pause() { setPaused(true) }

  /// Accepts clients again.
  func resume() { setPaused(false) }

  private func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused, let registration else { return }
    self.isPaused = isPaused
    // Fails only if the kernel has no memory.
    try? loop.change(registration, to: isPaused ? .none : .readable)
  }

  /// Leaves the loop.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  func handle(_ readiness: Readiness, token: Int) {
    server?.accept(from: self)
  }
}
