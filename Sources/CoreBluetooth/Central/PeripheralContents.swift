import BluetoothHost
import Foundation

extension CBPeripheral {
  /// What changes in a peripheral.
  struct Contents {
    /// How many writes without response may wait before `canSendWriteWithoutResponse` is false.
    static let writeLimit = 16
    /// How many may wait at all: what is beyond is not sent.
    static let writeCapacity = 1_024

    weak var delegate: (any CBPeripheralDelegate)?
    /// Its name as it tells it over a link, or else as it advertises it.
    var name: String?
    var isNameTold = false
    var mtu = ATTMTU.minimum
    /// How strongly it was heard when that was last read, in dBm.
    var rssi: Int8?
    var tree = AttributeTree()
    /// The values written without response that have not been sent.
    var unsent = 0
    /// Whether somebody waits for `peripheralIsReady(toSendWriteWithoutResponse:)`.
    var owesReady = false

    /// How many links have been asked for of which the end has not been told.
    private var links = 0
    /// How many of those, the oldest, have been cancelled.
    private var cancelled = 0
    /// Whether the oldest is there.
    private var isOpen = false

    var state: CBPeripheralState {
      if links == 0 { return .disconnected }
      if cancelled > 0 { return .disconnecting }
      return isOpen ? .connected : .connecting
    }

    /// A link is asked for; `false` if there is one, or will be.
    mutating func wantLink() -> Bool {
      guard links == cancelled else { return false }
      links += 1
      return true
    }

    /// A link is not wanted any more; `false` if there is none.
    mutating func cancelLink() -> Bool {
      guard links > cancelled else { return false }
      cancelled = links
      return true
    }

    /// There is a link; `false` if it is not wanted any more.
    mutating func linkOpened(_ mtu: ATTMTU) -> Bool {
      guard links > 0, cancelled == 0 else { return false }
      isOpen = true
      self.mtu = mtu
      return true
    }

    /// The link is lost, and is to be made again; `false` if it is not wanted any more.
    mutating func beginReconnecting() -> Bool {
      guard links > 0, cancelled == 0 else { return false }
      links += 1
      return true
    }

    /// A link has ended, or will not be, and nothing of it is valid any more. One that is made again
    /// was not cancelled: the next was, if any.
    mutating func linkEnded(isReconnecting: Bool = false) -> (wasOpen: Bool, wasCancelled: Bool) {
      defer {
        links = max(0, links - 1)
        cancelled = max(0, cancelled - 1)
        forgetServer()
      }
      return (isOpen, !isReconnecting && cancelled > 0)
    }

    /// Nobody is there to tell of links any more.
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
      owesReady = false
    }

    /// It was heard to advertise this name.
    mutating func heard(_ name: String?) {
      if let name, !isNameTold { self.name = name }
    }

    /// It has told its name over a link; `false` if that is what was known.
    mutating func told(_ name: String) -> Bool {
      isNameTold = true
      guard name != self.name else { return false }
      self.name = name
      return true
    }
  }
}
