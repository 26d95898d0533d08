/// A client's application that checks its reports: each operation ends once, its findings come in
/// order and within its range, and values are complete.
struct Asker: ClientApplication, Settling {
  /// The state of one link.
  private struct Link {
    var isOpen = false
    /// The present operation.
    var operation: ClientOperation?
    /// The last handle that was found; 0 if none was.
    var last: UInt16 = 0
    /// How many bytes have been read.
    var readCount = 0
  }

  private var links = InlineArray<4, Link>(repeating: Link())
  /// Whether a connection attempt is under way.
  private(set) var isConnecting = false

  /// How many synchronizations there are.
  var synchronizations = 0

  /// Whether any link has an operation.
  var isBusy: Bool {
    for index in 0..<4 where links[index].operation != nil { return true }
    return false
  }

  mutating func attempt() { isConnecting = true }

  mutating func begin(_ operation: ClientOperation, at index: Int) {
    demand(links[index].isOpen, "an operation without a link")
    demand(links[index].operation == nil, "an operation within another")
    links[index].operation = operation
    links[index].last = 0
    links[index].readCount = 0
  }

  mutating func received(_ report: borrowing AdvertisingReport) {
    demand(report.data.count <= 300, "a report longer than the maximum")
    if report.isScanResponse {
      demand(report.isConnectable == nil, "a scan response that is connectable")
    }
  }

  func scanFailed(_ reason: HCIErrorCode) {
    demand(reason != .success, "a failure that is a success")
  }

  func synchronized(at index: Int, phy: PHY, interval: UInt16) {
    demand(synchronizations > 0 && index >= 0 && index < 2, "a synchronization at an unknown index")
  }

  func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int) {
    demand(report.data.count <= 300, "a report of a train longer than the maximum")
    demand(synchronizations > 0 && index >= 0 && index < 2, "a report of no synchronization")
    demand(report.completeness != .partial, "a part of a train's data")
  }

  mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode) {
    demand(synchronizations > 0, "the end of a synchronization that never began")
    demand(reason != .success, "an end that is a success")
    synchronizations -= 1
  }

  mutating func connectionFailed(_ reason: HCIErrorCode) {
    demand(isConnecting, "the end of an attempt that never began")
    isConnecting = false
  }

  mutating func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    demand(!links[index].isOpen, "a link within another")
    if role == .central {
      demand(isConnecting, "a link without an attempt")
      isConnecting = false
    }
    links[index] = Link()
    links[index].isOpen = true
  }

  mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    demand(links[index].isOpen, "the end of a link that does not exist")
    demand(links[index].operation == nil, "a link that ends before its operation")
    links[index].isOpen = false
  }

  mutating func found(_ service: RemoteService, at index: Int) {
    demand(service.range.isValid, "a service without a range")
    advance(to: service.range.start, at: index)
    links[index].last = service.range.end.rawValue
  }

  mutating func found(_ include: RemoteInclude, at index: Int) {
    demand(include.range.isValid, "an included service without a range")
    advance(to: include.declaration, at: index)
  }

  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    advance(to: characteristic.declaration, at: index)
    advance(to: characteristic.value, at: index)
  }

  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    advance(to: descriptor.handle, at: index)
  }

  /// A discovery has found `handle`, which must be above the last one.
  private mutating func advance(to handle: AttributeHandle, at index: Int) {
    demand(handle.rawValue > links[index].last, "a discovery that does not advance")
    links[index].last = handle.rawValue
    switch links[index].operation {
    case .discoverIncludedServices(let range), .discoverCharacteristics(let range),
      .discoverDescriptors(let range):
      demand(handle >= range.start && handle <= range.end, "a handle outside of the range")
    case .discoverServices, .discoverServicesByUUID: break
    default: demand(false, "a finding of an operation that is no discovery")
    }
  }

  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    demand(offset == links[index].readCount, "a part of a value in the wrong place")
    links[index].readCount += part.count
    switch links[index].operation {
    case .read: demand(links[index].readCount <= 512, "a value longer than 512 bytes")
    case .readByUUID, .readMultiple: demand(offset == 0, "two parts of one response")
    default: demand(false, "a value of an operation that is no read")
    }
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    demand(offset >= 0 && offset < 517, "a part outside a value")
    var position = offset
    while value.freeCapacity > 0 {
      value.write(UInt8(truncatingIfNeeded: position &* 7))
      position += 1
    }
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    demand(links[index].operation == operation, "the end of another operation")
    links[index].operation = nil
  }

  func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    demand(links[index].isOpen, "a value without a link")
    demand(value.count <= 514, "a value longer than any PDU")
  }

  func readRSSI(_ rssi: Int8?, at index: Int) {
    demand(links[index].isOpen, "the strength of a link that does not exist")
  }

  func radioChanged(to state: RadioState) {}

  func settle() {}
}
