/// Why a radio was lost.
public enum RadioLoss: Equatable, Sendable {
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
    case .port:
      return
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
        "End a program that uses it, or host an air for more radios before you start the others: eightball radio --limit 1000"
      )
    }
  }
}

extension RadioFault {
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
    case .stoppedAdvertising:
      writer.write(text: "the controller stopped advertising")
    case .lost:
      writer.write(text: "the controller is disconnected")
    }
  }
}
