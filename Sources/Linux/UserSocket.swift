import BluetoothHost

/// Where the programs of a user find each other, unless an option or a variable names another path.
package enum UserSocket {
  /// Writes the path of the socket `name` of this user: in `folder`, or else in /tmp, with the user's number.
  ///
  /// - Parameters:
  ///   - number: From 2 on, the path of another program of the user.
  ///   - folder: The folder for the sockets of this user.
  @inline(never)
  package static func writePath(
    _ name: StaticString, _ number: UInt32 = 1,
    in folder: ProgramText? = ProgramText(environment: "XDG_RUNTIME_DIR"),
    to writer: inout ByteWriter
  ) {
    if let folder {
      writer.write(start: folder.span)
      writer.write(text: "/")
      writer.write(text: name)
    } else {
      writer.write(text: "/tmp/")
      writer.write(text: name)
      writer.write(text: "-")
      writer.write(decimal: clinux_user())
    }
    if number > 1 {
      writer.write(text: "-")
      writer.write(decimal: number)
    }
    writer.write(text: ".sock")
  }
}
