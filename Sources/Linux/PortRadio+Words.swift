import BluetoothHost

extension RadioAddress {
  /// The kind of radio, for texts about its failures.
  package var kind: RadioKind {
    switch way {
    case .unix, .virtual: .unix
    case .tcpClient: .tcpClient
    case .tcpServer: .tcpServer
    case .serial: .serial
    case .adapter: .adapter
    case .bluez: .bluez
    }
  }
}

extension PortRadio {
  /// Writes why the last call failed, and what to do.
  ///
  /// - Parameter hasVirtualAir: Whether the program takes `--radio virtual`.
  package func writeError(to writer: inout ByteWriter, hasVirtualAir: Bool = false) {
    guard let failure else { return }
    guard let error = RadioAccessError(choice.kind, failure.code) else {
      return failure.write(to: &writer) { choice.writeTarget(to: &$0) }
    }
    write(error.reason, failure, to: &writer)
    guard let remedy = error.remedy(hasVirtualAir: hasVirtualAir) else { return }
    writer.write(text: ". ")
    write(remedy, failure, to: &writer)
  }

  private func write(
    _ wording: MessageTemplate, _ failure: SystemCallError, to writer: inout ByteWriter
  ) {
    wording.write(to: &writer) { write(field: $0, of: failure, to: &$1) }
  }

  @inline(never)
  private func write(field: UInt8, of failure: SystemCallError, to writer: inout ByteWriter) {
    switch field {
    case UInt8(ascii: "s"): choice.writeTarget(to: &writer)
    case UInt8(ascii: "f"): failure.write(to: &writer) { choice.writeTarget(to: &$0) }
    case UInt8(ascii: "p"): writeProgramPath(to: &writer)
    case UInt8(ascii: "u"):
      if case .owner(let user) = failure.explanation { writer.write(decimal: user) }
    default: break
    }
  }
}

/// Writes the path of this program.
private func writeProgramPath(to writer: inout ByteWriter) {
  var path = InlineArray<256, UInt8>(repeating: 0)
  var span = path.mutableSpan
  let length = unsafe span.withUnsafeMutableBufferPointer {
    unsafe clinux_program_path($0.baseAddress, $0.count)
  }
  guard length > 0, length < 256 else { return writer.write(text: "eightballd") }
  writer.write(start: path.span.extracting(first: Int(truncatingIfNeeded: length)))
}
