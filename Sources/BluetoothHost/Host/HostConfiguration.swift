/// The configuration of a host, set when it is created.
public struct HostConfiguration: Sendable {
  /// The device's name, for its advertising and its GAP service.
  public var name: DeviceName
  /// The service that it advertises from the start, together with its name; `nil` to advertise
  /// nothing until `Host.advertise(_:)`.
  public var service: BluetoothUUID?
  /// The address that it uses.
  public var address: OwnAddress
  /// The longest ATT PDU that it accepts.
  public var mtu: ATTMTU
  /// The shortest and the longest advertising interval, in units of 0.625 ms, 32 to 16,384.
  public var advertisingInterval: ClosedRange<UInt16>
  /// The parameters that it requests from a central with a longer connection interval; `nil` to
  /// accept any.
  public var preferredParameters: ConnectionParameters?

  /// The parameters for links to a peripheral: an interval of 7.5 to 30 ms, no latency, and a
  /// supervision timeout of 2 s.
  public var connectionParameters = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  /// How many links centrals may open; `nil` for as many as there are connections. A host without a
  /// client ignores it.
  public var peripheralLinks: Int?

  /// After how many minutes without data from its central a link may be ended, when every
  /// connection is in use and there is something to advertise; `nil` to keep every link.
  ///
  /// Once a minute the host then ends the link with the longest silence, so that another central
  /// can connect.
  public var idleLimit: UInt16?

  /// The defaults advertise every 100 to 150 ms, accept the longest MTU, and request an interval of
  /// 30 to 50 ms if the central's is longer. Silent links stay.
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

/// Which address a device uses.
public enum OwnAddress: Sendable {
  /// The controller's public address, or this random one if it has none.
  case automatic(orRandom: DeviceAddress)
  /// The controller's public address.
  case `public`
  /// This random address, even if the controller has a public one.
  case random(DeviceAddress)
}

extension ConnectionParameters {
  /// 30 to 50 ms, no latency, 4 s: responsive, and within what phones accept.
  public static let responsive = ConnectionParameters(
    minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 400)
}
