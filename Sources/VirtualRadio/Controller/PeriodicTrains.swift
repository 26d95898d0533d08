import BluetoothHost

/// What a host has set for the periodic advertising of a set.
struct PeriodicSettings {
  var parameters: LESetPeriodicAdvertisingParameters
  var data = SetData()
  /// Whether the host wants the train. It begins when the set advertises too.
  var isEnabled = false

  init(_ parameters: LESetPeriodicAdvertisingParameters) { self.parameters = parameters }

  /// Whether `data` fits between two packets: an AUX_SYNC_IND and packets of its chain, each 300 µs after
  /// the one before. Core Specification, Vol 6, Part B, 4.1.2 and 4.4.2.12.
  func holds(_ data: SetData, on phy: PHY) -> Bool {
    let count = data.bytes.count
    let parts = max(1, (count + Self.longestPart - 1) / Self.longestPart)
    var duration: UInt64 = 0
    for part in 0..<parts {
      let length = min(count - part * Self.longestPart, Self.longestPart)
      // An extended header of at most 10 bytes before the data.
      duration += PacketTime.packet(10 + length, phy: phy.rawValue, isEncrypted: false) + 300
    }
    return duration <= UInt64(parameters.minimumInterval) * 1_250
  }

  /// The most data in one packet: 255 bytes, less the extended header.
  private static let longestPart = 245
}

/// A periodic advertising train on the air. A train that stops and begins again is another one: its
/// followers have to synchronize again.
final class AirTrain {
  /// From one packet to the next, in units of 1.25 ms.
  let interval: UInt16
  let includesTxPower: Bool
  /// The next packet, in µs.
  private var time: UInt64
  /// Those who receive it, or try to, in the order of their synchronization.
  private(set) var followers: [Synchronization] = []

  init(_ parameters: LESetPeriodicAdvertisingParameters, at now: Instant) {
    interval = parameters.minimumInterval
    includesTxPower =
      parameters.properties & LESetPeriodicAdvertisingParameters.includesTxPower != 0
    time = now.rawValue * 1_000 + UInt64(interval) * 1_250
  }

  /// The next packet. The air's time is in milliseconds, so it is up to 1 ms late; the one after is not.
  var next: Instant { Instant(rawValue: (time + 999) / 1_000) }

  /// When somebody needs the next packet; `nil` if there is no follower.
  var deadline: Instant? { followers.isEmpty ? nil : next }

  /// Moves to the first packet after `now`.
  func skip(to now: Instant) {
    let step = UInt64(interval) * 1_250
    guard next <= now else { return }
    time += ((now.rawValue * 1_000 - min(time, now.rawValue * 1_000)) / step + 1) * step
  }

  func add(_ follower: Synchronization) { followers.append(follower) }
  func remove(_ follower: Synchronization) { followers.removeAll { $0 === follower } }
}

/// A controller that receives a train, or is about to.
final class Synchronization {
  unowned let receiver: VirtualController
  let handle: UInt16
  let sender: Sender
  let advertisingSet: UInt8
  let phy: PHY
  let interval: UInt16
  private let skip: UInt16
  /// In milliseconds.
  private let timeout: UInt32
  /// The train; `nil` after its end.
  private(set) weak var train: AirTrain?
  /// Whether the first packet was received.
  private(set) var isEstablished = false
  /// When it ends if no packet is received.
  private(set) var end: Instant
  /// How many packets it still leaves out.
  private var skips: UInt16 = 0

  init(
    _ request: LEPeriodicAdvertisingCreateSync, of receiver: VirtualController, handle: UInt16,
    with train: AirTrain, of set: AdvertiserSet, _ sender: Sender, at now: Instant
  ) {
    self.receiver = receiver
    self.handle = handle
    self.sender = sender
    advertisingSet = set.parameters.identifier
    phy = set.parameters.secondaryPHY
    interval = train.interval
    skip = request.skip
    timeout = UInt32(request.timeout) * 10
    self.train = train
    // Six packets, as for a link: Core Specification, Vol 6, Part B, 4.4.3.4.
    end = now.advanced(by: (UInt32(interval) * 6 * 5 + 3) / 4 + 1)
    train.add(self)
  }

  /// Whether it listens to the next packet.
  func listens() -> Bool {
    guard skips > 0 else { return true }
    skips -= 1
    return false
  }

  /// A packet has been received. Returns whether it was the first one.
  func receive(at now: Instant) -> Bool {
    defer { isEstablished = true }
    skips = skip
    end = now.advanced(by: timeout)
    return !isEstablished
  }

  /// Receives nothing from now on.
  func leave() { train?.remove(self) }
}

/// A set of the Periodic Advertiser list: Core Specification, Vol 6, Part B, 4.3.5.
struct ListedAdvertiser: Equatable {
  var address: DeviceAddress
  var advertisingSet: UInt8
}
