import BluetoothHost

/// The timing of a link, which both ends share.
struct LinkParameters: Equatable {
  /// In 1.25 ms, 6 to 3,200.
  var interval: UInt16
  /// In connection events, 0 to 499.
  var latency: UInt16
  /// In 10 ms, 10 to 3,200.
  var supervisionTimeout: UInt16

  /// The values that a host's request leads to; `nil` if the specification forbids the request.
  init?(_ request: ConnectionParameters) {
    guard request.areValid else { return nil }
    interval = request.maximumInterval
    latency = request.latency
    supervisionTimeout = request.supervisionTimeout
  }
}

/// How much one packet over the air carries, and for how long.
struct AirTime: Equatable {
  /// In bytes, 27 to 251.
  var octets: UInt16
  /// In µs, 328 to 17,040.
  var time: UInt16

  /// What every link starts with.
  static let minimum = AirTime(octets: 27, time: 328)
  /// What the 1M PHY needs for 251 bytes.
  static let maximum = AirTime(octets: 251, time: 2_120)

  /// The smaller of each.
  func limited(to other: AirTime) -> AirTime {
    AirTime(octets: min(octets, other.octets), time: min(time, other.time))
  }
}

/// One side of a link: the controller whose side it is knows it by `handle`.
final class LinkEnd {
  /// What a packet of a side's host has to do with: in one place, so that a packet costs one look.
  struct Sending {
    /// Packets that hold one of the controller's buffers.
    var outstanding = 0
    fileprivate(set) var encryptionStart: EncryptionStart?

    /// Counts one packet more. Whether that waits until encryption has started.
    mutating func begin() -> Bool {
      outstanding += 1
      return encryptionStart != nil
    }
  }

  let handle: ConnectionHandle
  let role: LEConnectionComplete.Role
  /// The private address that this side has on the link, if its host wanted one.
  let ownPrivateAddress: DeviceAddress?
  /// Who the other side is.
  let sender: Sender
  weak var controller: VirtualController?
  /// The other side; `nil` once it cannot be reached, until the supervision time-out has passed.
  weak var peer: LinkEnd?

  var parameters: LinkParameters
  var lossDeadline: Instant?
  /// What this side's host sends.
  var sending = Sending()
  /// What this side's host would like to send in one packet, and what it may.
  var preferredAirTime = AirTime.minimum
  var transmitAirTime = AirTime.minimum
  /// 1: 1M; 2: 2M.
  var transmitPHY: UInt8 = 1
  /// The peripheral's wish, which this central's host has been asked about.
  var isAskedForParameters = false
  /// Whether the link is encrypted.
  var isEncrypted = false
  /// The start of encryption that goes on, and holds this side's data.
  var encryptionStart: EncryptionStart? {
    get { sending.encryptionStart }
    set { sending.encryptionStart = newValue }
  }

  init(
    controller: VirtualController, handle: ConnectionHandle, role: LEConnectionComplete.Role,
    ownAddress: DeviceAddress, own: OwnAddress, sender: Sender, parameters: LinkParameters
  ) {
    self.controller = controller
    self.handle = handle
    self.role = role
    ownPrivateAddress = own.isPrivate && ownAddress != own.identity ? ownAddress : nil
    self.sender = sender
    self.parameters = parameters
  }

  /// Neither side hears the other any more.
  func breakContact(at now: Instant) {
    peer?.losePeer(at: now)
    losePeer(at: now)
  }

  private func losePeer(at now: Instant) {
    peer = nil
    lossDeadline = now.advanced(by: UInt32(parameters.supervisionTimeout) * 10)
    if let controller { controller.air?.reschedule(controller) }
  }
}
