import BallControl

/// Turns what a control socket sends into the output of `eightball events`.
struct EventsProgram {
  /// Why the program ends.
  enum Ending: Equatable {
    /// The ball has ended.
    case ballEnded
    /// No ball runs, or the connection failed.
    case failed(ControlError)
  }

  /// Why the program ends; `nil` while it runs.
  private(set) var ending: Ending?

  private let follows: Bool
  private let addsLayers: Bool
  private let print: (String) -> Void
  private let note: (String) -> Void
  private var layers = PacketLayers()
  /// Whether there has been a connection.
  private var hasSeenBall = false
  /// Whether the connection was closed, and no line has come since.
  private var wasClosed = false

  /// A program that has received no event.
  ///
  /// - Parameters:
  ///   - follows: Whether to wait for the first ball, and for the next one when a ball ends.
  ///   - addsLayers: Whether to add the layers to a packet that lacks them.
  ///   - print: Takes each line of the result.
  ///   - note: Takes each message for people.
  init(
    follows: Bool, addsLayers: Bool, print: @escaping (String) -> Void,
    note: @escaping (String) -> Void
  ) {
    self.follows = follows
    self.addsLayers = addsLayers
    self.print = print
    self.note = note
  }

  /// Handles an event of the client.
  mutating func take(_ event: ControlClient.Event) {
    switch event {
    case .connected:
      layers = PacketLayers()
      hasSeenBall = true
    case .line(let line):
      if wasClosed, !follows {
        note("Warning: lines are missing: this program read too slowly, so the ball dropped it.")
      }
      wasClosed = false
      print(String(decoding: addsLayers ? layers.addingLayers(to: line) : line, as: UTF8.self))
    case .ended(nil):
      // The ball ended, or it dropped this program as too slow: the next connection shows which.
      wasClosed = true
    case .ended(let error?):
      fail(error)
    case .unreachable(let error):
      if follows, case .noBall(let paths) = error {
        note("Waiting for a ball at \(paths.joined(separator: " or ")).")
      } else if hasSeenBall, case .noBall = error {
        ending = .ballEnded
      } else {
        fail(error)
      }
    }
  }

  private mutating func fail(_ error: ControlError) {
    note("Error: \(sentence(error.description))")
    if !follows { ending = .failed(error) }
  }
}
