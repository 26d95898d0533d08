import BluetoothHost

/// The timing of a link, which both ends share.
struct LinkParameters: Equatable {
  /// In units of 1.25 ms, 6 to 3,200.
  var interval: UInt16
  /// In connection events, 0 to 499.
  var latency: UInt16
  /// In units of 10 ms, 10 to 3,200.
  var supervisionTimeout: UInt16
  /// One connection event in so many is used, 1 to 500: Core Specification, Vol 6, Part B, 4.5.1. The latency
  /// counts these.
  var subrateFactor: UInt16 = 1
  /// How many events are used after one with data, at least.
  var continuationNumber: UInt16 = 0

  /// The values for a host's request, without a subrate; `nil` if the specification forbids the request.
  init?(_ request: ConnectionParameters) {
    guard request.areValid else { return nil }
    interval = request.maximumInterval
    latency = request.latency
    supervisionTimeout = request.supervisionTimeout
  }
}

/// The data length of a packet over the air, in bytes and in time.
struct DataLength: Equatable {
  /// In bytes, 27 to 251.
  var octets: UInt16
  /// In µs, 328 to 17,040.
  var time: UInt16

  /// The initial value of every link.
  static let minimum = DataLength(octets: 27, time: 328)
  /// The time for 251 bytes on the 1M PHY.
  static let maximum = DataLength(octets: 251, time: 2_120)

  /// The smaller of each.
  func limited(to other: DataLength) -> DataLength {
    DataLength(octets: min(octets, other.octets), time: min(time, other.time))
  }
}

/// One side of a link. `handle` identifies it in its controller.
final class LinkEnd {
  /// The state for sending, in one value so that a packet costs one access.
  struct Sending {
    /// Packets that use one of the controller's buffers.
    var outstanding = 0
    fileprivate(set) var obstacle: Obstacle?

    /// Counts one more packet. Returns whether it must wait.
    mutating func begin() -> Bool {
      outstanding += 1
      return obstacle != nil
    }
  }

  /// What packets wait for. It is one pointer, so that a packet that waits for nothing costs one
  /// comparison.
  final class Obstacle {
    /// The start of encryption.
    let encryptionStart: EncryptionProcedure?
    /// The next connection event.
    let events: LinkEvents?

    init?(_ encryptionStart: EncryptionProcedure?, _ events: LinkEvents?) {
      guard encryptionStart != nil || events != nil else { return nil }
      self.encryptionStart = encryptionStart
      self.events = events
    }
  }

  let handle: ConnectionHandle
  let role: LEConnectionComplete.Role
  /// The private address of this side on the link, if its host requested one.
  let ownPrivateAddress: DeviceAddress?
  /// The other side's address and identity.
  let sender: Sender
  weak var controller: VirtualController?
  /// The other side; `nil` when out of range, until the supervision timeout.
  weak var peer: LinkEnd?

  var parameters: LinkParameters
  var lossDeadline: Instant?
  /// The state of this side's sending.
  var sending = Sending()
  /// The data length in use.
  var transmitDataLength = DataLength.minimum
  /// 1: 1M; 2: 2M; 3: coded.
  var transmitPHY: UInt8 = 1
  /// Whether this central's host must still answer the peripheral's parameter request.
  var isAskedForParameters = false
  /// Whether the link is encrypted.
  var isEncrypted = false
  /// The running start of encryption, which holds this side's data.
  var encryptionStart: EncryptionProcedure? {
    get { sending.obstacle?.encryptionStart }
    set { sending.obstacle = Obstacle(newValue, events) }
  }

  /// The link's connection events, if the air has a model of the link layer.
  var events: LinkEvents? { sending.obstacle?.events }

  init(
    controller: VirtualController, handle: ConnectionHandle, role: LEConnectionComplete.Role,
    ownAddress: DeviceAddress, own: UsedAddress, sender: Sender, parameters: LinkParameters
  ) {
    self.controller = controller
    self.handle = handle
    self.role = role
    ownPrivateAddress = own.isPrivate && ownAddress != own.identity ? ownAddress : nil
    self.sender = sender
    self.parameters = parameters
  }

  /// Lets its data wait for connection events, from its beginning on.
  func begin(_ events: LinkEvents) {
    sending.obstacle = Obstacle(encryptionStart, events)
  }

  /// Puts both sides out of range of each other.
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
