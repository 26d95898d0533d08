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
  open var isScanning: Bool { contents.withLock { $0.scan != nil } }

  /// Whether all of `features` are there. None is: legacy advertising alone is heard.
  open class func supports(_ features: Feature) -> Bool { features.isEmpty }

  struct Contents {
    weak var delegate: (any CBCentralManagerDelegate)?
    /// The number of the scan that there is.
    var scan: Int?
    var lastScan = 0
    /// The peripherals that somebody holds on to.
    var peripherals: [DeviceAddress: WeakPeripheral] = [:]
    /// How many there may be before those that are gone are looked for.
    var sweep = 64
  }

  /// Changes `contents`, and then calls who observes the manager.
  @discardableResult
  func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  struct WeakPeripheral {
    weak var peripheral: CBPeripheral?
  }

  let contents = Locked(Contents())
  let thread: any CentralThread
  /// What the engine knows this manager by.
  let client: CentralClient
  private let observation = Locked<AnyObject?>(nil)

  /// A manager without a delegate, on the main queue.
  public override init() {
    (thread, client) = (CBRadio.default, CentralClient(queue: .main))
    super.init()
    begin(nil)
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
    (thread, client) = (CBRadio.default, CentralClient(queue: queue ?? .main))
    super.init()
    begin(delegate)
  }

  /// A manager that uses `radio`; Apple's has no such parameter.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
    radio: CBRadio
  ) {
    (thread, client) = (radio, CentralClient(queue: queue ?? .main))
    super.init()
    begin(delegate)
  }

  init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue, thread: any CentralThread
  ) {
    (self.thread, client) = (thread, CentralClient(queue: queue))
    super.init()
    begin(delegate)
  }

  private func begin(_ delegate: (any CBCentralManagerDelegate)?) {
    self.delegate = delegate
    client.belongs(to: self)
    let (engine, client) = (thread.centralEngine, client)
    thread.performCentral { _ in engine.add(client) }
    let watch = thread.watch(for: client)
    observation.withLock { $0 = watch }
  }

  deinit {
    let (engine, client) = (thread.centralEngine, client)
    thread.performCentral { now in engine.remove(client, at: now) }
    for entry in contents.withLock({ $0.peripherals.values.map(\.peripheral) }) {
      entry?.change { $0.forgetLinks() }
    }
  }

  /// The peripherals with these identifiers, in their order. An identifier that was made from no
  /// address is left out.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard isPoweredOn() else { return [] }
    return identifiers.compactMap { DeviceAddress($0) }.map { peripheral(at: $0, name: nil) }
  }

  /// The peripherals that this program is connected to by the same radio, by whichever manager,
  /// and of which one of these services was discovered. They have to be connected by this manager
  /// too before they are of use.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isPoweredOn() else { return [] }
    let wanted = Set(serviceUUIDs.map(\.uuid))
    return thread.centralEngine.connected.withLock(\.self)
      .filter { !$0.value.services.isDisjoint(with: wanted) }
      .map { peripheral(at: $0.key, name: $0.value.name) }
  }

  /// Looks for peripherals, those with one of these services, or any if there are none; in the
  /// place of the scan that there may be.
  ///
  /// Each is told once, when its scan response has come or has been waited for for half a second;
  /// and again if it has a new name or a new service. With
  /// `CBCentralManagerScanOptionAllowDuplicatesKey`, everything that is heard is told.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil)
  {
    guard isPoweredOn() else { return }
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    let number = change { contents in
      contents.lastScan += 1
      contents.scan = contents.lastScan
      return contents.lastScan
    }
    let wish = ScanWish(
      number: number, services: Set((serviceUUIDs ?? []).map(\.uuid)),
      solicited: Set((solicited ?? []).map(\.uuid)),
      allowsDuplicates: options.isTrue(CBCentralManagerScanOptionAllowDuplicatesKey))
    let (engine, client) = (thread.centralEngine, client)
    thread.performCentral { _ in engine.scan(client, wish) }
  }

  /// Looks no longer.
  open func stopScan() {
    guard isPoweredOn() else { return }
    change { $0.scan = nil }
    let (engine, client) = (thread.centralEngine, client)
    thread.performCentral { _ in engine.stopScan(client) }
  }

  /// Connects to `peripheral`, whenever that can be had: attempts go on until
  /// `cancelPeripheralConnection`, or until the caller lets go of the peripheral.
  ///
  /// - Parameter options: `CBConnectPeripheralOptionStartDelayKey` and
  ///   `CBConnectPeripheralOptionEnableAutoReconnect` have an effect; the others have none.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isPoweredOn(), isMine(peripheral) else { return }
    let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    let milliseconds = UInt32(min(max(delay.isNaN ? 0 : delay, 0) * 1_000, 86_400_000))
    let reconnects = options.isTrue(CBConnectPeripheralOptionEnableAutoReconnect)
    let isNew = peripheral.change { $0.wantLink() }
    let (engine, client, address) = (thread.centralEngine, client, peripheral.address)
    let isTaken = thread.performCentral { [weak peripheral] now in
      guard isNew else { return engine.connectAgain(client, address) }
      guard let peripheral else { return }
      engine.connect(
        PeripheralLink.Member(client, peripheral, reconnects: reconnects), to: address,
        after: milliseconds, at: now)
    }
    if isNew, !isTaken {
      PeripheralLink.Member(client, peripheral).tellEnded(CBError(.connectionFailed))
    }
  }

  /// Ends the link to `peripheral`, or the attempts at one.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isPoweredOn(), isMine(peripheral) else { return }
    guard peripheral.change({ $0.cancelLink() }) else { return }
    let (engine, client, address) = (thread.centralEngine, client, peripheral.address)
    thread.performCentral { now in engine.cancel(client, address, at: now) }
  }

  /// Accepted, and without effect: the connections of other programs are not seen, since they have
  /// radios of their own.
  open func registerForConnectionEvents(
    options: [CBConnectionEventMatchingOption: Any]? = nil
  ) {
    _ = isPoweredOn()
  }

  /// Whether anything can be asked for; if not, that is logged.
  func isPoweredOn() -> Bool {
    if state == .poweredOn { return true }
    Misuse.log(self, "can only accept this command while in the powered on state")
    return false
  }

  private func isMine(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.manager === self { return true }
    Misuse.log(self, "does not know the peripheral \(peripheral.identifier): another manager does")
    return false
  }

  /// The peripheral at `address`: always the same, for as long as anybody holds on to it.
  func peripheral(at address: DeviceAddress, name: String?) -> CBPeripheral {
    let peripheral = contents.withLock { contents in
      if let known = contents.peripherals[address]?.peripheral { return known }
      let peripheral = CBPeripheral(address: address, of: self)
      contents.peripherals[address] = WeakPeripheral(peripheral: peripheral)
      contents.forgetDropped()
      return peripheral
    }
    peripheral.change { $0.heard(name) }
    return peripheral
  }
}

extension CBCentralManager.Contents {
  /// Whoever scans for long hears of more and more devices, of which hardly any are kept.
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
