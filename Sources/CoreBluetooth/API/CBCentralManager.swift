import BluetoothHost
import Foundation

/// Scans for peripherals and connects to them.
///
/// A call before the state is `poweredOn` has no effect, and is logged.
open class CBCentralManager: CBManager, @unchecked Sendable {
  /// Features that only some devices have.
  public struct Feature: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Any bits, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Scanning for and connecting with extended advertising.
    public static let extendedScanAndConnect = Feature(rawValue: 1)
  }

  /// The object that receives the manager's events.
  open weak var delegate: (any CBCentralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set {
      UnreachedMethods.check(newValue, for: "CBCentralManagerDelegate") {
        $0 is any CBCentralManagerDelegate.Type
      }
      contents.withLock { $0.delegate = newValue }
    }
  }

  /// Whether it scans.
  open var isScanning: Bool { contents.withLock { $0.scan != nil } }

  /// Whether all of `features` are supported: by the controller that was last set up, so call it when a
  /// manager is `poweredOn`. False before.
  open class func supports(_ features: Feature) -> Bool {
    let supported: Feature =
      LocalDevice.supportsExtended.withLock(\.self) ? .extendedScanAndConnect : []
    return supported.isSuperset(of: features)
  }

  struct Contents {
    weak var delegate: (any CBCentralManagerDelegate)?
    /// The number of the current scan; `nil` while it does not scan.
    var scan: Int?
    var lastScan = 0
    /// The peripherals that the program still references.
    var peripherals: [DeviceAddress: WeakPeripheral] = [:]
    /// The entry count above which released peripherals are removed.
    var sweep = 64
  }

  /// Changes `contents`, and then calls the manager's observers.
  @discardableResult func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  struct WeakPeripheral { weak var peripheral: CBPeripheral? }

  let contents = Locked(Contents())
  let radio: CBRadio
  /// What represents this manager in the engine.
  let handle: CentralHandle
  private let observation = Locked<AnyObject?>(nil)

  /// A manager without a delegate, on the main queue.
  public override init() {
    radio = .default
    handle = CentralHandle(queue: .main, calls: radio.calls)
    super.init()
    begin(nil)
  }

  /// A manager that calls its delegate on `queue`; `nil` for the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager that calls its delegate on `queue`; `nil` for the main queue.
  ///
  /// - Parameter delegate: Receives the events of the manager.
  /// - Parameter queue: The queue of the delegate; `nil` is the main queue.
  /// - Parameter options: Accepted without effect: they are for programs in the background.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    radio = .default
    handle = CentralHandle(queue: queue ?? .main, calls: radio.calls)
    super.init()
    begin(delegate)
  }

  /// A manager that uses `radio`; Apple's has no such parameter.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
    radio: CBRadio
  ) {
    self.radio = radio
    handle = CentralHandle(queue: queue ?? .main, calls: radio.calls)
    super.init()
    begin(delegate)
  }

  private func begin(_ delegate: (any CBCentralManagerDelegate)?) {
    self.delegate = delegate
    let handle = handle
    handle.represent(self)
    radio.perform { $0.central.add(handle) }
    let watch = radio.watchState { handle.report($0) }
    observation.withLock { $0 = watch }
  }

  deinit {
    let handle = handle
    radio.perform { $0.central.remove(handle) }
    for entry in contents.withLock({ $0.peripherals.values.map(\.peripheral) }) {
      entry?.change { $0.forgetLinks() }
    }
  }

  /// The peripherals with these identifiers, in their order. An identifier that was not made from
  /// an address is left out.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard isPoweredOn() else { return [] }
    return identifiers.compactMap { DeviceAddress($0) }.map { peripheral(at: $0) }
  }

  /// The connected peripherals, of any manager of the same radio, on which one of these services
  /// has been discovered. Connect this manager to a peripheral before you use it.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isPoweredOn() else { return [] }
    let wanted = Set(serviceUUIDs.map(\.uuid))
    return radio.device.central.connected.withLock(\.self).filter {
      !$0.value.isDisjoint(with: wanted)
    }.map { peripheral(at: $0.key) }
  }

  /// Scans for peripherals with one of these services, or for all peripherals if the list is empty
  /// or `nil`. A new scan replaces the current one.
  ///
  /// Each peripheral is reported once: at once if it is not scannable, otherwise when its scan
  /// response arrives or after half a second. It is reported again if it has a new name, a new
  /// service or a new kind of data. With `CBCentralManagerScanOptionAllowDuplicatesKey`, every
  /// advertisement is reported.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil)
  {
    guard isPoweredOn() else { return }
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    let number = change { contents in
      contents.lastScan += 1
      contents.scan = contents.lastScan
      return contents.lastScan
    }
    let scan = ManagerScan(
      number: number, services: Set((serviceUUIDs ?? []).map(\.uuid)),
      solicited: Set((solicited ?? []).map(\.uuid)),
      allowsDuplicates: options.isTrue(CBCentralManagerScanOptionAllowDuplicatesKey))
    let handle = handle
    radio.perform { $0.central.scan(handle, scan) }
  }

  /// Stops the scan.
  open func stopScan() {
    guard isPoweredOn() else { return }
    change { $0.scan = nil }
    let handle = handle
    radio.perform { $0.central.stopScan(handle) }
  }

  /// Connects to `peripheral`. Attempts continue until `cancelPeripheralConnection`, until the
  /// program releases the peripheral, or until the radio is lost or the controller refuses for
  /// good: `didFailToConnect` reports that.
  ///
  /// - Parameter peripheral: The peripheral, from this manager.
  /// - Parameter options: `CBConnectPeripheralOptionStartDelayKey` and
  ///   `CBConnectPeripheralOptionEnableAutoReconnect` have an effect; the others have none.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isPoweredOn(), isMine(peripheral) else { return }
    let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    let milliseconds = UInt32(min(max(delay.isNaN ? 0 : delay, 0) * 1_000, 86_400_000))
    let reconnects = options.isTrue(CBConnectPeripheralOptionEnableAutoReconnect)
    let isNew = peripheral.change { $0.wantLink() }
    let (handle, address) = (handle, peripheral.address)
    let member = handle.member(of: peripheral, reconnects: reconnects)
    let isTaken = radio.perform { [weak peripheral] device in
      guard isNew else { return device.central.connectAgain(handle, to: address) }
      if peripheral != nil { device.central.connect(member, to: address, after: milliseconds) }
    }
    if isNew, !isTaken { member.report(.ended(.radioLost)) }
  }

  /// Ends the link to `peripheral`, or the attempts to connect.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isPoweredOn(), isMine(peripheral) else { return }
    guard peripheral.change({ $0.cancelLink() }) else { return }
    let (handle, address) = (handle, peripheral.address)
    radio.perform { $0.central.cancel(handle, address) }
  }

  /// Accepted without effect: other programs use other radios, so their connections are not seen.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    _ = isPoweredOn()
  }

  private func isMine(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.manager === self { return true }
    Misuse.log(
      self,
      "cannot use the peripheral \(peripheral.identifier), which belongs to another manager: "
        + "use the one that this manager's delegate received")
    return false
  }

  /// The peripheral at `address`: always the same object while the program references it.
  func peripheral(at address: DeviceAddress) -> CBPeripheral {
    let name = radio.device.central.names.withLock { $0[address] }
    let (peripheral, isKnown) = contents.withLock { contents in
      if let known = contents.peripherals[address]?.peripheral { return (known, true) }
      let peripheral = CBPeripheral(address: address, name: name, of: self)
      contents.peripherals[address] = WeakPeripheral(peripheral: peripheral)
      contents.forgetDropped()
      return (peripheral, false)
    }
    if isKnown, let name { peripheral.change { $0.heard(name) } }
    return peripheral
  }
}

extension CBCentralManager.Contents {
  /// Removes the entries of released peripherals: a long scan finds many that the program drops.
  fileprivate mutating func forgetDropped() {
    guard peripherals.count > sweep else { return }
    peripherals = peripherals.filter { $0.value.peripheral != nil }
    sweep = max(64, 2 * peripherals.count)
  }
}

extension [String: Any]? {
  /// Whether the option `key` is given, and true.
  func isTrue(_ key: String) -> Bool {
    (self?[key] as? NSNumber)?.boolValue ?? (self?[key] as? Bool) ?? false
  }
}
