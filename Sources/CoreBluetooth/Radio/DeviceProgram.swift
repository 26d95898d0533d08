import BluetoothHost
import LinuxRadio

/// What runs on a radio's thread: a device, and the engines of its managers.
///
/// It lives as long as the radio, however often the thread ends and begins: `renew` comes first each
/// time.
final class DeviceProgram: RadioProgram, @unchecked Sendable {
  // Unchecked: the radio's thread alone uses it.
  let device: Device
  /// What the managers of centrals share.
  let central: CentralEngine
  /// The same for the managers of this device as a peripheral.
  let peripheral: PeripheralEngine

  /// Gets the error when the controller counts as broken, until a peer is heard.
  var onTrouble: RadioWatch.Listener = { _ in }
  /// Gets the reason when the radio is lost.
  var onLoss: RadioWatch.Listener = { _ in }

  private var isEnding = false

  /// - Parameters:
  ///   - address: What the device goes by.
  ///   - bonds: The peers that it knows, and which it gets to know.
  init(address: OwnAddress, bonds: RadioBonds = RadioBonds()) {
    device = Device(address: address, bonds: bonds)
    central = CentralEngine(device.central, device.channels)
    peripheral = PeripheralEngine(device)
  }

  /// Whether the controller has been set up.
  var isReady: Bool { device.central.isReady }

  /// A thread begins: nothing is left of what was done on another.
  func renew() {
    isEnding = false
    peripheral.removeAll()
    device.renew()
    tellEvents()
  }

  // MARK: RadioProgram

  func radioIsReady(at now: Instant) {
    setTime(now)
    device.central.forgetFailures()
    device.host.start(at: now)
    endTurn()
  }

  func radioIsLost(_ error: RadioError, at now: Instant) {
    onLoss(error)
    setTime(now)
    device.host.radioLost()
    endTurn()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    setTime(now)
    device.host.receive(packet, at: now)
    endTurn()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    setTime(now)
    while true {
      update()
      if device.host.nextPacket(into: &writer, at: now) { return true }
      // An operation that needs no answer makes room for the next.
      if !device.central.needsUpdate, !device.channels.needsUpdate { return false }
    }
  }

  var deadline: Instant? {
    var earliest = Instant.earlier(device.host.deadline, device.central.deadline)
    earliest = Instant.earlier(earliest, central.deadline)
    earliest = Instant.earlier(earliest, device.channels.deadline)
    return earliest
  }

  func advance(to now: Instant) {
    setTime(now)
    device.host.advance(to: now)
    device.central.advance()
    device.channels.advance()
    central.advance(to: now)
    endTurn()
  }

  /// What was sent may have ended something.
  func turnEnded() { tellEvents() }

  /// Advertising and scanning end, and every link.
  func shutDown(at now: Instant) {
    isEnding = true
    setTime(now)
    central.shutDown(at: now)
    device.central.stopScan()
    device.host.shutDown()
    endTurn()
  }

  var isFinished: Bool { isEnding && device.host.isShutDown }

  // MARK: What follows

  private func endTurn() {
    update()
    peripheral.endTurn()
    tellEvents()
  }

  private func setTime(_ now: Instant) {
    device.central.now = now
    device.channels.now = now
  }

  private func update() {
    if device.central.needsUpdate { device.central.update(&device.host) }
    if device.channels.needsUpdate { device.channels.update(&device.host) }
  }

  private func tellEvents() {
    while let event = device.central.nextEvent() {
      note(event)
      central.handle(event, at: device.central.now)
    }
  }

  private func note(_ event: CentralEvent) {
    switch event {
    case .radioFault(let fault) where device.central.failures < DeviceCentral.faultLimit:
      Log.logger.warning("the controller failed, and is reset: \(fault.text)")
    case .radioFailed(let fault) where fault != .lost:
      Log.logger.error("the controller fails again and again, and is still reset: \(fault.text)")
      onTrouble(RadioError(fault.text))
    default:
      break
    }
  }
}
