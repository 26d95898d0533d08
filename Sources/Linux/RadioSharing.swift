import BluetoothHost

#if hasFeature(Embedded)
  /// A way to a radio that another program of this machine drives: bluetoothd's. A program of one module drops it with its
  /// other uncalled code, and has no heap for function values.
  package struct RadioSharing {
    /// The way to an adapter that bluetoothd drives: see `BlueZRadio`.
    package static var bluez: RadioSharing { RadioSharing() }
  }
#else
  /// A way to a radio that another program of this machine drives, as functions on its state. `RadioSharing.bluez` is the
  /// only one.
  ///
  /// Programs pass it to a `PortRadio`, which does not name it: one that has only radios of its own does not contain its code.
  @safe
  package struct RadioSharing: Sendable {
    /// The state of an open radio.
    package typealias State = UnsafeMutableRawPointer

    let open: @Sendable (Request, inout SystemCallError?) -> State?
    /// Ends what the other program does for this one, before the radio is closed.
    let end: @Sendable (State) -> Void
    let close: @Sendable (State) -> Void
    /// The descriptor to watch.
    let number: @Sendable (State) -> Int32
    let serve: @Sendable (State, Instant) -> Status
    let status: @Sendable (State) -> Status
    let export: @Sendable (State, Span<Attribute>, AttributeProtection) -> Void
    let read: @Sendable (State, inout MutableSpan<UInt8>, Instant) -> RadioRead
    let write: @Sendable (State, Span<UInt8>, Instant) -> RadioWrite
  }
#endif

extension RadioSharing {
  /// What a `PortRadio` needs to know after each call.
  package struct Status {
    /// Whether the other program has described the adapter.
    package var isOpen: Bool
    /// When to call again; `nil` to wait for the descriptor.
    package var deadline: Instant?
    /// Why the radio cannot be used; `nil` while it can.
    package var failure: ErrorNumber?

    package init(isOpen: Bool, deadline: Instant?, failure: ErrorNumber?) {
      self.isOpen = isOpen
      self.deadline = deadline
      self.failure = failure
    }
  }

  /// How a radio is opened.
  package struct Request {
    /// The number of the adapter, as in hciN.
    package var adapter: UInt16
    /// Whether the other program pairs with each peripheral that this one connects to.
    package var pairs: Bool
    package var time: Instant
  }
}

#if hasFeature(Embedded)
  /// A radio that bluetoothd drives, from its opening to its end.
  struct SharedRadio: ~Copyable {
    private var radio: Mapped<BlueZRadio>

    /// Begins to open a radio.
    init(_ way: RadioSharing, _ request: RadioSharing.Request) throws(SystemCallError) {
      radio = try Mapped { () throws(SystemCallError) in
        try BlueZRadio(adapter: request.adapter, at: request.time)
      }
      radio.value.pairs = request.pairs
    }

    mutating func end() { radio.value.end() }

    var number: Int32 { radio.value.number }
    var status: RadioSharing.Status { radio.value.status }

    mutating func serve(at now: Instant) -> RadioSharing.Status {
      radio.value.serve(at: now)
      return radio.value.status
    }

    mutating func export(_ attributes: Span<Attribute>, protection: AttributeProtection) {
      radio.value.export(attributes, protection: protection)
    }

    mutating func read(into space: inout MutableSpan<UInt8>, at now: Instant) -> RadioRead {
      radio.value.read(into: &space, at: now)
    }

    mutating func write(_ packet: Span<UInt8>, at now: Instant) -> RadioWrite {
      radio.value.write(packet, at: now)
    }
  }
#else
  /// A radio that another program drives, from its opening to its end.
  @safe
  struct SharedRadio: ~Copyable {
    private let way: RadioSharing
    private let state: RadioSharing.State

    /// Begins to open a radio.
    init(_ way: RadioSharing, _ request: RadioSharing.Request) throws(SystemCallError) {
      var failure: SystemCallError?
      guard let state = unsafe way.open(request, &failure) else {
        throw failure ?? SystemCallError(code: .outOfMemory, operation: .open)
      }
      self.way = way
      unsafe self.state = state
    }

    deinit { unsafe way.close(state) }

    mutating func end() { unsafe way.end(state) }

    var number: Int32 { unsafe way.number(state) }
    var status: RadioSharing.Status { unsafe way.status(state) }

    mutating func serve(at now: Instant) -> RadioSharing.Status { unsafe way.serve(state, now) }

    mutating func export(_ attributes: Span<Attribute>, protection: AttributeProtection) {
      unsafe way.export(state, attributes, protection)
    }

    mutating func read(into space: inout MutableSpan<UInt8>, at now: Instant) -> RadioRead {
      unsafe way.read(state, &space, now)
    }

    mutating func write(_ packet: Span<UInt8>, at now: Instant) -> RadioWrite {
      unsafe way.write(state, packet, now)
    }
  }
#endif
