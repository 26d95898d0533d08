import BluetoothHost

/// Why a text is not the address of a radio, or not one that the program can use.
public enum RadioAddressError: Error, Equatable, Sendable {
  /// The text has none of the forms.
  case anyForm
  /// The form of `unix:PATH` is invalid.
  case unix
  /// The user of `unix:PATH,user=NUMBER` is not a number.
  case user
  /// The form of `tcp-client:HOST:PORT` is invalid.
  case tcpClient
  /// The form of `tcp-server:HOST:PORT` is invalid.
  case tcpServer
  /// The form of `serial:DEVICE[,BAUD]` is invalid.
  case serial
  /// A serial line has no such speed.
  case speed
  /// The form of `hciN` is invalid.
  case adapter
  /// The form of `hci-socket:N` is invalid.
  case adapterSocket
  /// The form of `bluez:hciN` is invalid.
  case bluez
  /// The virtual air, for a program that hosts none.
  case virtual
  /// A host that has to be looked up, for a program that looks up none.
  case hostName
  /// A path, host or device of more than 255 bytes.
  case tooLong

  /// The prefix of names of this kind; empty for an error about several kinds.
  var kind: StaticString {
    switch self {
    case .unix: "unix"
    case .tcpClient: "tcp-client"
    case .tcpServer: "tcp-server"
    case .serial: "serial"
    case .adapterSocket: "hci-socket"
    case .bluez: "bluez"
    case .virtual: "virtual"
    default: ""
    }
  }

  /// Writes what is wrong with `text`, without a full stop.
  public func write(to writer: inout ByteWriter, of text: Span<UInt8>) {
    writer.write(text: "unknown radio \"")
    writer.writeShown(text)
    writer.write(text: "\"")
    switch self {
    case .virtual:
      writer.write(text: ": the virtual air is for eightball run --radio virtual")
      return
    case .hostName:
      writer.write(
        text: """
          : expected a numeric address or localhost for HOST; eightball run looks \
          names up
          """)
      return
    default: break
    }
    writer.write(text: ": expected ")
    writeExpected(to: &writer)
  }

  /// Writes the right form.
  package func writeExpected(to writer: inout ByteWriter) {
    switch self {
    case .anyForm, .virtual, .hostName:
      writer.write(
        text: """
          unix:PATH[,user=NUMBER], tcp-client:HOST:PORT, tcp-server:HOST:PORT, \
          serial:DEVICE[,BAUD], hciN, hci-socket:N or bluez:hciN
          """)
    case .unix: writer.write(text: "unix:PATH")
    case .user:
      writer.write(
        text: "unix:PATH,user=NUMBER, with the number of a user; eightball run looks names up")
    case .tcpClient: writer.write(text: "tcp-client:HOST:PORT")
    case .tcpServer: writer.write(text: "tcp-server:HOST:PORT")
    case .serial: writer.write(text: "serial:DEVICE[,BAUD]")
    case .speed:
      writer.write(text: "serial:DEVICE[,BAUD], with one of ")
      let speeds = RadioAddress.speeds
      for index in speeds.indices {
        if index > 0 { writer.write(text: ", ") }
        writer.write(decimal: speeds[index])
      }
      writer.write(text: " for BAUD")
    case .adapter: writer.write(text: "hciN, such as hci0")
    case .adapterSocket: writer.write(text: "hci-socket:N")
    case .bluez: writer.write(text: "bluez:hciN, such as bluez:hci0")
    case .tooLong: writer.write(text: "at most 255 bytes for a path, a host or a device")
    }
  }
}
