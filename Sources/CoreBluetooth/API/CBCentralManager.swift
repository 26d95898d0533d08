import BluetoothHost
import Foundation

/// Looks for peripherals, and connects to them.
///
/// Nothing can be asked of it before its delegate was told that its state is `poweredOn`: what is
/// asked before is logged, and not done.
open class CBCentralManager: CBManager, @unchecked Sendable {
  /// What some devices can do, and others cannot.
  public struct Feature: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Any bits, known or not.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// To hear of, and to connect by, extended advertising.
    public static let extendedScanAndConnect = Feature(rawValue: 1)
  }

  /// Who is told.
  open weak var delegate: (any CBCentralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  /// Whether it looks for peripherals.
  open var isScanning: Bool { contents.withLock { $0.isScanning } }

  /// Whether all of `features` are there. None is: legacy advertising alone is heard.
  open class func supports(_ features: Feature) -> Bool { features.isEmpty }

  struct Contents {
    weak var delegate: (any CBCentralManagerDelegate)?
    var isScanning = false
  }

  let contents = Locked(Contents())
  /// Where the delegate is told.
  let queue: DispatchQueue

  /// A manager without a delegate, on the main queue.
  public override init() {
    queue = .main
    super.init()
  }

  /// A manager whose delegate is told on `queue`; `nil` for the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager whose delegate is told on `queue`; `nil` for the main queue.
  ///
  /// - Parameter options: Accepted, and without effect: they are for programs in the background.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    self.queue = queue ?? .main
    super.init()
    self.delegate = delegate
  }

  /// The peripherals with these identifiers, in their order. An identifier that was made from no
  /// address is left out.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    []
  }

  /// The peripherals that this program is connected to by the same radio, by whichever manager,
  /// and of which one of these services was discovered.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    []
  }

  /// Looks for peripherals, those with one of these services, or any if there are none; in the
  /// place of the scan that there may be.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil)
  {
    guard isPoweredOn() else { return }
  }

  /// Looks no longer.
  open func stopScan() {
    guard isPoweredOn() else { return }
  }

  /// Connects to `peripheral`, whenever that can be had: attempts go on until
  /// `cancelPeripheralConnection`, or until the caller lets go of the peripheral.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isPoweredOn() else { return }
  }

  /// Ends the link to `peripheral`, or the attempts at one.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isPoweredOn() else { return }
  }

  /// Whether anything can be asked for; if not, that is logged.
  func isPoweredOn() -> Bool {
    if state == .poweredOn { return true }
    Misuse.log(self, "can only accept this command while in the powered on state")
    return false
  }
}
