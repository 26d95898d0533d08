// Extended advertising, scanning and connecting: reports in parts from a faulty controller, and sets that
// the program changes at any time.
//
// | tag | what the piece is |
// | --- | --- |
// | 0x00 … 0x3F | LE Extended Advertising Report: its parameters after the subevent |
// | 0x40 … 0x5F | the data of a set: its number in bits 0 and 1 of the tag, its kind and PHY in the others |
// | 0x60 … 0x6F | LE Advertising Set Terminated: its parameters after the subevent |
// | 0x70 … 0x7F | the scan: off, or with bit 0 on |
// | 0x80 … 0x8F | a link, which a central begins, or with bit 2 the host |
// | 0xF0 … 0xF3 | the controller, as in the fuzzer HCI |
// | others | a packet, type byte first |

/// A host in both roles with two sets and two chains, of up to 300 bytes each.
typealias AdvertisingGround = Ground<
  AdvertisingServer<4, GATTDatabase<32>, HesitantBall, AdvertisingSets<2, 300>>,
  ScanningClient<4, Asker, ExtendedScanner<2, 300>>, NoChannels
>

extension Ground
where
  Server == AdvertisingServer<4, GATTDatabase<32>, HesitantBall, AdvertisingSets<2, 300>>,
  Client == ScanningClient<4, Asker, ExtendedScanner<2, 300>>, Channels == NoChannels
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
    case 0xF0: ground.isObliging.toggle()
    case 0xF1: ground.restart()
    case 0xF3: ground.pass(milliseconds: UInt32(piece.first) * 100)
    default: ground.receive(piece.bytes)
    }
  }
  // The controller obeys again: the host comes to rest, and every attempt ends.
  ground.isObliging = true
  ground.host.cancelConnection()
  for _ in 0..<4 { ground.pass(milliseconds: 700_000) }
  demand(!ground.host.client.application.isConnecting, "an attempt that never ends")
}
