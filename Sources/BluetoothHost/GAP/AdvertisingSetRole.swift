/// The advertising sets of a server: `AdvertisingSets`, `PeriodicAdvertisingSets`, or
/// `NoAdvertisingSets` for legacy advertising alone, which leaves neither state nor code. Only the host calls these
/// requirements.
public protocol AdvertisingSetRole: Sendable {
  /// Whether there are sets. If false, their code is left out.
  static var isPresent: Bool { get }
  /// Whether sets can have periodic advertising trains. If false, their code is left out.
  static var isPeriodic: Bool { get }

  /// Sets that send nothing.
  init()
  /// The PHYs that the host requests for new links.
  var linkPHYs: PHYSet { get set }
  /// Whether a set advertises.
  var isAdvertising: Bool { get }
  /// Whether no set has something to send.
  var isEmpty: Bool { get }
  /// Whether a set has something to send that a controller with these PHYs can send.
  func isUsable(with phys: PHYSet) -> Bool

  /// Sets what the set `index` sends; `nil` for nothing. False if there is no such set, or if
  /// `data` does not fit.
  mutating func assign(_ set: AdvertisingSet?, _ data: Span<UInt8>, to index: Int) -> Bool
  /// The host's advertisement has changed.
  mutating func advertisementChanged()
  /// The controller is reset.
  mutating func reset()
  /// The address or the filter has changed. The sets are off.
  mutating func restart()

  /// Writes the next command; `nil` if none is needed.
  mutating func writeCommand(
    _ plan: AdvertisingPlan, _ advertisement: Advertisement, into writer: inout ByteWriter
  ) -> HCIOpcode?
  /// Writes the command that stops every set.
  mutating func writeStop(into writer: inout ByteWriter) -> HCIOpcode
  /// Takes the result of the last command.
  mutating func finish(_ status: HCIErrorCode) -> AdvertisingSetResult
  /// The set with this handle has stopped.
  mutating func terminated(_ handle: UInt8)

  /// Whether a train is on.
  var hasTrain: Bool { get }
  /// Sets the train of the set `index`; `nil` for none. False if there is no such set, if it is
  /// connectable or scannable, or if the interval or `data` is not possible.
  mutating func assign(_ train: PeriodicTrain?, _ data: Span<UInt8>, toSet index: Int) -> Bool
  /// Writes the next command for trains; `nil` if none is needed.
  mutating func writeTrainCommand(
    _ plan: AdvertisingPlan, into writer: inout ByteWriter
  ) -> HCIOpcode?
}

/// Without trains.
extension AdvertisingSetRole {
  /// False.
  public static var isPeriodic: Bool { false }
  /// False.
  public var hasTrain: Bool { false }
  /// False.
  public mutating func assign(
    _ train: PeriodicTrain?, _ data: Span<UInt8>, toSet index: Int
  ) -> Bool { false }
  /// Nothing.
  public mutating func writeTrainCommand(
    _ plan: AdvertisingPlan, into writer: inout ByteWriter
  ) -> HCIOpcode? { nil }
}

/// What an advertising set needs to know of its host.
public struct AdvertisingPlan: Sendable {
  /// The set with handle 0, which has the host's advertisement; `nil` for none.
  var legacy: AdvertisingSet?
  /// Whether sets may advertise at all.
  var isAllowed: Bool
  /// Whether a central can connect.
  var isConnectable: Bool
  /// The host's address.
  var address: DeviceAddress
  /// Who may connect.
  var filterPolicy: UInt8
  /// The PHYs of the controller. A set on another PHY is off.
  var phys: PHYSet
  /// Whether to write a command that the controller refuses as long as a set advertises.
  var isCheck = false

  /// Whether a set should advertise.
  func wants(_ set: AdvertisingSet) -> Bool {
    isAllowed && (isConnectable || set.kind != .connectable) && set.isUsable(with: phys)
  }
}

/// What the result of a command for advertising sets means.
public enum AdvertisingSetResult: Equatable, Sendable {
  /// The next command can follow.
  case done
  /// A set has been switched on or off.
  case switched
  /// The controller refuses a set.
  case refused
  /// It was the check.
  case checked
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No advertising sets: the host advertises with the commands of Bluetooth 4.
public struct NoAdvertisingSets: AdvertisingSetRole {
  /// False.
  public static var isPresent: Bool { false }
  public init() {}
  public var linkPHYs: PHYSet {
    get { .le2M }
    set {}
  }
  /// False.
  public var isAdvertising: Bool { false }
  /// True.
  public var isEmpty: Bool { true }
  /// False.
  public func isUsable(with phys: PHYSet) -> Bool { false }
  /// False.
  public mutating func assign(
    _ set: AdvertisingSet?, _ data: Span<UInt8>, to index: Int
  ) -> Bool { false }
  public mutating func advertisementChanged() {}
  public mutating func reset() {}
  public mutating func restart() {}
  public mutating func writeCommand(
    _ plan: AdvertisingPlan, _ advertisement: Advertisement, into writer: inout ByteWriter
  ) -> HCIOpcode? { nil }
  public mutating func writeStop(into writer: inout ByteWriter) -> HCIOpcode { .none }
  public mutating func finish(_ status: HCIErrorCode) -> AdvertisingSetResult { .done }
  public mutating func terminated(_ handle: UInt8) {}
}
