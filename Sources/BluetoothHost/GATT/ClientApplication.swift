/// What a client is for: what it does with advertisers, links, and what servers answer.
///
/// Every call returns at once, and lends what it hands over. The application keeps what it needs, and
/// leaves out the requirements that it has no use for: nothing happens then.
/// Afterwards, outside of the call, its owner may ask the host for more: `Host.scan`, `Host.connect`,
/// `Host.perform`.
public protocol ClientApplication: ~Copyable {
  /// An advertiser was heard.
  mutating func heard(_ report: borrowing AdvertisingReport)
  /// The controller refused to scan. The scan has ended.
  mutating func scanFailed(_ reason: HCIErrorCode)

  /// The attempt to connect has ended without a link: `unknownConnectionIdentifier` after
  /// `Host.cancelConnection`.
  mutating func connectionFailed(_ reason: HCIErrorCode)
  /// The connection at `index` is there, in either role.
  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role)
  /// What protects the link at `index` has changed: it is encrypted or no longer, or there is a bond with
  /// the peer, or no longer. Of a link with a bond this is reported before anything is asked.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// The connection at `index` has gone. `ended` came before, if an operation was under way.
  mutating func disconnected(at index: Int, reason: HCIErrorCode)

  /// A service was found.
  mutating func found(_ service: RemoteService, at index: Int)
  /// A reference to an included service was found.
  mutating func found(_ include: RemoteInclude, at index: Int)
  /// A characteristic was found.
  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int)
  /// An attribute and its type were found.
  mutating func found(_ descriptor: RemoteDescriptor, at index: Int)
  /// A part of a value was read. The parts of a long value come in their order.
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int)
  /// Writes what the operation under way writes: the bytes of the value from `offset` on, as many as
  /// `value` takes. They are asked for again for each packet, and stay the same until `ended`.
  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter)
  /// An operation has ended: with success if `error` is `nil`. The link is free for the next one.
  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int)

  /// The server sent a value: by a notification, or by an indication, which the host confirms.
  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int)
  /// The signal strength after `Host.readRSSI`, in dBm; `nil` if the controller does not know it.
  mutating func readRSSI(_ rssi: Int8?, at index: Int)

  /// The radio's state has changed, or the controller has failed once more. Links and attempts that have
  /// ended by that are reported before, with the reason `hardwareFailure`.
  mutating func radioChanged(to state: RadioState)
}

extension ClientApplication where Self: ~Copyable {
  /// Nothing happens.
  public mutating func heard(_ report: borrowing AdvertisingReport) {}
  /// Nothing happens.
  public mutating func scanFailed(_ reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func connectionFailed(_ reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {}
  /// Nothing happens.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  /// Nothing happens.
  public mutating func disconnected(at index: Int, reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func found(_ service: RemoteService, at index: Int) {}
  /// Nothing happens.
  public mutating func found(_ include: RemoteInclude, at index: Int) {}
  /// Nothing happens.
  public mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {}
  /// Nothing happens.
  public mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {}
  /// Nothing happens.
  public mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {}
  /// Writes no byte: each of the value is 0 then.
  public func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {}
  /// Nothing happens.
  public mutating func ended(
    _ operation: ClientOperation, with error: OperationError?, at index: Int
  ) {}
  /// Nothing happens.
  public mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {}
  /// Nothing happens.
  public mutating func readRSSI(_ rssi: Int8?, at index: Int) {}
  /// Nothing happens.
  public mutating func radioChanged(to state: RadioState) {}
}
