import BluetoothHost

extension RadioFault {
  /// What happened to the controller, for people: the end of a sentence, without a full stop.
  package var text: String { String { write(to: &$0) } }
}

extension String {
  /// The text in UTF-8 that `body` writes, up to 512 bytes of it.
  package init(_ body: (inout ByteWriter) -> Void) {
    var buffer = ByteBuffer<512>()
    buffer.write(body)
    let bytes = buffer.span
    self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
