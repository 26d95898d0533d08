import BluetoothHost
import Foundation

extension CBPeripheral {
  /// The variable state of a peripheral.
  struct Contents {
    /// How many writes without response may wait before `canSendWriteWithoutResponse` is false.
    static let writeLimit = 16
    /// How many may wait at most. Further ones are dropped.
    static let writeCapacity = 1_024

    weak var delegate: (any CBPeripheralDelegate)?
    /// The GAP Device Name read over a link, or else the advertised name.
    var name: String?
    private var hasReadName: Bool
    var mtu = ATTMTU.minimum
    /// The RSSI that was last read, in dBm.
    var rssi: Int8?
    var tree = AttributeTree()
    /// How many values written without response have not been sent.
    var unsent = 0
    /// Whether `peripheralIsReady(toSendWriteWithoutResponse:)` is due.
    var mustReportReady = false

    /// How many requested links have not been reported as ended.
    private var links = 0
    /// How many of these, counted from the oldest, have been cancelled.
    private var cancelled = 0
    /// Whether the oldest is open.
    private var isOpen = false

    init(_ name: KnownName? = nil) {
      self.name = name?.text
      hasReadName = name?.isRead ?? false
    }

    var state: CBPeripheralState {
      if links == 0 { return .disconnected }
      if cancelled > 0 { return .disconnecting }
      return isOpen ? .connected : .connecting
    }

    /// Requests a link; `false` if there is one, or one is requested.
    mutating func wantLink() -> Bool {
      guard links == cancelled else { return false }
      links += 1
      return true
    }

    /// Cancels the link; `false` if there is none.
    mutating func cancelLink() -> Bool {
      guard links > cancelled else { return false }
      cancelled = links
      return true
    }

    /// The link is open; `false` if it has been cancelled.
    mutating func linkOpened(_ mtu: ATTMTU) -> Bool {
      guard links > 0, cancelled == 0 else { return false }
      isOpen = true
      self.mtu = mtu
      return true
    }

    /// The link is lost, and the manager reconnects; `false` if it has been cancelled.
    mutating func beginReconnecting() -> Bool {
      guard links > 0, cancelled == 0 else { return false }
      links += 1
      return true
    }

    /// A link has ended or failed, and its attributes are no longer valid. A link that the manager
    /// makes again was not cancelled: any cancellation was for the next.
    mutating func linkEnded(isReconnecting: Bool = false) -> (wasOpen: Bool, wasCancelled: Bool) {
      defer {
        links = max(0, links - 1)
        cancelled = max(0, cancelled - 1)
        forgetServer()
      }
      return (isOpen, !isReconnecting && cancelled > 0)
    }

    /// The manager was released: the ends of links are no longer reported.
    mutating func forgetLinks() {
      links = 0
      cancelled = 0
      forgetServer()
    }

    private mutating func forgetServer() {
      isOpen = false
      mtu = .minimum
      rssi = nil
      tree = AttributeTree()
      unsent = 0
      mustReportReady = false
    }

    /// The peripheral advertises this name. A name that was read is reported by `readName`.
    mutating func heard(_ name: KnownName) {
      if !name.isRead, !hasReadName { self.name = name.text }
    }

    /// The GAP Device Name was read over a link; `false` if it has not changed.
    mutating func readName(_ name: String) -> Bool {
      hasReadName = true
      guard name != self.name else { return false }
      self.name = name
      return true
    }
  }
}

/// The name of a peripheral.
struct KnownName {
  let text: String
  /// Whether it is the GAP Device Name, which was read over a link, and not an advertised name.
  let isRead: Bool
}

/// The names of the peripherals that this radio has heard, also of those that the program has
/// released.
struct KnownNames {
  /// How many names are remembered. A new one replaces the oldest.
  static let capacity = 1_024

  private var names: [DeviceAddress: KnownName] = [:]
  /// The peripherals, the oldest first.
  private var order: [DeviceAddress] = []

  subscript(_ address: DeviceAddress) -> KnownName? { names[address] }

  /// An advertised name does not replace one that was read.
  mutating func note(_ name: KnownName, of address: DeviceAddress) {
    guard let known = names[address] else {
      if order.count == Self.capacity { names[order.removeFirst()] = nil }
      order.append(address)
      names[address] = name
      return
    }
    if name.isRead || !known.isRead { names[address] = name }
  }
}
