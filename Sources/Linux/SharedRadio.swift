import BluetoothHost

/// A radio that another program of this machine drives, from its opening to its end. The module `BlueZ` has the only one:
/// `BlueZRadio`.
package protocol SharedRadio: ~Copyable {
  /// Whether the other program pairs with each peripheral that this one connects to. Set it before the first turn.
  var pairs: Bool { get set }

  /// Whether the other program has described the adapter.
  var isOpen: Bool { get }
  /// The descriptor to watch.
  var number: Int32 { get }
  /// When to call again; `nil` to wait for the descriptor.
  var deadline: Instant? { get }
  /// Why the radio cannot be used; `nil` while it can.
  var failure: ErrorNumber? { get }

  /// Handles what has come from the other program, and what is due.
  mutating func serve(at now: Instant)

  /// Describes the services that the other program offers for this one.
  ///
  /// - Parameter protection: What the application's values require beside their own protection.
  mutating func export(_ attributes: Span<Attribute>, protection: AttributeProtection)

  /// Moves the next packet for the host to the front of `space`.
  mutating func read(into space: inout MutableSpan<UInt8>, at now: Instant) -> RadioRead

  /// Takes a packet of the host.
  mutating func write(_ packet: Span<UInt8>, at now: Instant) -> RadioWrite

  /// Ends what the other program does for this one, before the radio is closed.
  mutating func end()
}

// Embedded Swift has no existentials without a heap. There `BlueZ` declares `RadioSharing`, with one kind of radio.
#if !hasFeature(Embedded)
  /// How a program opens radios that another program drives. A program that passes none to its `PortRadio` or `Radio` need
  /// not be linked with the module of such radios.
  package struct RadioSharing: Sendable {
    /// An open radio.
    package typealias Radio = any SharedRadio & ~Copyable

    /// Begins to open the radio of the adapter with this number, as in hciN.
    let open: @Sendable (UInt16, Instant) throws(SystemCallError) -> Radio

    package init(open: @escaping @Sendable (UInt16, Instant) throws(SystemCallError) -> Radio) {
      self.open = open
    }
  }
#endif
