import BluetoothHost
import Foundation

/// Makes this device a peripheral: its services and its advertising.
///
/// A call before the state is `poweredOn` has no effect, and is logged. Managers that share a radio
/// are one device: centrals see the services of all of them.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
  /// The object that receives the manager's events.
  open weak var delegate: (any CBPeripheralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set {
      UnreachedMethods.check(newValue, for: "CBPeripheralManagerDelegate") {
        $0 is any CBPeripheralManagerDelegate.Type
      }
      contents.withLock { $0.delegate = newValue }
    }
  }

  /// Whether it advertises: true from right before `peripheralManagerDidStartAdvertising` until
  /// `stopAdvertising` or a loss of the radio.
  open var isAdvertising: Bool { contents.withLock { $0.isAdvertising } }

  private struct Contents {
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var isAdvertising = false
    /// How often advertising has ended. A start from before the last end is not reported.
    var endCount = 0
    /// How many losses of the radio's services and advertising the delegate has seen.
    var lossCount = 0
    /// Keeps the radio in use.
    var watch: AnyObject?
  }

  private let contents = Locked(Contents())

  /// Changes `contents`, and then calls the manager's observers.
  private func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  private let radio: CBRadio
  /// What represents this manager in the engine.
  private let client: PeripheralHandle

  /// A manager without a delegate, on the main queue.
  public override init() {
    radio = .default
    client = PeripheralHandle(queue: .main, calls: radio.calls)
    super.init()
    begin(nil)
  }

  /// A manager that calls its delegate on `queue`; `nil` for the main queue.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager that calls its delegate on `queue`; `nil` for the main queue.
  ///
  /// - Parameter delegate: Receives the events of the manager.
  /// - Parameter queue: The queue of the delegate; `nil` is the main queue.
  /// - Parameter options: Accepted without effect: they are for programs in the background.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?,
    options: [String: Any]? = nil
  ) {
    radio = .default
    client = PeripheralHandle(queue: queue ?? .main, calls: radio.calls)
    super.init()
    begin(delegate)
  }

  /// A manager that uses `radio`; Apple's has no such parameter.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?,
    options: [String: Any]? = nil, radio: CBRadio
  ) {
    self.radio = radio
    client = PeripheralHandle(queue: queue ?? .main, calls: radio.calls)
    super.init()
    begin(delegate)
  }

  private func begin(_ delegate: (any CBPeripheralManagerDelegate)?) {
    self.delegate = delegate
    client.represent(self)
    let client = client
    let watch = radio.watchState { [weak radio] state in
      // Apple's rule: a state below `poweredOff` removes the services and ends advertising;
      // `poweredOff` pauses advertising.
      if state.rawValue < CBManagerState.poweredOff.rawValue {
        let lossCount = client.noteLoss()
        radio?.perform { $0.peripheral.clear(client) }
        client.callManager { $0.stateChanged(state, lossCount: lossCount) }
      } else {
        client.callManager { $0.stateChanged(state) }
      }
    }
    contents.withLock { $0.watch = watch }
  }

  deinit {
    let client = client
    radio.perform { $0.peripheral.clear(client) }
  }

  private func stateChanged(_ state: CBManagerState, lossCount: Int? = nil) {
    let hasChanged = state != self.state
    self.state = state
    if let lossCount {
      contents.withLock { $0.lossCount = lossCount }
      noteEnd()
    }
    if hasChanged { delegate?.peripheralManagerDidUpdateState(self) }
  }

  // MARK: Advertising

  /// Advertises: the local name (`CBAdvertisementDataLocalNameKey`) and services
  /// (`CBAdvertisementDataServiceUUIDsKey`). Other keys are logged and ignored, as on Apple's
  /// systems.
  ///
  /// The services come first, as many as fit 31 bytes; then the name, in the scan response where it
  /// does not fit; then more services. What does not fit is not advertised: there is no overflow
  /// area here. A name of more than 29 bytes is shortened. The name is also that of the GAP
  /// service. `peripheralManagerDidStartAdvertising` is called when advertising has started.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let known = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey]
    for key in (advertisementData ?? [:]).keys.sorted() where !known.contains(key) {
      Log.logger.warning("The advertisement key '\(key)' is not allowed")
    }
    let name = advertisementData?[CBAdvertisementDataLocalNameKey] as? String
    let services = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    let uuids = services.map(\.uuid)
    let client = client
    let endCount = contents.withLock(\.endCount)
    perform(after: lossCount) { engine in
      engine.startAdvertising(name: name, services: uuids, for: client, after: endCount)
    }
  }

  /// Stops advertising.
  open func stopAdvertising() {
    guard isPoweredOn() else { return }
    noteEnd()
    let client = client
    radio.perform { $0.peripheral.stopAdvertising(client) }
  }

  private func noteEnd() {
    change { contents in
      contents.isAdvertising = false
      contents.endCount += 1
    }
  }

  /// Calls the delegate: advertising has started, or failed. Does nothing if advertising has ended
  /// more than `endCount` times.
  func advertisingStarted(after endCount: Int, _ error: CBError? = nil) {
    let isWanted = change { contents in
      guard contents.endCount == endCount else { return false }
      if error == nil { contents.isAdvertising = true }
      return true
    }
    guard isWanted else { return }
    delegate?.peripheralManagerDidStartAdvertising(self, error: error)
  }

  /// Asks a central for another connection interval. The central may refuse.
  open func setDesiredConnectionLatency(
    _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
  ) {
    guard isPoweredOn() else { return }
    let identifier = central.identifier
    radio.perform { $0.peripheral.requestParameters(latency.parameters, of: identifier) }
  }

  // MARK: Services

  /// Publishes a service. Add the services that it includes first. `didAdd` follows, with an error
  /// if the service was refused; the reason is logged.
  open func add(_ service: CBMutableService) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let client = client
    do throws(ServiceDefinitionError) {
      let definition = try ServiceDefinition(service)
      perform(after: lossCount) { engine in engine.add(definition, for: client) }
    } catch {
      perform(after: lossCount) { engine in engine.refuse(service, because: error, for: client) }
    }
  }

  /// Removes a service. One that was not added is ignored.
  open func remove(_ service: CBMutableService) {
    guard isPoweredOn() else { return }
    let client = client
    radio.perform { $0.peripheral.remove(service, of: client) }
  }

  /// Removes every service of this manager.
  open func removeAllServices() {
    guard isPoweredOn() else { return }
    let client = client
    radio.perform { $0.peripheral.removeAllServices(of: client) }
  }

  // MARK: L2CAP channels

  /// Publishes an L2CAP channel: centrals can open it with the PSM that `didPublishL2CAPChannel`
  /// receives. `didOpen` follows for each that does.
  ///
  /// - Parameter encryptionRequired: Whether the link must be encrypted. A central on an
  ///   unencrypted link is refused, and may pair.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let listener = DeviceChannels.Listener(client: client, needsEncryption: encryptionRequired) {
      [weak radio] in .served(by: radio)
    }
    perform(after: lossCount) { engine in engine.publishChannel(listener) }
  }

  /// Stops publishing this channel. Open channels stay open. `didUnpublishL2CAPChannel` follows,
  /// with an error if this manager has not published it.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let client = client
    perform(after: lossCount) { engine in engine.unpublishChannel(PSM, of: client) }
  }

  // MARK: Values

  /// Responds to a request: for a read, with the request's value; for writes that came together,
  /// once, for the first of them.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard isPoweredOn() else { return }
    guard let ticket = request.ticket, ticket.client === client else {
      Misuse.log(self, "Cannot respond to a request that this manager was not given")
      return
    }
    guard ticket.takeResponse() else {
      Misuse.log(self, "Cannot respond to a request twice")
      return
    }
    let answer: Result<[UInt8], ATTErrorCode> =
      if result == .success { .success(Array(request.value ?? Data())) } else {
        .failure(ATTErrorCode(result))
      }
    radio.perform { $0.peripheral.answer(ticket, answer) }
  }

  /// Notifies or indicates a value to the subscribed centrals, or only to those in `centrals` if it
  /// is not `nil`. The value is cut to each central's `maximumUpdateValueLength`.
  ///
  /// - Returns: false if the queue of one of these centrals is full: nothing is sent, and
  ///   `peripheralManagerIsReady(toUpdateSubscribers:)` follows when there is room again. False
  ///   also for a characteristic that is not published, and while the manager is not powered on.
  ///   Otherwise true, even without subscribers. Change-unaware centrals (robust caching) are
  ///   skipped.
  @discardableResult open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic,
    onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard isPoweredOn() else { return false }
    let room = radio.device.subscribers.takeRoom(
      for: characteristic, by: client, among: centrals?.map(\.identifier))
    switch room {
    case .unknown:
      Misuse.log(self, "The characteristic \(characteristic.uuid) has not been added")
      return false
    case .none: return false
    case .taken(let links, let handle):
      guard !links.isEmpty else { return true }
      let bytes = Array(value.prefix(maximumAttributeValueLength))
      radio.perform { $0.peripheral.update(bytes, at: handle, for: links) }
      return true
    }
  }

  /// How many losses of the radio the delegate has seen; `nil`, which is logged, if the manager is
  /// not powered on.
  private func lossCountIfPoweredOn() -> Int? {
    // In this order: a loss that arrives meanwhile changes the state first.
    let lossCount = contents.withLock(\.lossCount)
    return isPoweredOn() ? lossCount : nil
  }

  /// Calls `body` on the radio's thread, for an effect that a loss of the radio undoes. Logs the
  /// misuse instead if the radio has been lost since, and the delegate has not seen that yet.
  private func perform(after lossCount: Int, _ body: @escaping @Sendable (PeripheralEngine) -> Void)
  {
    let client = client
    radio.perform { device in
      guard client.lossCount == lossCount else {
        client.callManager { $0.logNotPoweredOn() }
        return
      }
      body(device.peripheral)
    }
  }
}

extension ATTErrorCode {
  /// The code that is sent; `.unlikelyError` for a number that does not fit one byte.
  fileprivate init(_ code: CBATTError.Code) {
    let byte = UInt8(exactly: code.rawValue)
    self = byte.map { ATTErrorCode(rawValue: $0) } ?? .unlikelyError
  }
}

/// The connection interval that this device asks a central for.
///
/// Apple's `CBPeripheralManagerConnectionLatency`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// 15 to 30 ms.
  case low = 0
  /// 30 to 50 ms.
  case medium = 1
  /// 100 to 125 ms, which saves power.
  case high = 2
}

extension CBPeripheralManagerConnectionLatency {
  /// Vol 3, Part C, Appendix A, and what Apple's accessories may ask for.
  var parameters: ConnectionParameters {
    switch self {
    case .low:
      ConnectionParameters(
        minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 400)
    case .medium: .responsive
    case .high:
      ConnectionParameters(
        minimumInterval: 80, maximumInterval: 100, latency: 0, supervisionTimeout: 600)
    }
  }
}
