import Foundation

/// Hears what happens to a peripheral or a central.
public protocol Ear: AnyObject, Sendable {
  /// Something has happened.
  func hear(_ event: Event)
}

/// What can happen.
public enum Event: Equatable, Sendable {
  /// It has begun to set itself up.
  case startedConfiguration
  /// Centrals can find it.
  case startedAdvertising
  /// It looks for peripherals.
  case startedScanning
  /// A link has been made, with this device.
  case connected(String)
  /// A link has ended, with this device.
  case disconnected(String)
  /// No link could be made.
  case connectionFailed
  /// This message has gone out.
  case sent([String: String])
  /// This message has come.
  case received([String: String])
}

/// Prints what it hears, a line an event.
public final class PrintingEar: Ear {
  /// An ear that prints.
  public init() {}

  /// Prints it.
  public func hear(_ event: Event) {
    // Not by print, which keeps what goes into a pipe until there is much of it.
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
