// A client with faulty servers and a faulty controller, on a client-only host and on one in both
// roles.
//
// The low two bits of a piece's tag are the link. Of the others:
//
// | tag | what the piece is |
// | --- | --- |
// | 0x00 … 0x1F | an ATT PDU of the peer |
// | 0x20 … 0x3F | the parameters of the response to the last request |
// | 0x40 … 0x5F | an operation |
// | 0x60 … 0x7F | a frame: its channel, then its payload |
// | 0x80 … 0x9F | one ACL packet, its boundary flag in bits 2 and 3 of the tag |
// | 0xA0 … 0xBF | a link that the host begins; with bit 2, one that a central begins |
// | 0xF0 … 0xF7 | the controller: see below |

/// A client-only host.
typealias ClientGround = Ground<NoServer, GATTClient<4, Asker>, NoChannels>
/// A host in both roles.
typealias RolesGround = Ground<
  GATTServer<4, GATTDatabase<32>, HesitantBall>, GATTClient<4, Asker>, NoChannels
>

extension Ground
where Server: ~Copyable, Client == GATTClient<4, Asker>, Channels == NoChannels {
  /// A host that has started and begun two links. If it is a server too, centrals have begun two
  /// more.
  static func asking(server: consuming Server) -> Ground {
    var ground = Ground(
      server: server, client: GATTClient(application: Asker()), channels: NoChannels(),
      followsLinks: true)
    for link: UInt8 in 0..<4 {
      if Server.isPresent, link >= 2 {
        ground.connect(link)
      } else {
        ground.begin(link)
      }
    }
    return ground
  }

  /// The host begins a link, and the controller makes it at once.
  fileprivate mutating func begin(_ link: UInt8) {
    attempt(link)
    drain()
    connect(link, as: 0x00)
  }

  /// The host starts to connect.
  fileprivate mutating func attempt(_ link: UInt8) {
    guard host.connect(to: DeviceAddress(kind: .random, bytes: [link, 0, 0, 0, 0, 0xC0])) else {
      return
    }
    host.client.application.attempt()
  }

  fileprivate mutating func perform(_ operation: ClientOperation, _ link: Int) {
    guard host.perform(operation, at: link) else { return }
    // It ends at the earliest when the host is asked for a packet.
    host.client.application.begin(operation, at: link)
    drain()
  }
}

/// Plays one input of the fuzzers Client and Roles.
func playClient<Server: ServerRole & Settling & ~Copyable>(
  _ pieces: consuming Pieces, on ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  var pieces = pieces
  while let piece = pieces.next() {
    let link = piece.tag & 3
    switch piece.tag {
    case 0x00...0x1F: playPDU(piece, on: &ground)
    case 0x20...0x3F: playResponse(piece, on: &ground)
    case 0x40...0x5F: ground.perform(operation(piece), Int(link))
    case 0x60...0x7F:
      guard !piece.bytes.isEmpty else { continue }
      note(piece, link, &ground)
      ground.receive(frame: piece.bytes.extracting(1...), channel: 4 + piece.first % 4, link: link)
    case 0x80...0x9F:
      note(piece, link, &ground)
      ground.receive(fragment: piece.bytes, boundary: (piece.tag >> 2) & 3, link: link)
    case 0xA0...0xBF:
      if piece.tag & 4 == 0 { ground.begin(link) } else { ground.connect(link) }
    default: playController(piece, on: &ground)
    }
  }
  finish(&ground)
}

/// The peer is silent, and the controller obeys: every operation and attempt ends in time.
private func finish<Server: ServerRole & Settling & ~Copyable>(
  _ ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  ground.isObliging = true
  ground.host.cancelConnection()
  // 655.35 s is the longest supervision timeout that a controller can report.
  for _ in 0..<4 { ground.pass(milliseconds: 700_000) }
  demand(!ground.host.client.application.isBusy, "an operation that never ends")
  demand(!ground.host.client.application.isConnecting, "an attempt that never ends")
}

/// Notes a possible response or indication.
private func note<Server: ServerRole & Settling & ~Copyable>(
  _ piece: borrowing Piece, _ link: UInt8,
  _ ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  ground.requests[Int(link)] = 0
  ground.indications[Int(link)] += 1
}

private func playPDU<Server: ServerRole & Settling & ~Copyable>(
  _ piece: borrowing Piece, on ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  let link = piece.tag & 3
  note(piece, link, &ground)
  ground.receive(
    frame: piece.bytes, filling: piece.tag & 0x10 != 0 ? 512 : nil, channel: 0x04, link: link)
}

/// The response has the opcode that fits the request. With bit 4 of the tag it has 512 bytes.
private func playResponse<Server: ServerRole & Settling & ~Copyable>(
  _ piece: borrowing Piece, on ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  let link = piece.tag & 3
  let request = ground.requests[Int(link)]
  guard request != 0 else { return }
  note(piece, link, &ground)
  var storage = InlineArray<260, UInt8>(repeating: 0)
  var writer = ByteWriter(storage.mutableSpan)
  writer.write(request &+ 1)
  writer.write(piece.bytes)
  let count = writer.count
  ground.receive(
    frame: storage.span.extracting(first: count), filling: piece.tag & 0x10 != 0 ? 512 : nil,
    channel: 0x04, link: link)
}

private func playController<Server: ServerRole & Settling & ~Copyable>(
  _ piece: borrowing Piece, on ground: inout Ground<Server, GATTClient<4, Asker>, NoChannels>
) {
  switch piece.tag {
  case 0xF0: ground.isObliging.toggle()
  case 0xF1: ground.restart()
  case 0xF2: ground.attempt(piece.first & 3)
  case 0xF3: ground.pass(milliseconds: UInt32(piece.first) * 200)
  case 0xF4:
    ground.host.scan(piece.first & 1 == 0 ? nil : ScanParameters())
    ground.drain()
  case 0xF5:
    ground.host.cancelConnection()
    ground.drain()
  case 0xF6:
    ground.host.readRSSI(at: Int(piece.first & 3))
    ground.drain()
  case 0xF7:
    ground.host.disconnect(at: Int(piece.first & 3))
    ground.drain()
  default:
    // It may be any packet of the controller, so the links are no longer known.
    ground.followsLinks = false
    ground.receive(piece.bytes)
  }
}

/// The operation that the piece describes.
private func operation(_ piece: borrowing Piece) -> ClientOperation {
  var reader = ByteReader(piece.bytes)
  let kind = reader.readUInt8() ?? 0
  let first = AttributeHandle(rawValue: reader.readUInt16() ?? 1)
  let second = AttributeHandle(rawValue: reader.readUInt16() ?? 0xFFFF)
  let range = AttributeHandleRange(start: first, end: second)
  let byteCount = Int(Int16(truncatingIfNeeded: Int(second.rawValue))) % 600
  switch kind % 13 {
  case 0: return .exchangeMTU
  case 1: return .discoverServices
  case 2: return .discoverServicesByUUID(BluetoothUUID(first.rawValue))
  case 3: return .discoverServicesByUUID(.ballService)
  case 4: return .discoverIncludedServices(range)
  case 5: return .discoverCharacteristics(range)
  case 6: return .discoverDescriptors(range)
  case 7: return .read(first)
  case 8: return .readByUUID(BluetoothUUID(first.rawValue))
  case 9: return .readMultiple(byteCount: byteCount, isVariable: kind & 0x80 != 0)
  case 10: return .write(first, byteCount: byteCount)
  case 11: return .writeWithoutResponse(first, byteCount: byteCount)
  default: return .subscribe(first, ClientConfiguration(rawValue: second.rawValue))
  }
}
