import BluetoothHost

extension RadioFault {
  /// What happened to the controller, for people: the end of a sentence, without a full stop.
  package var text: String { String(writing: { write(to: &$0) }) }
}

extension String {
  /// The text in UTF-8 that `body` writes, at most 1,024 bytes of it.
  package init(writing body: (inout ByteWriter) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(bytes.mutableSpan)
    body(&writer)
    let count = writer.count
    self = String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
