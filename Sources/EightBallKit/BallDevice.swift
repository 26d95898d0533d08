import Foundation

/// A device on the other side of a link: a ball, or a central that asks.
public protocol BallDevice: AnyObject, Sendable {
  /// Identifies the device.
  var id: UUID { get }
  /// Its name, for people.
  var name: String { get }
  /// The last error; `nil` if there was none since the last question.
  var error: BallError? { get }

  /// Rejects the device: it is no longer served.
  func reject(because reason: RejectionReason)
}

extension BallDevice {
  /// Whether `other` is this device, by its identifier.
  public func isSameDevice(as other: any BallDevice) -> Bool { id == other.id }
}
