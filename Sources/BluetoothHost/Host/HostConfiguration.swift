/// What a host is told once, at its beginning.
public struct HostConfiguration: Sendable {
  /// What the device is called, in its advertising and in its GAP service.
  public var name: DeviceName
  /// The service that it advertises from the start, beside its name; `nil` to advertise nothing
  /// before `Host.advertise(_:)`.
  public var service: BluetoothUUID?
  /// The address that it goes by.
  public var address: OwnAddress
  /// The longest ATT PDU that it takes.
  public var mtu: ATTMTU
  /// The time between two advertisements, in 0.625 ms, 32 to 16,384: the shortest, the longest.
  public var advertisingInterval: ClosedRange<UInt16>
  /// What it asks of a central whose connection interval is longer; `nil` to take what comes.
  public var preferredParameters: ConnectionParameters?

  /// What it asks of a peripheral that it connects to: an interval of 7.5 to 30 ms, no latency, and 2 s
  /// until a silent link has gone.
  public var connectionParameters = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  /// How many links centrals may begin; `nil` for as many as there are connections.
  public var peripheralLinks: Int?

  /// After how many minutes without data from its central a link may be ended, when every place is
  /// taken and there is something to advertise; `nil` to keep every link.
  ///
  /// Once a minute the link that has been silent the longest is ended then, so that another central
  /// can come.
  public var idleLimit: UInt16?

  /// The defaults advertise every 100 to 150 ms, take the longest MTU, and ask for an interval of
  /// 30 to 50 ms where a central has chosen a slower one. Links are kept however long they are silent.
  public init(
    name: DeviceName, service: BluetoothUUID?, address: OwnAddress, mtu: ATTMTU = .maximum,
    advertisingInterval: ClosedRange<UInt16> = 160...240,
    preferredParameters: ConnectionParameters? = .responsive, idleLimit: UInt16? = nil
  ) {
    self.name = name
    self.service = service
    self.address = address
    self.mtu = mtu
    self.advertisingInterval = advertisingInterval
    self.preferredParameters = preferredParameters
    self.idleLimit = idleLimit
  }
}

/// Which address a device goes by.
public enum OwnAddress: Sendable {
  /// The controller's public address; or, if it has none, this random one.
  case automatic(orRandom: DeviceAddress)
  /// The controller's public address.
  case `public`
  /// This random address, whatever the controller has.
  case random(DeviceAddress)
}

extension ConnectionParameters {
  /// 30 to 50 ms, no latency, 4 s: quick to answer, and within what phones accept.
  public static let responsive = ConnectionParameters(
    minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 400)
}
