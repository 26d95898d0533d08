#if !hasFeature(Embedded)
  import BluetoothHost

  // For programs with a heap.
  extension String {
    /// Text from a peer without characters that control a terminal or the text direction.
    public init(printable utf8: Span<UInt8>) {
      // The replacement character of a byte has 3 bytes.
      self.init(rewriting: utf8, growth: 3) { $0.write(printable: $1) }
    }

    /// The same for a text.
    public init(printable text: String) { self.init(printable: Array(text.utf8).span) }

    /// The text of a JSON string, without its quotation marks. RFC 8259, 7.
    public init(escaped text: String) {
      // The longest escape of a byte has 6 bytes.
      self.init(rewriting: Array(text.utf8).span, growth: 6) { $0.write(escaped: $1) }
    }

    private init(
      rewriting utf8: Span<UInt8>, growth: Int, _ write: (inout ByteWriter, Span<UInt8>) -> Void
    ) {
      var bytes = [UInt8](repeating: 0, count: growth * utf8.count)
      var writer = ByteWriter(bytes.mutableSpan)
      write(&writer, utf8)
      let count = writer.count
      self.init(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }
#endif
