import BluetoothHost
import Foundation

/// Makes this device a peripheral: its services, and its advertising.
///
/// Nothing can be asked of it before its delegate was told that its state is `poweredOn`: what is
/// asked before is logged, and not done. Managers that share a radio are one device: centrals see
/// the services of all of them.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
  /// Who is told.
  open weak var delegate: (any CBPeripheralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  /// Whether it advertises: true from right before `peripheralManagerDidStartAdvertising` until
  /// `stopAdvertising`.
  open var isAdvertising: Bool { contents.withLock { $0.isAdvertising } }

  private struct Contents {
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var isAdvertising = false
    /// How often advertising has been ended: what was begun before that is of no interest any more.
    var endCount = 0
    /// How often the radio has lost what was asked of it, as far as the delegate has heard.
    var lossCount = 0
    /// While it is there, the radio is in use.
    var watch: AnyObject?
  }

  private let contents = Locked(Contents())

  /// Changes `contents`, and then calls who observes the manager.
  private func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  private let thread: any PeripheralThread
  /// What the engine knows this manager by.
  private let client: PeripheralClient

  /// A manager without a delegate, on the main queue.
  public override init() {
    (thread, client) = (CBRadio.default, PeripheralClient(queue: .main))
    super.init()
    begin(nil)
  }

  /// A manager whose delegate is told on `queue`; `nil` for the main queue.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager whose delegate is told on `queue`; `nil` for the main queue.
  ///
  /// - Parameter options: Accepted, and without effect: they are for programs in the background.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?,
    options: [String: Any]? = nil
  ) {
    (thread, client) = (CBRadio.default, PeripheralClient(queue: queue ?? .main))
    super.init()
    begin(delegate)
  }

  /// A manager that uses `radio`; Apple's has no such parameter.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?,
    options: [String: Any]? = nil, radio: CBRadio
  ) {
    (thread, client) = (radio, PeripheralClient(queue: queue ?? .main))
    super.init()
    begin(delegate)
  }

  init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue,
    thread: any PeripheralThread
  ) {
    (self.thread, client) = (thread, PeripheralClient(queue: queue))
    super.init()
    begin(delegate)
  }

  private func begin(_ delegate: (any CBPeripheralManagerDelegate)?) {
    self.delegate = delegate
    client.represent(self)
    let (engine, client) = (thread.peripheralEngine, client)
    let watch = thread.watchState { [weak thread] state in
      // Apple's rule: with a state below `poweredOff` services have gone, and advertising has ended; in
      // `poweredOff` advertising pauses.
      if state.rawValue < CBManagerState.poweredOff.rawValue {
        let lossCount = client.noteLoss()
        thread?.performPeripheral { _ in engine.clear(client) }
        client.tell { $0.stateChanged(state, lossCount: lossCount) }
      } else {
        client.tell { $0.stateChanged(state) }
      }
    }
    contents.withLock { $0.watch = watch }
  }

  deinit {
    let (engine, client) = (thread.peripheralEngine, client)
    thread.performPeripheral { _ in engine.clear(client) }
  }

  private func stateChanged(_ state: CBManagerState, lossCount: Int? = nil) {
    let isNews = state != self.state
    self.state = state
    if let lossCount {
      contents.withLock { $0.lossCount = lossCount }
      noteEnd()
    }
    if isNews { delegate?.peripheralManagerDidUpdateState(self) }
  }

  // MARK: Advertising

  /// Advertises: the local name (`CBAdvertisementDataLocalNameKey`) and services
  /// (`CBAdvertisementDataServiceUUIDsKey`). Other keys are logged and ignored, as on Apple's
  /// systems.
  ///
  /// The services come first, as many as fit 31 bytes; then the name, in the scan response where it
  /// does not fit; then more services. What is left is not advertised: there is no overflow area
  /// here. A name of more than 29 bytes is shortened. The name is that of the GAP service, too.
  /// `peripheralManagerDidStartAdvertising` tells when it has begun.
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

  /// Advertises no longer.
  open func stopAdvertising() {
    guard isPoweredOn() else { return }
    noteEnd()
    let (engine, client) = (thread.peripheralEngine, client)
    thread.performPeripheral { _ in engine.stopAdvertising(client) }
  }

  private func noteEnd() {
    change { contents in
      contents.isAdvertising = false
      contents.endCount += 1
    }
  }

  /// Tells the delegate that advertising has begun, or why not; unless it has been ended since it was
  /// to begin, after `endCount` ends.
  func advertisingStarted(after endCount: Int, _ error: CBError? = nil) {
    let isWanted = change { contents in
      guard contents.endCount == endCount else { return false }
      if error == nil { contents.isAdvertising = true }
      return true
    }
    guard isWanted else { return }
    delegate?.peripheralManagerDidStartAdvertising(self, error: error)
  }

  /// Asks a central for a link that is quicker or slower. It may refuse.
  open func setDesiredConnectionLatency(
    _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
  ) {
    guard isPoweredOn() else { return }
    let (engine, identifier) = (thread.peripheralEngine, central.identifier)
    thread.performPeripheral { _ in
      engine.requestParameters(latency.parameters, of: identifier)
    }
  }

  // MARK: Services

  /// Publishes a service. The services that it includes have to be added before it. `didAdd` tells
  /// whether it was; what is wrong with a service that was not is logged.
  open func add(_ service: CBMutableService) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let client = client
    do throws(ServiceRefusal) {
      let definition = try ServiceDefinition(service)
      perform(after: lossCount) { engine in engine.add(definition, for: client) }
    } catch {
      perform(after: lossCount) { engine in engine.refuse(service, because: error, for: client) }
    }
  }

  /// Takes a service away. One that was not added is ignored.
  open func remove(_ service: CBMutableService) {
    guard isPoweredOn() else { return }
    let (engine, client) = (thread.peripheralEngine, client)
    thread.performPeripheral { _ in engine.remove(service, of: client) }
  }

  /// Takes every service of this manager away.
  open func removeAllServices() {
    guard isPoweredOn() else { return }
    let (engine, client) = (thread.peripheralEngine, client)
    thread.performPeripheral { _ in engine.removeAllServices(of: client) }
  }

  // MARK: L2CAP channels

  /// Publishes an L2CAP channel: centrals can open it by the number that `didPublishL2CAPChannel` has.
  /// `didOpen` follows for each that does.
  ///
  /// - Parameter encryptionRequired: Whether the link to a central has to be encrypted. Another central is
  ///   refused, and may pair.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let listener = DeviceChannels.Listener(client: client, needsEncryption: encryptionRequired) {
      [weak thread, weak channels = thread.peripheralEngine.device.channels] in
      ChannelPipe { [weak thread, weak channels] pipe in
        thread?.performPeripheral { [weak channels] _ in channels?.attend(to: pipe) }
      }
    }
    perform(after: lossCount) { engine in engine.publishChannel(listener) }
  }

  /// Centrals can open this channel no more. Those that are open stay so. `didUnpublishL2CAPChannel`
  /// follows, with an error if this manager has not published it.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard let lossCount = lossCountIfPoweredOn() else { return }
    let client = client
    perform(after: lossCount) { engine in engine.unpublishChannel(PSM, of: client) }
  }

  // MARK: Values

  /// Answers a request of the delegate's: for a read, with the request's value; for writes that came
  /// together, once, for the first of them.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard isPoweredOn() else { return }
    guard let ticket = request.ticket, ticket.client === client else {
      Misuse.log(self, "Cannot respond to a request that this manager was not given")
      return
    }
    guard ticket.takeAnswer() else {
      Misuse.log(self, "Cannot respond to a request twice")
      return
    }
    let answer: Result<[UInt8], ATTErrorCode> =
      if result == .success { .success(Array(request.value ?? Data())) } else {
        .failure(ATTErrorCode(result))
      }
    let engine = thread.peripheralEngine
    thread.performPeripheral { _ in engine.answer(ticket, answer) }
  }

  /// Tells a value to the centrals that have subscribed to it; to those of `centrals` alone, if
  /// there are any. It is cut where it is longer than a central's `maximumUpdateValueLength`.
  ///
  /// - Returns: Whether it will be sent; but not to a central that is change-unaware (robust
  ///   caching). If the queue of any of the centrals is full, nothing is sent, and
  ///   `peripheralManagerIsReady(toUpdateSubscribers:)` follows when there is room again.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic,
    onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard isPoweredOn() else { return false }
    let engine = thread.peripheralEngine
    let room = engine.board.takeRoom(
      for: characteristic, by: client, among: centrals?.map(\.identifier))
    switch room {
    case .unknown:
      Misuse.log(self, "The characteristic \(characteristic.uuid) has not been added")
      return false
    case .none:
      return false
    case .taken(let links, let handle):
      guard !links.isEmpty else { return true }
      let bytes = Array(value.prefix(maximumAttributeValueLength))
      thread.performPeripheral { _ in engine.update(bytes, at: handle, for: links) }
      return true
    }
  }

  /// Whether anything can be asked for; if not, that is logged.
  private func isPoweredOn() -> Bool {
    if state == .poweredOn { return true }
    logNotPoweredOn()
    return false
  }

  private func logNotPoweredOn() {
    Misuse.log(self, "can only accept this command while in the powered on state")
  }

  /// How often the radio has been lost, as far as the delegate has heard; `nil`, which is logged, if
  /// nothing can be asked for.
  private func lossCountIfPoweredOn() -> Int? {
    // In this order: a loss that is heard of meanwhile changes the state first.
    let lossCount = contents.withLock(\.lossCount)
    return isPoweredOn() ? lossCount : nil
  }

  /// Has the engine do something that the next loss of the radio undoes; unless that loss has come
  /// already, and the delegate has yet to hear of it.
  private func perform(
    after lossCount: Int, _ body: @escaping @Sendable (PeripheralEngine) -> Void
  ) {
    let (engine, client) = (thread.peripheralEngine, client)
    thread.performPeripheral { _ in
      guard client.lossCount == lossCount else {
        client.tell { $0.logNotPoweredOn() }
        return
      }
      body(engine)
    }
  }
}

extension ATTErrorCode {
  /// The code as it is sent; `.unlikelyError` for a number that is no ATT error's.
  fileprivate init(_ code: CBATTError.Code) {
    let byte = UInt8(exactly: code.rawValue)
    self = byte.map { ATTErrorCode(rawValue: $0) } ?? .unlikelyError
  }
}
