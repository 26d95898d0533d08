/// What an advertising set of Bluetooth 5 sends, besides its data.
public struct AdvertisingSet: Equatable, Sendable {
  /// What other devices can do with it.
  public enum Kind: Equatable, Sendable {
    /// They can connect, while the host has a free connection. Its data fits one packet.
    case connectable
    /// They can request the data, which is a scan response.
    case scannable
    /// They can only receive it.
    case nonconnectable
  }

  /// What other devices can do with it.
  public var kind: Kind
  /// The shortest and the longest time between advertisements, in units of 0.625 ms, 32 to 0xFFFFFF.
  public var interval: ClosedRange<UInt32>
  /// The PHY of its advertisements: 1M or coded.
  public var primaryPHY: PHY
  /// The PHY of its data, and of links.
  public var secondaryPHY: PHY
  /// A random address of its own; `nil` for the host's.
  public var address: DeviceAddress?
  /// Whether it is the host's advertisement, with legacy PDUs.
  var isLegacy = false

  /// A set on one PHY; with 2M, which has no advertisements, they are on 1M.
  public init(
    _ kind: Kind, phy: PHY = .le1M, interval: ClosedRange<UInt32> = 160...240,
    address: DeviceAddress? = nil
  ) {
    self.kind = kind
    self.interval = interval
    primaryPHY = phy == .leCoded ? .leCoded : .le1M
    secondaryPHY = phy
    self.address = address
  }

  /// Whether a controller with these PHYs can send it.
  func isUsable(with phys: PHYSet) -> Bool { phys.contains(primaryPHY.set | secondaryPHY.set) }

  /// What its packets are.
  var properties: AdvertisingProperties {
    if isLegacy { return .legacyConnectable }
    return switch kind {
    case .connectable: .connectable
    case .scannable: .scannable
    case .nonconnectable: .none
    }
  }
}
