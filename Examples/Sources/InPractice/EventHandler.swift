import Foundation

/// Receives the events of a peripheral or a central.
public protocol EventHandler: AnyObject, Sendable {
  /// An event has happened.
  func handle(_ event: Event)
}

/// An event of a peripheral or a central.
public enum Event: Equatable, Sendable {
  /// It has started its configuration.
  case startedConfiguration
  /// Centrals can find it.
  case startedAdvertising
  /// It scans for peripherals.
  case startedScanning
  /// A link has been made, with this device.
  case connected(String)
  /// A link has ended, with this device.
  case disconnected(String)
  /// The link could not be made.
  case connectionFailed
  /// This message has been sent.
  case sent([String: String])
  /// This message has been received.
  case received([String: String])
}

/// Prints each event as a line.
public final class PrintingHandler: EventHandler {
  /// A handler that prints.
  public init() {}

  /// Prints the event.
  public func handle(_ event: Event) {
    // `print` would buffer its output into a pipe.
    FileHandle.standardOutput.write(Data((words(for: event) + "\n").utf8))
  }

  private func words(for event: Event) -> String {
    switch event {
    case .startedConfiguration: "started configuration"
    case .startedAdvertising: "started advertising"
    case .startedScanning: "started scanning"
    case .connected(let name): "connected \(name)"
    case .disconnected(let name): "disconnected \(name)"
    case .connectionFailed: "connection failed"
    case .sent(let message): "sent \(text(message))"
    case .received(let message): "received \(text(message))"
    }
  }

  private func text(_ message: [String: String]) -> String {
    message.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }
}
