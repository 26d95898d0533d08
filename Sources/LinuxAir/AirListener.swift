import Linux
import LinuxSystem

/// One listening socket of a server.
final class AirListener: AirSocket {
  let listener: StreamListener
  let token: PollToken
  private unowned let server: AirServer
  private var isPaused = false

  init(_ listener: consuming StreamListener, token: PollToken, server: AirServer) {
    self.listener = listener
    self.token = token
    self.server = server
  }

  var number: Int32 { listener.descriptor.rawValue }

  /// Stops accepting clients: new ones wait.
  func pause() {
    isPaused = true
    server.queue.change(number, token, to: 0)
  }

  /// Accepts clients again.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    server.queue.change(number, token, to: PollQueue.readable)
  }

  func handle(_ events: UInt32) {
    server.accept(from: self)
  }
}
