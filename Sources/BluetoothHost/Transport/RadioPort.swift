/// The result of opening a radio.
public enum RadioOpening: Equatable, Sendable {
  /// Bytes can be read and written.
  case opened
  /// The controller is not there yet, or its host's name is being resolved. The loop wakes at the
  /// next change.
  case pending
  /// It cannot be opened now.
  case failed
}

/// The result of reading from a controller.
public enum RadioRead: Equatable, Sendable {
  /// This number of bytes, at least one.
  case bytes(Int)
  /// Nothing is available.
  case nothing
  /// The peer closed the connection.
  case closed
  /// The read failed.
  case failed
}

/// The result of writing to a controller.
public enum RadioWrite: Equatable, Sendable {
  /// The controller took this number of bytes, perhaps none.
  case taken(Int)
  /// The write failed.
  case failed
}

/// The direction of a packet.
public enum PacketDirection: Equatable, Sendable {
  /// From the host to the controller.
  case sent
  /// From the controller to the host.
  case received
}

/// The byte transport of a Bluetooth controller: what a host needs from its machine.
///
/// No call may block. All calls come from one thread.
public protocol RadioPort: ~Copyable {
  /// Opens the radio, for the first time or again.
  mutating func openRadio(at now: Instant) -> RadioOpening

  /// Closes the radio, and restores the state of the machine.
  mutating func closeRadio()

  /// Whether each read and each write is one packet, as with an adapter's user channel; false for a
  /// stream.
  var isPacketwise: Bool { get }

  /// Reads the available bytes to the front of `space`.
  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead

  /// Writes the first of `bytes`, as many as can be taken now. If some remain, the loop wakes when
  /// more can be taken.
  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite

  /// Whether `export` does something. If false, which is the default, a program has no code for it.
  static var takesAttributes: Bool { get }

  /// Takes the attributes of the driver's server, from the handle 0x0001 on: after the radio was
  /// opened, and after each change. The default does nothing; a radio that offers services by another way than HCI
  /// needs them.
  mutating func export(_ attributes: Span<Attribute>)

  /// Observes a packet, H4's type byte first. The default does nothing.
  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}

extension RadioPort where Self: ~Copyable {
  /// False.
  @inlinable public static var takesAttributes: Bool { false }

  /// Does nothing.
  @inlinable public mutating func export(_ attributes: Span<Attribute>) {}

  /// Does nothing.
  @inlinable public mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {}
}

/// What drives a controller: a host and its program.
public protocol RadioDriver: ~Copyable {
  /// The radio was opened, for the first time or again. The state of its controller is unknown.
  mutating func radioIsReady(at now: Instant)

  /// Passes the attributes of its server to the port of the radio that was opened. The default does nothing.
  borrowing func exportAttributes<Port: RadioPort & ~Copyable>(to port: inout Port)

  /// Takes a whole packet from the controller, H4's type byte first.
  mutating func receive(_ packet: Span<UInt8>, at now: Instant)

  /// Whether `nextPacket` may have a packet. The default is true.
  var mayHavePacket: Bool { get }

  /// Writes the next whole packet for the controller, H4's type byte first; `false` if there is
  /// none now.
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool

  /// All packets that the last received packet caused were sent. The default does nothing.
  mutating func packetWasServed(at now: Instant)

  /// Does what is due at `now`. Called in each turn of the loop, after its packets.
  mutating func advance(to now: Instant)
}

extension RadioDriver where Self: ~Copyable {
  /// Does nothing.
  @inlinable public borrowing func exportAttributes<Port: RadioPort & ~Copyable>(
    to port: inout Port
  ) {}

  /// `true`.
  @inlinable public var mayHavePacket: Bool { true }

  /// Does nothing.
  @inlinable public mutating func packetWasServed(at now: Instant) {}
}

/// Why a radio was lost.
public enum TransportError: Equatable, Sendable {
  /// The port could not read or write; it knows the reason.
  case port
  /// The peer closed the connection.
  case closed
  /// A packet cannot begin with this byte, so the rest of the stream is unreadable.
  case lostSync(UInt8)
  /// The controller answered no Reset.
  case silent
  /// The virtual air of the connection has no room for another radio.
  case airIsFull

  /// Writes the reason in UTF-8, without a full stop; nothing for `port`.
  ///
  /// - Parameter writer: Takes the text.
  /// - Parameter radio: The radio's name, such as `hci0`.
  public func writeReason(radio: Span<UInt8>, to writer: inout ByteWriter) {
    switch self {
    case .port: return
    case .closed:
      writer.writePrefix(of: radio)
      writer.write(text: " closed the connection")
    case .lostSync(let byte):
      writer.writePrefix(of: radio)
      writer.write(text: " sent 0x")
      writer.write(hexadecimal: byte)
      writer.write(text: " where a packet begins")
    case .silent:
      writer.writePrefix(of: radio)
      writer.write(text: " does not answer: 3 Resets had no response")
    case .airIsFull:
      writer.write(text: "the virtual air")
      // The air named `virtual` needs no further name.
      if !radio.equals("virtual") {
        writer.write(text: " at ")
        writer.writePrefix(of: radio)
      }
      writer.write(text: " is full")
    }
  }

  /// A remedy, without a full stop; `nil` if none is known.
  public var remedy: StaticText? {
    switch self {
    case .port, .closed: nil
    case .lostSync: StaticText("Does it speak H4, and at this speed?")
    case .silent: StaticText("Is it a Bluetooth controller that speaks H4?")
    case .airIsFull:
      StaticText(
        "End a program that uses it, or host a larger air before you start the others: eightball radio --limit 1000"
      )
    }
  }
}

extension ControllerError {
  /// Writes what happened to the controller, in UTF-8: the end of a sentence, without a full stop.
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .unanswered(let opcode):
      writer.write(text: "the controller left command 0x")
      writer.write(hexadecimal: opcode.rawValue)
      writer.write(text: " unanswered")
    case .refused(let opcode, let code):
      writer.write(text: "the controller refused command 0x")
      writer.write(hexadecimal: opcode.rawValue)
      writer.write(text: " with error 0x")
      writer.write(hexadecimal: code.rawValue)
    case .hardwareError(let code):
      writer.write(text: "the controller reported hardware error 0x")
      writer.write(hexadecimal: code)
    case .stoppedAdvertising: writer.write(text: "the controller stopped advertising")
    case .lost: writer.write(text: "the controller is disconnected")
    }
  }
}
