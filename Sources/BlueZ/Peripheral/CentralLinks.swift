import BluetoothHost
import Linux

/// The centrals that use the services of the host, by index. Each has a virtual link, and a queue of bluetoothd's calls,
/// which become ATT requests, one after another.
package struct CentralLinks: ~Copyable {
  /// The most centrals.
  static var capacity: Int { 16 }
  /// The most calls of a central that wait.
  static var depth: Int { 16 }

  /// What bluetoothd asks of the host.
  enum Kind: UInt8 {
    case exchangeMTU, read, write, command, configure
    /// Ends a write after a refused part.
    case cancel
  }

  /// One call of bluetoothd as ATT requests.
  struct Operation {
    var kind: UInt8
    /// The call to reply to; 0 without one.
    var call: UInt32
    var handle: UInt16
    /// Where the value begins.
    var offset: UInt16
    /// How many bytes have been read or prepared.
    var done: UInt16
    /// The length of the value.
    var count: UInt16
    var value: InlineArray<512, UInt8>
  }

  /// A central.
  struct Link {
    /// The address of its device.
    var address = InlineArray<6, UInt8>(repeating: 0)
    /// The index of the virtual link; `nil` until bluetoothd has described the device.
    var index: Int?
    /// Counts the centrals that have had this index, to recognise replies about an earlier one.
    var generation: UInt8 = 0
    var isUsed = false
    /// Whether bluetoothd is disconnecting the device for the host.
    var isDisconnecting = false
    /// The longest PDU.
    var mtu = 23
    /// The operations: a ring.
    var first = 0
    var count = 0
    /// Whether the host's response to the first operation is due.
    var isWaiting = false
    /// The characteristic of an indication that the central has not confirmed; 0 without one.
    var unconfirmed: UInt16 = 0
  }

  private let pin = Pinned()
  private var operations: MappedArray<Operation>
  var links = InlineArray<16, Link>(repeating: Link())

  /// No centrals; `nil` if the kernel refuses the memory.
  init?() {
    guard let operations = unsafe MappedArray<Operation>(zeros: 256) else { return nil }
    self.operations = operations
  }

  // MARK: Links

  /// The index of the central with this address; `nil` if there is none.
  func central(of address: InlineArray<6, UInt8>) -> Int? {
    for central in 0..<Self.capacity where links[central].isUsed {
      var isEqual = true
      for index in 0..<6 where links[central].address[index] != address[index] { isEqual = false }
      if isEqual { return central }
    }
    return nil
  }

  /// The index of the central on the virtual link with this index; `nil` if there is none.
  func central(ofLink index: Int) -> Int? {
    for central in 0..<Self.capacity where links[central].isUsed && links[central].index == index {
      return central
    }
    return nil
  }

  /// Adds a central, and returns its index; `nil` if there are too many.
  @inline(never)
  mutating func add(_ address: InlineArray<6, UInt8>) -> Int? {
    for central in 0..<Self.capacity where !links[central].isUsed {
      let generation = links[central].generation &+ 1
      links[central] = Link(address: address, generation: generation, isUsed: true)
      return central
    }
    return nil
  }

  /// Removes a central, and refuses what it waits for.
  @inline(never)
  mutating func remove(_ central: Int, _ bus: inout BlueZBus) {
    for position in 0..<links[central].count {
      bus.reply(to: operations[slot(central, position)].call, error: .unlikelyError)
    }
    links[central].isUsed = false
    links[central].index = nil
    links[central].count = 0
    links[central].isWaiting = false
  }

  // MARK: Operations

  private func slot(_ central: Int, _ position: Int) -> Int {
    central &* Self.depth &+ (links[central].first &+ position) % Self.depth
  }

  /// Appends an operation; refuses the call if too many wait.
  @inline(never)
  mutating func append(
    _ kind: Kind, _ handle: UInt16, of central: Int, call: UInt32, offset: UInt16 = 0,
    value: Span<UInt8> = Span(), _ bus: inout BlueZBus
  ) {
    // The offset of this one is an MTU.
    guard kind == .exchangeMTU || value.count &+ Int(offset) <= maximumAttributeValueLength else {
      return bus.reply(to: call, error: .invalidAttributeValueLength)
    }
    guard links[central].count < Self.depth else {
      return bus.reply(to: call, error: .procedureAlreadyInProgress)
    }
    let slot = slot(central, links[central].count)
    links[central].count &+= 1
    operations[slot].kind = kind.rawValue
    operations[slot].call = call
    operations[slot].handle = handle
    operations[slot].offset = offset
    operations[slot].done = 0
    operations[slot].count = UInt16(truncatingIfNeeded: value.count)
    for index in value.indices { operations[slot].value[index] = value[index] }
  }

  /// Sends the next request of a central to the host.
  @inline(never)
  mutating func advance(
    _ central: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    while let index = links[central].index, links[central].count > 0, !links[central].isWaiting,
      controller.hasRoom
    {
      let slot = slot(central, 0)
      let kind = Kind(rawValue: operations[slot].kind)
      let most = links[central].mtu
      guard controller.send(to: index, { send(slot, mtu: most, to: &$0) }) else { return }
      guard kind == .command else {
        links[central].isWaiting = true
        return
      }
      bus.reply(to: operations[slot].call)
      drop(central)
    }
  }

  /// Writes the PDU of an operation.
  @inline(never)
  private mutating func send(_ slot: Int, mtu: Int, to writer: inout ByteWriter) {
    let handle = AttributeHandle(rawValue: operations[slot].handle)
    let offset = operations[slot].offset
    let (done, count) = (operations[slot].done, operations[slot].count)
    switch Kind(rawValue: operations[slot].kind) {
    case .exchangeMTU: ExchangeMTURequest(clientReceiveMTU: offset).write(to: &writer)
    case .read where offset &+ done == 0: ReadRequest(handle: handle).write(to: &writer)
    case .read: ReadBlobRequest(handle: handle, offset: offset &+ done).write(to: &writer)
    case .command:
      writer.write(ATTOpcode.writeCommand.rawValue)
      writer.write(handle.rawValue)
      writer.write(operations[slot].value.span.extracting(first: Int(count)))
    case .write, .configure:
      if offset == 0, done == 0, Int(count) &+ 3 <= mtu {
        WriteRequest(
          handle: handle, value: operations[slot].value.span.extracting(first: Int(count))
        )
        .write(to: &writer)
      } else if done < count || done == 0 && count == 0 {
        let end = min(Int(count), Int(done) &+ mtu &- 5)
        PrepareWrite(
          handle: handle, offset: offset &+ done,
          value: operations[slot].value.span.extracting(Int(done)..<end)
        ).write(.prepareWriteRequest, to: &writer)
      } else {
        ExecuteWriteRequest(writes: true).write(to: &writer)
      }
    case .cancel, nil: ExecuteWriteRequest(writes: false).write(to: &writer)
    }
  }

  @inline(never)
  private mutating func drop(_ central: Int) {
    links[central].first = (links[central].first &+ 1) % Self.depth
    links[central].count &-= 1
    links[central].isWaiting = false
  }

  /// Takes the host's response to the request of a central; false for another PDU.
  @inline(never)
  mutating func receive(_ pdu: Span<UInt8>, of central: Int, _ bus: inout BlueZBus) -> Bool {
    var reader = ByteReader(pdu)
    guard links[central].isWaiting, let opcode = reader.readUInt8() else { return false }
    let slot = slot(central, 0)
    switch ATTOpcode(rawValue: opcode) {
    case .errorResponse:
      let code = ErrorResponse(&reader)?.code ?? .unlikelyError
      refuse(central, slot, code, &bus)
    case .exchangeMTUResponse:
      if let response = ExchangeMTUResponse(&reader) {
        let own = ATTMTU(Int(operations[slot].offset)) ?? .minimum
        links[central].mtu = own.agreed(with: response.serverReceiveMTU).byteCount
      }
      drop(central)
    case .readResponse, .readBlobResponse: takeValue(reader.readRemaining(), central, slot, &bus)
    case .writeResponse, .executeWriteResponse:
      bus.reply(to: operations[slot].call)
      drop(central)
    case .prepareWriteResponse:
      guard let part = PrepareWrite(reader) else { return false }
      operations[slot].done &+= UInt16(truncatingIfNeeded: part.value.count)
      // An empty part is prepared, too: it has no second one.
      if part.value.isEmpty { operations[slot].done = 1 }
      links[central].isWaiting = false
    default: return false
    }
    return true
  }

  @inline(never)
  private mutating func refuse(
    _ central: Int, _ slot: Int, _ code: ATTErrorCode, _ bus: inout BlueZBus
  ) {
    let kind = Kind(rawValue: operations[slot].kind)
    if kind == .read, operations[slot].done > 0,
      code == .attributeNotLong || code == .invalidOffset
    {
      return finishRead(central, slot, &bus)
    }
    bus.reply(to: operations[slot].call, error: code)
    let isPrepared = kind == .write && operations[slot].done > 0
    guard isPrepared else { return drop(central) }
    operations[slot].kind = Kind.cancel.rawValue
    operations[slot].call = 0
    links[central].isWaiting = false
  }

  /// Takes a part of a value. One that fills its PDU may have more.
  @inline(never)
  private mutating func takeValue(
    _ part: Span<UInt8>, _ central: Int, _ slot: Int, _ bus: inout BlueZBus
  ) {
    let done = Int(operations[slot].done)
    let count = min(part.count, maximumAttributeValueLength &- done)
    for index in 0..<count { operations[slot].value[done &+ index] = part[index] }
    operations[slot].done = UInt16(truncatingIfNeeded: done &+ count)
    let isFull = part.count == links[central].mtu &- 1
    if isFull, done &+ count &+ Int(operations[slot].offset) < maximumAttributeValueLength {
      links[central].isWaiting = false
    } else {
      finishRead(central, slot, &bus)
    }
  }

  @inline(never)
  private mutating func finishRead(_ central: Int, _ slot: Int, _ bus: inout BlueZBus) {
    let count = Int(operations[slot].done)
    bus.reply(to: operations[slot].call, signature: "ay") {
      $0.write(bytes: operations[slot].value.span.extracting(first: count))
    }
    drop(central)
  }
}
