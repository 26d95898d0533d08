import BluetoothHost

/// One radio, which can be reopened.
package struct PortRadio: ~Copyable {
  /// How long a TCP connection attempt may take, in milliseconds.
  package static var timeout: UInt32 { 1_000 }

  /// Where the controller is.
  package let choice: RadioAddress
  /// Why the last call failed; `nil` if it succeeded.
  package var failure: SystemCallError?
  /// When the connection attempt ends, or to look for the adapter again; `nil` without one.
  package internal(set) var deadline: Instant?

  let token: PollToken
  private let listenerToken: PollToken
  private var descriptor: PortDescriptor?
  private var listener: PortDescriptor?
  /// Which of the host's addresses is being tried.
  private var candidate = 0
  /// Whether the connection attempt has succeeded or failed.
  private var hasAnswer = false
  private var isReadable = false
  private var waitsToWrite = false
  /// The adapter as it was first found: the state to restore, and the address by which to find it
  /// under another number.
  private var adapter: Adapter?
  private var adapterWait = AdapterWait()
  /// How another program's radio is used; `nil` if this program does not do that.
  let sharing: RadioSharing?
  /// The radio that another program drives; `nil` for another way, or while it is closed.
  var shared: RadioSharing.Radio?
  /// Whether it has been open.
  var hasBeenOpen = false
  /// What the values of the program require of a link, if bluetoothd protects it.
  package var protection = AttributeProtection.none
  /// Whether bluetoothd pairs with each peripheral that the program connects to, on a radio beside it.
  package var pairs = false

  /// A radio that is not open.
  ///
  /// - Parameters:
  ///   - token: Its token in the queue.
  ///   - listenerToken: The token of the socket to which its controller connects.
  ///   - sharing: How a radio beside bluetoothd is used: `bluez`, of the module `BlueZ`. Without it, there is none.
  package init(
    _ choice: RadioAddress, token: PollToken = .radio, listenerToken: PollToken = .listener,
    sharing: RadioSharing? = nil
  ) {
    self.sharing = sharing
    self.choice = choice
    self.token = token
    self.listenerToken = listenerToken
  }

  /// Whether each read and each write is one packet, as with adapters; false for a stream.
  package var isPacketwise: Bool {
    switch choice.way {
    case .adapter, .bluez: true
    default: false
    }
  }

  /// The queue reports the radio as ready.
  package mutating func handle(_ readiness: Readiness) {
    if deadline != nil { hasAnswer = true }
    // A hang-up is read as an end of file.
    if readiness.isReadable { isReadable = true }
  }

  /// Opens it, or looks whether a pending attempt has ended.
  ///
  /// - Parameter waitsForAdapter: Whether the first attempt goes on until there is an adapter.
  package mutating func open(
    _ queue: borrowing PollQueue, at now: Instant, waitsForAdapter: Bool = false
  ) -> RadioOpening {
    do throws(SystemCallError) {
      guard try prepare(queue, at: now, waitsForAdapter) else { return .pending }
      failure = nil
      return .opened
    } catch {
      failure = error
      return .failed
    }
  }

  /// Opens the radio; `false` if the controller has not connected or answered yet.
  private mutating func prepare(
    _ queue: borrowing PollQueue, at now: Instant, _ waitsForAdapter: Bool
  ) throws(SystemCallError) -> Bool {
    switch choice.way {
    case .unix(let user): try use(connectToSocket(trusting: user), queue)
    case .serial(let speed): try use(openSerial(speed), queue)
    case .adapter(let number): return try openAdapter(number, queue, at: now, waitsForAdapter)
    case .bluez(let number): return try openShared(number, queue, at: now, waitsForAdapter)
    case .tcpClient(let port): return try connect(to: port, queue, at: now)
    case .tcpServer(let port): return try accept(on: port, queue)
    // The socket of the air is known above: see LinuxAir.
    case .virtual: throw SystemCallError(code: .invalidArgument, operation: .open)
    }
    return true
  }

  /// Connects to the socket at the path.
  ///
  /// - Throws: `notASocket` if another file is there, which the kernel reports as one without a listener.
  private func connectToSocket(trusting user: UInt32?) throws(SystemCallError) -> PortDescriptor {
    do throws(SystemCallError) {
      return try UnixSocket.connect(choice.target, trusting: user)
    } catch {
      guard error.code == .connectionRefused,
        unsafe choice.target.withPointer({ unsafe clinux_is_socket($0) }) == 0
      else { throw error }
      throw SystemCallError(code: .notASocket, operation: .connect)
    }
  }

  private mutating func use(
    _ new: consuming PortDescriptor, _ queue: borrowing PollQueue
  ) throws(SystemCallError) {
    guard queue.add(new.number, token, for: .readable) else {
      throw SystemCallError(code: .current, operation: .wait)
    }
    descriptor = consume new
    isReadable = false
    waitsToWrite = false
  }

  /// Closes it. An adapter goes back to its previous state.
  package mutating func close(_ queue: borrowing PollQueue) {
    if shared != nil {
      shared?.end()
      // Its queue leaves the one above when it is closed.
      shared = nil
      deadline = nil
    }
    guard let number = descriptor?.number else { return }
    queue.remove(number)
    descriptor = nil
    deadline = nil
    adapter?.restore()
  }

  // MARK: Bytes

  /// Reads the available bytes into the front of `space`.
  package mutating func read(into space: inout MutableSpan<UInt8>) -> RadioRead {
    if shared != nil { return readShared(into: &space) }
    guard isReadable, let number = descriptor?.number else { return .nothing }
    let capacity = space.count
    let result = unsafe space.withUnsafeMutableBufferPointer {
      unsafe clinux_read(number, $0.baseAddress, $0.count)
    }
    switch Transfer(result) {
    case .bytes(0): return .closed
    case .bytes(let count):
      // The stream has no more now; the queue reports later bytes.
      if count < capacity, !isPacketwise { isReadable = false }
      return .bytes(count)
    case .wouldBlock:
      isReadable = false
      return .nothing
    case .failed(let code):
      failure = SystemCallError(code: code, operation: .read)
      return .failed
    }
  }

  /// Writes as many of the first `bytes` as are taken now.
  package mutating func write(_ bytes: Span<UInt8>, _ queue: borrowing PollQueue) -> RadioWrite {
    if shared != nil { return writeShared(bytes) }
    guard let number = descriptor?.number else { return .taken(0) }
    let result = unsafe bytes.withUnsafeBufferPointer {
      unsafe clinux_write(number, $0.baseAddress, $0.count)
    }
    let count: Int
    switch Transfer(result) {
    case .bytes(let taken): count = taken
    case .wouldBlock: count = 0
    case .failed(let code):
      failure = SystemCallError(code: code, operation: .write)
      return .failed
    }
    if (count < bytes.count) != waitsToWrite {
      waitsToWrite.toggle()
      let more: Readiness = waitsToWrite ? .readableOrWritable : .readable
      queue.change(number, token, to: more)
    }
    return .taken(count)
  }

  // MARK: Transports

  private func openSerial(_ speed: UInt32) throws(SystemCallError) -> PortDescriptor {
    let result = unsafe choice.target.withPointer { unsafe clinux_open_serial($0) }
    guard result >= 0 else { throw SystemCallError(code: ErrorNumber(result), operation: .open) }
    let descriptor = PortDescriptor(owning: result)
    let configured = clinux_configure_serial(descriptor.number, speed)
    guard configured >= 0 else {
      throw SystemCallError(code: ErrorNumber(configured), operation: .configure)
    }
    return descriptor
  }

  /// Opens the adapter; `false` if it is not there yet, and the radio waits for it.
  private mutating func openAdapter(
    _ number: UInt16, _ queue: borrowing PollQueue, at now: Instant, _ waits: Bool
  ) throws(SystemCallError) -> Bool {
    if let deadline, now < deadline { return false }
    deadline = nil
    do throws(SystemCallError) {
      try use(openAdapter(number), queue)
      return true
    } catch {
      guard waits, adapter == nil, adapterWait.continues(after: error.code) else { throw error }
      deadline = now.advanced(by: AdapterWait.interval)
      return false
    }
  }

  private mutating func openAdapter(_ number: UInt16) throws(SystemCallError) -> PortDescriptor {
    var present: Adapter
    if let adapter, adapter.hasAddress, let moved = Adapter.find(address: adapter.address) {
      present = moved
    } else {
      present = try Adapter.find(number)
    }
    let channel = try present.open()
    if let adapter, adapter.address == present.address {
      present.isUp = adapter.isUp
    }
    adapter = present
    return channel
  }

  // MARK: TCP

  private mutating func connect(
    to port: UInt16, _ queue: borrowing PollQueue, at now: Instant
  ) throws(SystemCallError) -> Bool {
    var code: ErrorNumber
    if let deadline {
      if !hasAnswer, now < deadline { return false }
      code = hasAnswer ? takeAnswer() : .timedOut
      if code.rawValue == 0, let number = descriptor?.number {
        self.deadline = nil
        queue.change(number, token, to: .readable)
        return true
      }
      self.deadline = nil
      if let number = descriptor?.number { queue.remove(number) }
      descriptor = nil
      candidate &+= 1
    } else {
      candidate = 0
      code = .invalidArgument
    }
    // Each of the host's addresses is tried in order.
    while let address = TCPAddress(choice.target, candidate, toListen: false) {
      let (result, isPending) = address.connect(to: port)
      if result >= 0 {
        try use(PortDescriptor(owning: result), queue)
        guard isPending else { return true }
        queue.change(result, token, to: .writable)
        hasAnswer = false
        deadline = now.advanced(by: Self.timeout)
        return false
      }
      code = ErrorNumber(result)
      candidate &+= 1
    }
    throw SystemCallError(code: code, operation: .connect)
  }

  private mutating func takeAnswer() -> ErrorNumber {
    guard let number = descriptor?.number else { return .invalidArgument }
    return ErrorNumber(rawValue: clinux_connection_error(number))
  }

  private mutating func accept(
    on port: UInt16, _ queue: borrowing PollQueue
  ) throws(SystemCallError) -> Bool {
    if listener == nil {
      let new = try TCPAddress.listen(on: port, of: choice.target)
      queue.add(new.number, listenerToken, for: .readable)
      listener = consume new
    }
    guard let number = listener?.number else { return false }
    let result = clinux_accept(number)
    if result >= 0 {
      // One controller is enough: the next one waits, without waking the loop, until this one has
      // gone.
      queue.change(number, listenerToken, to: .none)
      try use(PortDescriptor(owning: result), queue)
      return true
    }
    let code = ErrorNumber(result)
    guard code == .wouldBlock else {
      throw SystemCallError(code: code, operation: .accept)
    }
    queue.change(number, listenerToken, to: .readable)
    return false
  }
}
