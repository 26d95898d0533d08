import BluetoothHost

/// The link to one peripheral, open or requested. All managers of a radio share it.
final class PeripheralLink {
  /// One manager that uses the link.
  final class Member: @unchecked Sendable {
    let client: CentralClient
    weak var peripheral: CBPeripheral?
    /// Whether to reconnect after the link is lost.
    let reconnects: Bool
    /// The value handles that it is subscribed to.
    var subscriptions: Set<AttributeHandle> = []
    /// The channels that it has opened.
    private var pipes: [WeakPipe] = []
    /// How often it has subscribed to a value or unsubscribed.
    private var subscriptionChanges: [AttributeHandle: Int] = [:]

    init(_ client: CentralClient, _ peripheral: CBPeripheral?, reconnects: Bool = false) {
      self.client = client
      self.peripheral = peripheral
      self.reconnects = reconnects
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

    private struct WeakPipe {
      weak var pipe: ChannelPipe?
    }

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

    /// Calls `body` on the manager's queue, unless the manager or the peripheral is released.
    func callManager(_ body: @escaping @Sendable (CBCentralManager, CBPeripheral) -> Void) {
      client.callManager(with: peripheral, body)
    }
  }

  /// Operations that complete together.
  struct Pending {
    var member: Member?
    var remaining: Int
    var outputs: [OperationOutput] = []
    var completion: Completion
  }

  /// Receives the results of operations, or the first error.
  typealias Completion = (Result<[OperationOutput], any Error>) -> Void

  let peer: DeviceAddress
  /// The central's identifier for it; `nil` before it begins.
  var id: LinkID?
  /// When it begins, if not at once.
  var beginning: Instant?
  var isOpen = false
  var members: [Member] = []
  var mtu = ATTMTU.minimum
  /// The handles of the client characteristic configurations, by value handle.
  var configurations: [AttributeHandle: AttributeHandle] = [:]
  /// The groups of operations that have not completed, by number.
  var pending: [Int: Pending] = [:]
  var groups: [OperationID: Int] = [:]
  private var lastGroup = 0

  init(peer: DeviceAddress) {
    self.peer = peer
  }

  func member(_ client: CentralClient) -> Member? {
    members.first { $0.client === client }
  }

  /// Whether any member other than `member` is subscribed to the value at `handle`.
  func isSubscribed(_ handle: AttributeHandle, except member: Member) -> Bool {
    members.contains { $0 !== member && $0.subscriptions.contains(handle) }
  }

  /// Waits for `operations`, all of them.
  func wait(
    for operations: [OperationID], of member: Member?, _ completion: @escaping Completion
  ) {
    lastGroup += 1
    for operation in operations { groups[operation] = lastGroup }
    pending[lastGroup] = Pending(
      member: member, remaining: operations.count, completion: completion)
  }

  /// An operation has ended.
  func completed(_ operation: OperationID, _ result: Result<OperationOutput, any Error>) {
    guard let group = groups.removeValue(forKey: operation), var waiting = pending[group] else {
      return
    }
    switch result {
    case .success(let output):
      waiting.outputs.append(output)
      waiting.remaining -= 1
      guard waiting.remaining == 0 else {
        pending[group] = waiting
        return
      }
      pending[group] = nil
      waiting.completion(.success(waiting.outputs))
    case .failure(let error):
      // The other results of the group are not needed.
      pending[group] = nil
      waiting.completion(.failure(error))
    }
  }

  /// Ends all groups with an error, oldest first: for `member`, or for all members.
  func endAll(for member: Member? = nil, _ error: any Error) {
    for (group, waiting) in pending.sorted(by: { $0.key < $1.key })
    where member == nil || waiting.member === member {
      pending[group] = nil
      waiting.completion(.failure(error))
    }
  }
}
