import Foundation

/// A device on the other side of a link: a ball that can be asked, or somebody who asks.
public protocol BallDevice: AnyObject, Sendable {
  /// What tells it from all others.
  var id: UUID { get }
  /// What it is called, for people.
  var name: String { get }
  /// What went wrong last; `nil` if nothing has since it was last asked or answered.
  var error: BallError? { get }

  /// Turns the device down: it is served no more.
  func reject(because reason: RejectionReason)
}

extension BallDevice {
  /// Whether `other` is this device, told by its identifier.
  public func isSameDevice(as other: any BallDevice) -> Bool { id == other.id }
}
