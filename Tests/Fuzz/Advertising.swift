// Extended advertising, scanning and connecting, and periodic advertising: reports in parts from a faulty
// controller, and sets, trains and synchronizations that the program changes at any time.
//
// | tag | what the piece is |
// | --- | --- |
// | 0x00 … 0x3F | LE Extended Advertising Report: its parameters after the subevent |
// | 0x40 … 0x5F | the data of a set: its number in bits 0 and 1 of the tag, its kind and PHY in the others |
// | 0x60 … 0x6F | LE Advertising Set Terminated: its parameters after the subevent |
// | 0x70 … 0x7F | the scan: off, or with bit 0 on |
// | 0x80 … 0x8F | a link, which a central begins, or with bit 2 the host |
// | 0x90 … 0x9F | the data of a train: its set in bits 0 and 1 of the tag, its interval in the others |
// | 0xA0 … 0xAF | a synchronization begins: the set is the first byte |
// | 0xB0 … 0xBF | the synchronization with the number of the tag ends |
// | 0xC0 … 0xCF | an event of a synchronization: its kind in bits 0 and 1, its parameters |
// | 0xF0 … 0xF3 | the controller, as in the fuzzer HCI |
// | others | a packet, type byte first |

/// A host in both roles with two sets, trains, chains and synchronizations.
typealias AdvertisingGround = Ground<
  AdvertisingServer<4, GATTDatabase<32>, HesitantBall, PeriodicAdvertisingSets<2, 300, 600>>,
  ScanningClient<4, Asker, PeriodicScanner<2, 300, 2, 300>>, NoChannels
>

extension Ground
where
  Server == AdvertisingServer<
    4, GATTDatabase<32>, HesitantBall, PeriodicAdvertisingSets<2, 300, 600>
  >,
  Client == ScanningClient<4, Asker, PeriodicScanner<2, 300, 2, 300>>, Channels == NoChannels
{
  /// A host that has started up, and scans.
  static var started: Ground {
    var ground = Ground(
      server: .hesitant, client: ScanningClient(application: Asker()), channels: NoChannels(),
      followsLinks: false)
    demand(ground.host.isExtended, "a host without the commands of Bluetooth 5")
    ground.host.scan(ScanParameters())
    ground.drain()
    return ground
  }

  fileprivate mutating func advertise(_ data: Span<UInt8>, _ tag: UInt8) {
    let kinds: [4 of AdvertisingSet.Kind] = [
      .connectable, .scannable, .nonconnectable, .connectable,
    ]
    let phy = PHY(rawValue: 1 + (tag >> 4) % 3)
    let set = AdvertisingSet(kinds[Int(tag >> 2 & 3)], phy: phy)
    let fits = host.advertise(data.isEmpty ? nil : set, data, in: Int(tag & 3))
    demand(tag & 3 < 2 || !fits, "a set that does not exist")
    drain()
  }

  fileprivate mutating func receive(_ subevent: LEMetaSubevent, _ parameters: Span<UInt8>) {
    var packet = ByteBuffer<300>()
    packet.write { writer in
      writer.write(0x04 as UInt8)
      writer.write(0x3E as UInt8)
      writer.write(UInt8(truncatingIfNeeded: 1 + parameters.count))
      writer.write(subevent.rawValue)
      writer.write(parameters)
    }
    receive(packet.span)
  }

  fileprivate mutating func advertiseTrain(_ data: Span<UInt8>, _ tag: UInt8) {
    let interval = UInt16(tag >> 2 & 3) &* 4
    let train = PeriodicTrain(interval: interval...interval &+ 1)
    let fits = host.advertise(data.isEmpty ? nil : train, data, withSet: Int(tag & 3))
    demand(tag & 3 < 2 || !fits, "a train of a set that does not exist")
    drain()
  }

  fileprivate mutating func synchronize(_ set: UInt8) {
    let parameters = SynchronizationParameters(address: .zero, advertisingSet: set)
    if host.synchronize(with: parameters) != nil { host.client.application.synchronizations += 1 }
    drain()
  }

  fileprivate mutating func begin(_ link: UInt8) {
    if host.connect(to: DeviceAddress(kind: .random, bytes: [link, 0, 0, 0, 0, 0xC0])) {
      host.client.application.attempt()
    }
    drain()
    connect(link, as: 0x00)
  }
}

/// Plays one input of the fuzzer Advertising.
func playAdvertising(_ pieces: consuming Pieces, on ground: inout AdvertisingGround) {
  var pieces = pieces
  while let piece = pieces.next() {
    switch piece.tag {
    case 0x00...0x3F:
      guard piece.bytes.count <= 254 else { continue }
      ground.receive(.extendedAdvertisingReport, piece.bytes)
    case 0x40...0x5F: ground.advertise(piece.bytes, piece.tag)
    case 0x60...0x6F:
      guard piece.bytes.count <= 254 else { continue }
      ground.receive(.advertisingSetTerminated, piece.bytes)
    case 0x70...0x7F:
      ground.host.scan(piece.tag & 1 == 0 ? nil : ScanParameters())
      ground.drain()
    case 0x80...0x8F:
      if piece.tag & 4 == 0 { ground.connect(piece.tag & 3) } else { ground.begin(piece.tag & 3) }
    case 0x90...0x9F: ground.advertiseTrain(piece.bytes, piece.tag)
    case 0xA0...0xAF: ground.synchronize(piece.first)
    case 0xB0...0xBF:
      ground.host.unsynchronize(at: Int(piece.tag & 15) - 1)
      ground.drain()
    case 0xC0...0xCF:
      guard piece.bytes.count <= 254 else { continue }
      let kinds: [4 of LEMetaSubevent] = [
        .periodicAdvertisingSyncEstablished, .periodicAdvertisingReport,
        .periodicAdvertisingSyncLost, .periodicAdvertisingReport,
      ]
      ground.receive(kinds[Int(piece.tag & 3)], piece.bytes)
    case 0xF0: ground.isObliging.toggle()
    case 0xF1: ground.restart()
    case 0xF3: ground.pass(milliseconds: UInt32(piece.first) * 100)
    default: ground.receive(piece.bytes)
    }
  }
  // The controller obeys again: the host comes to rest, and every attempt ends.
  ground.isObliging = true
  ground.host.cancelConnection()
  for index in 0..<2 { ground.host.unsynchronize(at: index) }
  ground.drain()
  for _ in 0..<4 { ground.pass(milliseconds: 700_000) }
  demand(!ground.host.client.application.isConnecting, "an attempt that never ends")
  demand(
    ground.host.client.application.synchronizations == 0,
    "a synchronization without exactly one end")
}
