import BluetoothHost
import Linux

/// The sockets on which the host's notifications and indications go to bluetoothd, one packet each:
/// org.bluez.GattCharacteristic(5), AcquireNotify.
///
/// bluetoothd before 5.69 has one socket for each characteristic, and sends each packet to all centrals that
/// have subscribed. Later it has one for each central.
package struct UpdateSockets: ~Copyable {
  /// The most sockets.
  static var capacity: Int { 32 }
  /// Within this time the same value for several centrals is sent once on a shared socket, in milliseconds.
  private static var burst: UInt32 { 100 }

  /// A socket.
  private struct Socket {
    var number: Int32
    /// The declaration of the characteristic.
    var characteristic: UInt16
    /// The index of the central that asked for it.
    var central: Int
    /// What was sent last: its hash, until when it counts, and the centrals for which it was sent.
    var last: UInt64 = 0
    var end = Instant(rawValue: 0)
    var centrals: UInt16 = 0
  }

  private let pin = Pinned()
  private var sockets = InlineArray<32, Socket?>(repeating: nil)
  /// Whether each central has a socket of its own.
  var isPerCentral = false

  /// No sockets.
  init() {}

  deinit {
    for index in 0..<Self.capacity {
      if let socket = sockets[index] { clinux_close(socket.number) }
    }
  }

  /// Makes a socket for the updates of a characteristic to a central, and returns bluetoothd's end, which
  /// the caller owns; `nil` if that fails.
  @inline(never)
  mutating func add(
    _ characteristic: UInt16, for central: Int, in queue: borrowing PollQueue
  ) -> Int32? {
    var other: Int32 = -1
    for index in 0..<Self.capacity where sockets[index] == nil {
      if contains(characteristic) {
        isPerCentral = isPerCentral || !contains(characteristic, of: central)
      }
      let number = unsafe clinux_open_packet_pair(&other)
      guard number >= 0 else { return nil }
      let token = PollToken(rawValue: BlueZPeripheral.firstToken &+ UInt32(index))
      guard queue.add(number, token, for: .readable) else {
        clinux_close(number)
        clinux_close(other)
        return nil
      }
      sockets[index] = Socket(number: number, characteristic: characteristic, central: central)
      return other
    }
    return nil
  }

  /// Whether a characteristic has a socket.
  func contains(_ characteristic: UInt16) -> Bool {
    for index in 0..<Self.capacity where sockets[index]?.characteristic == characteristic {
      return true
    }
    return false
  }

  private func contains(_ characteristic: UInt16, of central: Int) -> Bool {
    for index in 0..<Self.capacity {
      if let socket = sockets[index], socket.characteristic == characteristic,
        socket.central == central
      {
        return true
      }
    }
    return false
  }

  /// The characteristic and the central of the socket at `index`; `nil` if there is none.
  func owner(at index: Int) -> (characteristic: UInt16, central: Int)? {
    sockets[index].map { ($0.characteristic, $0.central) }
  }

  /// Closes the socket at `index`.
  @inline(never)
  mutating func remove(_ index: Int) {
    guard let socket = sockets[index] else { return }
    // That removes it from its queue, too.
    clinux_close(socket.number)
    sockets[index] = nil
  }

  /// What has come on a socket.
  enum Event {
    case nothing
    /// A central has confirmed an indication.
    case confirmation
    /// The last central has unsubscribed.
    case end
  }

  /// Reads the socket at `index`.
  @inline(never)
  mutating func read(_ index: Int) -> Event {
    guard let socket = sockets[index] else { return .nothing }
    var byte: UInt8 = 0
    let result = unsafe withUnsafeMutablePointer(to: &byte) {
      unsafe Transfer(clinux_read(socket.number, $0, 1))
    }
    switch result {
    case .bytes(0), .failed: return .end
    case .bytes: return .confirmation
    case .wouldBlock: return .nothing
    }
  }

  /// Sends an update of a characteristic for a central. A packet that bluetoothd is too slow to read is
  /// lost, as it may be on the air.
  @inline(never)
  mutating func send(
    _ value: Span<UInt8>, of characteristic: UInt16, for central: Int, at now: Instant
  ) {
    for index in 0..<Self.capacity {
      guard var socket = sockets[index], socket.characteristic == characteristic,
        !isPerCentral || socket.central == central
      else { continue }
      if !isPerCentral {
        let hash = Self.hash(value)
        let bit = UInt16(1) &<< UInt16(truncatingIfNeeded: central)
        let isSame = socket.last == hash && now < socket.end
        defer { sockets[index] = socket }
        if isSame, socket.centrals & bit == 0 {
          socket.centrals |= bit
          return
        }
        socket.last = hash
        socket.centrals = bit
        socket.end = now.advanced(by: Self.burst)
      }
      _ = unsafe value.withUnsafeBufferPointer {
        unsafe clinux_send(socket.number, $0.baseAddress, $0.count)
      }
      return
    }
  }

  /// FNV-1a.
  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices {
      hash = (hash ^ UInt64(widening: UInt32(bytes[index]))) &* 0x100_0000_01B3
    }
    return hash
  }
}
