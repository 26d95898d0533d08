import LinuxSystem

/// One listening socket of a server, in its event loop.
final class AirListener: EventHandler {
  let listener: StreamListener
  private weak var server: AirServer?
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var isPaused = false

  init(_ listener: consuming StreamListener, server: AirServer) {
    self.listener = listener
    self.server = server
    loop = server.loop
  }

  func open() throws(SystemError) {
    registration = try loop.add(listener.descriptor, for: .readable, handler: self)
  }

  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Stops accepting clients: new ones wait.
  func pause() {
    isPaused = true
    setInterest(.none)
  }

  /// Accepts clients again.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    setInterest(.readable)
  }

  func handle(_ readiness: Readiness, token: Int) {
    server?.accept(from: self)
  }

  private func setInterest(_ interest: Readiness) {
    guard let registration else { return }
    // Fails only if the loop's queue is closed.
    try? loop.change(registration, to: interest)
  }
}
