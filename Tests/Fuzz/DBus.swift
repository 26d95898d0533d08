// Bytes of the system's bus: a ball beside bluetoothd takes any stream, and sends only whole messages.

/// A ball beside bluetoothd, whose side of the bus is the input.
struct BusGround: ~Copyable {
  private var input: DBusInput
  private var session: BlueZSession
  private var ball: BallHost<4>
  private var output: DBusInput
  private var now = Instant(rawValue: 1)
  private var hasFailed = false

  init?() {
    guard var input = DBusInput(), let session = BlueZSession(adapter: 0, at: now),
      var output = DBusInput()
    else { return nil }
    Self.authenticate(&input)
    // What this program sends has no such lines: they let the second input read it.
    Self.authenticate(&output)
    self.input = input
    self.session = session
    self.output = output
    ball = BallHost<4>(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("8-Ball")), service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(), application: BallApplication<4>(seed: 8))
    let owner: InlineArray<4, UInt8> = [0x3A, 0x31, 0x2E, 0x30]
    _ = self.session.bus.owner.assign(owner.span)
    let database = EightBallProfile.makeDatabase()
    self.session.export(database.attributes, protection: .none)
    ball.start(at: now)
    check(skipping: true)
    settle()
  }

  private static func authenticate(_ input: inout DBusInput) {
    var lines = ByteBuffer<64>()
    lines.write { $0.write(text: "OK 0\r\nAGREE_UNIX_FD\r\n") }
    input.receive(lines.span)
  }

  /// Takes a part of the stream.
  mutating func receive(_ bytes: Span<UInt8>) {
    guard !hasFailed else { return }
    input.receive(bytes)
    do throws(DBusInput.StreamError) {
      while session.bus.failure == nil, let message = try input.next() { session.handle(message) }
    } catch {
      hasFailed = true
    }
    settle()
  }

  /// Lets time pass.
  mutating func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    session.advance(to: now)
    ball.advance(to: now)
    session.finishTurn()
    settle()
  }

  /// Carries packets between the ball and its radio, and checks what the bus would get.
  private mutating func settle() {
    var space = InlineArray<1_024, UInt8>(repeating: 0)
    for _ in 0..<64 where session.bus.failure == nil {
      var writer = ByteWriter(space.mutableSpan)
      if ball.nextPacket(into: &writer, at: now) {
        let count = writer.count
        session.take(space.span.extracting(first: count), at: now)
        continue
      }
      var span = space.mutableSpan
      let count = session.controller.read(into: &span)
      guard count > 0 else { break }
      ball.receive(space.span.extracting(first: count), at: now)
    }
    check(skipping: false)
  }

  /// Reads all that waits for the bus, which must be whole messages.
  private mutating func check(skipping isFirst: Bool) {
    takeSent(skipping: isFirst)
    session.bus.output.dropUnsent()
    do throws(DBusInput.StreamError) {
      while let message = try output.next() {
        var body = message.body
        if message.signature.equals("s"), body.readText() == nil { Self.fail() }
      }
    } catch {
      Self.fail()
    }
    if !output.isEmpty { Self.fail() }
  }

  private mutating func takeSent(skipping isFirst: Bool) {
    let sent = session.bus.output.unsent
    // The lines that begin the connection end with BEGIN.
    let start = isFirst ? (sent.firstIndex(of: "BEGIN\r\n") ?? 0) + 7 : 0
    output.receive(sent.extracting(droppingFirst: start))
  }

  private static func fail() { fatalError("FAULT: a sent message is invalid") }
}

/// Plays a stream in parts. Tag 1 lets time pass; others are bytes.
func playDBus(_ pieces: consuming Pieces) {
  guard var ground = BusGround() else { return }
  while let piece = pieces.next() {
    if piece.tag == 1 {
      ground.pass(milliseconds: UInt32(piece.first) &* 256)
    } else {
      ground.receive(piece.bytes)
    }
  }
}
