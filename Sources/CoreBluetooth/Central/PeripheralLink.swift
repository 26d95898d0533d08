import BluetoothHost

/// The link to one peripheral, made or wished for, which all managers of a radio share.
final class PeripheralLink {
  /// One manager's part in it.
  final class Member: @unchecked Sendable {
    let client: CentralClient
    weak var peripheral: CBPeripheral?
    /// Whether a link that is lost is to be made again.
    let reconnects: Bool
    /// The values that it is to be told of.
    var subscriptions: Set<AttributeHandle> = []
    /// The channels that it has opened.
    private var pipes: [WeakPipe] = []
    /// How often it has subscribed to a value, or ended that.
    private var wishes: [AttributeHandle: Int] = [:]

    init(_ client: CentralClient, _ peripheral: CBPeripheral?, reconnects: Bool = false) {
      self.client = client
      self.peripheral = peripheral
      self.reconnects = reconnects
    }

    /// It wants a value to be told, or told no more: the number of that wish.
    func beginWish(for handle: AttributeHandle) -> Int {
      wishes[handle, default: 0] += 1
      return wishes[handle, default: 0]
    }

    /// Whether it has wished for nothing else since.
    func isLast(_ wish: Int, for handle: AttributeHandle) -> Bool { wishes[handle] == wish }

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

    /// Calls `body` on the manager's queue, if there still are a manager and a peripheral then.
    func tell(_ body: @escaping @Sendable (CBCentralManager, CBPeripheral) -> Void) {
      client.tell(of: peripheral, body)
    }
  }

  /// Operations that are answered together.
  struct Pending {
    var member: Member?
    var remaining: Int
    var outputs: [OperationOutput] = []
    var completion: Completion
  }

  /// How operations ended: with what each gave, or why the first that failed did.
  typealias Completion = (Result<[OperationOutput], any Error>) -> Void

  let peer: DeviceAddress
  /// The central's own name for it; `nil` while it is not to be begun yet.
  var id: LinkID?
  /// When it is to be begun, if that is not at once.
  var beginning: Instant?
  var isOpen = false
  var members: [Member] = []
  /// How long a PDU may be on it.
  var mtu = ATTMTU.minimum
  /// Where the client characteristic configurations are, by the handle of the value.
  var configurations: [AttributeHandle: AttributeHandle] = [:]
  /// What is waited for. Operations of one group have one key.
  var pending: [Int: Pending] = [:]
  var groups: [OperationID: Int] = [:]
  private var lastGroup = 0

  init(peer: DeviceAddress) {
    self.peer = peer
  }

  func member(_ client: CentralClient) -> Member? {
    members.first { $0.client === client }
  }

  /// Whether anybody but `member` is to be told of the value at `handle`.
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
      // What the others of the group give is of no use any more.
      pending[group] = nil
      waiting.completion(.failure(error))
    }
  }

  /// Ends what is waited for, oldest first: for `member`, or for everybody.
  func endAll(for member: Member? = nil, _ error: any Error) {
    for (group, waiting) in pending.sorted(by: { $0.key < $1.key })
    where member == nil || waiting.member === member {
      pending[group] = nil
      waiting.completion(.failure(error))
    }
  }
}
