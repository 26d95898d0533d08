import BluetoothHost
import Foundation

/// The link to one peer, requested or open. All managers of a radio share it.
final class PeerLink {
  enum Phase: Equatable {
    /// Its first attempt to connect begins then.
    case delayed(until: Instant)
    /// It waits for its turn to connect.
    case waiting
    /// The controller tries to connect.
    case connecting
    /// The attempt is being cancelled.
    case cancelling
    /// The attempt gives way to others, and is made again later.
    case yielding
    case open
    /// The link is being ended; `isAsked` once the host has been asked.
    case closing(isAsked: Bool)
    case ended
  }

  /// The events of a link that a manager receives.
  enum Report {
    case opened(ATTMTU)
    case mtuChanged(ATTMTU)
    /// The GAP Device Name has been read.
    case named(String)
    /// The server sent a value: a notification, or an indication that has been confirmed.
    case received([UInt8], at: AttributeHandle)
    /// The server's attributes in this range have changed.
    case servicesChanged(AttributeHandleRange)
    /// The link has ended or cannot be made; `nil` if the manager has cancelled it.
    case ended(LinkEnd?, isReconnecting: Bool = false)
  }

  /// One manager that uses the link.
  final class Member: @unchecked Sendable {
    let handle: CentralHandle
    /// Receives the reports, on the radio's thread.
    let report: (Report) -> Void
    /// Whether to make the link again after it was lost.
    private let reconnects: () -> Bool
    /// The value handles that it is subscribed to.
    var subscriptions: Set<AttributeHandle> = []
    /// The channels that it has opened.
    private var pipes: [WeakPipe] = []
    /// How often it has subscribed to a value or unsubscribed.
    private var subscriptionChanges: [AttributeHandle: Int] = [:]

    init(
      _ handle: CentralHandle, reconnects: @escaping () -> Bool = { false },
      report: @escaping (Report) -> Void
    ) {
      self.handle = handle
      self.reconnects = reconnects
      self.report = report
    }

    /// The member of the next link; `nil` if the manager does not want to reconnect.
    func successor() -> Member? {
      reconnects() ? Member(handle, reconnects: reconnects, report: report) : nil
    }

    /// It subscribes to a value or unsubscribes. Returns the number of that change.
    func beginSubscriptionChange(for handle: AttributeHandle) -> Int {
      subscriptionChanges[handle, default: 0] += 1
      return subscriptionChanges[handle, default: 0]
    }

    /// Whether no other change has followed.
    func isLastChange(_ change: Int, for handle: AttributeHandle) -> Bool {
      subscriptionChanges[handle] == change
    }

    private struct WeakPipe { weak var pipe: ChannelPipe? }

    /// It opens a channel.
    func keep(_ pipe: ChannelPipe) {
      pipes.removeAll { $0.pipe == nil }
      pipes.append(WeakPipe(pipe: pipe))
    }

    /// Closes the channels that it has opened.
    func closeChannels() {
      for pipe in pipes { pipe.pipe?.close() }
      pipes = []
    }
  }

  let peer: DeviceAddress
  var phase: Phase
  /// When the current attempt began, or when a waiting one may begin; `nil` for at once.
  var attempt: Instant?
  /// Its connection index in the host, also after its end; `nil` before it is open.
  var connectionIndex: Int?
  var mtu = ATTMTU.minimum
  var members: [Member] = []
  /// Whether no manager wants it any more.
  private(set) var isAbandoned = false
  /// The manager that left last, for its report of the end.
  private(set) var lastMember: Member?

  /// The requests that have not completed, in the order of the calls.
  var requests: [PeerRequest] = []
  /// The request of the queue that is being carried out.
  private(set) var active: PeerRequest?
  /// Whether the host has been asked for the RSSI.
  var asksRSSI = false

  /// The handles of the client characteristic configurations, by value handle.
  var configurations: [AttributeHandle: AttributeHandle] = [:]
  /// The handle of Service Changed, once it has been subscribed to.
  var serviceChanged: AttributeHandle?
  /// Why the link could not be encrypted; it ends for that reason.
  var encryptionFailure: HCIErrorCode?
  /// Whether it ended with `hardwareFailure`, the reason that the host gives for a fault of the
  /// controller. If a fault follows, it is reported first.
  var isLost = false

  init(to peer: DeviceAddress, from start: Instant) {
    self.peer = peer
    phase = .delayed(until: start)
  }

  /// Whether it is, or was, a link.
  var hasOpened: Bool { connectionIndex != nil }

  /// Whether it may yet become a link.
  var isPending: Bool { phase == .waiting || isAttempted }

  /// Whether the host has been asked to make it.
  var isAttempted: Bool { phase == .connecting || phase == .cancelling || phase == .yielding }

  // MARK: Managers

  func member(_ handle: CentralHandle) -> Member? { members.first { $0.handle === handle } }

  /// Whether any member other than `member` is subscribed to the value at `handle`.
  func isSubscribed(_ handle: AttributeHandle, except member: Member) -> Bool {
    members.contains { $0 !== member && $0.subscriptions.contains(handle) }
  }

  /// No manager wants it any more. `member` left last, and receives its end.
  func abandon(by member: Member? = nil) {
    members = []
    lastMember = member
    isAbandoned = true
  }

  // MARK: Requests

  /// The request of the queue to carry out now.
  func nextRequest() -> PeerRequest? {
    if active == nil {
      let queued = requests.lazy.filter(\.operation.isQueued)
      active = queued.first { !$0.waitsForIdle } ?? queued.first
    }
    return active
  }

  func remove(_ request: PeerRequest) {
    requests.removeAll { $0 === request }
    if active === request { active = nil }
  }

  /// Ends all requests with an error, in the order of the calls.
  func endRequests(_ error: CBError) {
    let ended = requests
    requests = []
    active = nil
    for request in ended { request.complete(.failure(error)) }
  }

  /// Ends the requests of a manager that leaves. The server still receives them.
  func endRequests(of member: Member, _ error: CBError) {
    for request in requests where request.member === member { request.complete(.failure(error)) }
  }
}
