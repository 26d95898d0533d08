/// The program that uses a client: it receives advertisers, links and the results of operations.
///
/// Every call must return at once. Its arguments are borrowed: the application copies what it
/// needs. Each requirement has a default implementation, which does nothing. The program may call
/// `Host.scan`, `Host.connect` and `Host.perform` only after the call has returned.
public protocol ClientApplication: ~Copyable {
  /// The scanner received an advertising report.
  mutating func received(_ report: borrowing AdvertisingReport)
  /// The controller refused to scan. The scan has ended.
  mutating func scanFailed(_ reason: HCIErrorCode)

  /// The synchronization at `index` receives its train, which has this PHY and this interval, in units
  /// of 1.25 ms.
  mutating func synchronized(at index: Int, phy: PHY, interval: UInt16)
  /// The synchronization at `index` received the data of one packet of its train.
  mutating func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int)
  /// The synchronization at `index` has ended. The reason is `connectionFailedToBeEstablished` if the
  /// train was not received, `connectionTimeout` if it is lost, `connectionTerminatedByLocalHost` after
  /// `Host.unsynchronize`, and `hardwareFailure` if the controller was reset. Exactly one call follows
  /// each `Host.synchronize`.
  mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode)

  /// The attempt to connect ended without a link; the reason is `unknownConnectionIdentifier` after
  /// `Host.cancelConnection`.
  mutating func connectionFailed(_ reason: HCIErrorCode)
  /// The connection at `index` was opened, in either role.
  mutating func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role)
  /// The security of the link at `index` changed: its encryption, or whether the peer has a bond.
  /// For a bonded peer this call comes before the first request.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// The connection at `index` has closed. If an operation was under way, `ended` came first.
  mutating func disconnected(at index: Int, reason: HCIErrorCode)

  /// A service was found.
  mutating func found(_ service: RemoteService, at index: Int)
  /// An included service was found.
  mutating func found(_ include: RemoteInclude, at index: Int)
  /// A characteristic was found.
  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int)
  /// The discovery of descriptors found an attribute and its type.
  mutating func found(_ descriptor: RemoteDescriptor, at index: Int)
  /// A part of a value was read. The parts of a long value arrive in order.
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int)
  /// Writes the value of the operation under way, from `offset` on, as many bytes as `value` takes.
  /// The host may ask for the same bytes again; they must not change until `ended`.
  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter)
  /// An operation ended, successfully if `error` is `nil`. The link is free for the next one.
  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int)

  /// The server sent a value in a notification, or in an indication, which the host confirms.
  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int)
  /// An enhanced bearer to the peer at `index` has opened, or its MTU has grown: `Host.openBearers`, or
  /// the peer has opened it. `Host.perform` takes `bearer` as its index, and so do the results of its
  /// operations. Notified values come with the index of the link.
  mutating func bearerOpened(_ bearer: Int, at index: Int, mtu: ATTMTU)
  /// An enhanced bearer has closed, or did not open. If an operation was under way on it, `ended` came
  /// first.
  mutating func bearerClosed(_ bearer: Int, at index: Int, with end: ChannelEnd)
  /// The result of `Host.readRSSI`, in dBm; `nil` if the controller does not know it.
  mutating func readRSSI(_ rssi: Int8?, at index: Int)

  /// The link at `index` has another subrate: this device requested it, or the peer did.
  mutating func subrateChanged(_ event: LESubrateChange, at index: Int)
  /// The link at `index` keeps its subrate. The reason is `unsupportedRemoteFeature` if the peer has no
  /// subrating.
  mutating func subrateFailed(_ reason: HCIErrorCode, at index: Int)

  /// The radio's state changed, or the controller failed again. Links and connection attempts that
  /// this ends are reported first, with the reason `hardwareFailure`.
  mutating func radioChanged(to state: RadioState)
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ClientApplication where Self: ~Copyable {
  public mutating func received(_ report: borrowing AdvertisingReport) {}
  public mutating func scanFailed(_ reason: HCIErrorCode) {}
  public mutating func synchronized(at index: Int, phy: PHY, interval: UInt16) {}
  public mutating func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int) {}
  public mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode) {}
  public mutating func connectionFailed(_ reason: HCIErrorCode) {}
  public mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {}
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  public mutating func disconnected(at index: Int, reason: HCIErrorCode) {}
  public mutating func found(_ service: RemoteService, at index: Int) {}
  public mutating func found(_ include: RemoteInclude, at index: Int) {}
  public mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {}
  public mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {}
  public mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {}
  /// Writes nothing: every byte of the value is 0 then.
  public func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {}
  public mutating func ended(
    _ operation: ClientOperation, with error: OperationError?, at index: Int
  ) {}
  public mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {}
  public mutating func bearerOpened(_ bearer: Int, at index: Int, mtu: ATTMTU) {}
  public mutating func bearerClosed(_ bearer: Int, at index: Int, with end: ChannelEnd) {}
  public mutating func readRSSI(_ rssi: Int8?, at index: Int) {}
  public mutating func subrateChanged(_ event: LESubrateChange, at index: Int) {}
  public mutating func subrateFailed(_ reason: HCIErrorCode, at index: Int) {}
  public mutating func radioChanged(to state: RadioState) {}
}
