import BluetoothHost
import LinuxRadio

/// The program on a radio's thread: a device, and the engines of its managers.
///
/// It lives as long as the radio. Each new thread calls `renew` first.
final class DeviceProgram: RadioProgram, @unchecked Sendable {
  // Unchecked: only the radio's thread uses it.
  let device: Device
  /// The engine of all central managers.
  let central: CentralEngine
  /// The engine of all peripheral managers.
  let peripheral: PeripheralEngine

  /// Called when the controller has failed three times without hearing a peer in between.
  var onTrouble: RadioWatch.Listener = { _ in }
  /// Receives the reason when the radio is lost.
  var onLoss: RadioWatch.Listener = { _ in }

  private var isEnding = false

  /// - Parameters:
  ///   - address: The address of the device.
  ///   - bonds: The store of its bonds.
  init(address: OwnAddress, bonds: RadioBonds = RadioBonds()) {
    device = Device(address: address, bonds: bonds)
    central = CentralEngine(device.central, device.channels)
    peripheral = PeripheralEngine(device)
  }

  /// Whether the controller has been set up.
  var isReady: Bool { device.central.isReady }

  /// A new thread starts: clears the state of the last.
  func renew() {
    isEnding = false
    peripheral.removeAll()
    device.renew()
    handleEvents()
  }

  // MARK: RadioProgram

  func radioIsReady(at now: Instant) {
    setTime(now)
    device.central.resetFailures()
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
      // An operation without a response makes room for the next.
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

  /// Sent packets may have completed operations.
  func turnEnded() { handleEvents() }

  /// Ends advertising, scanning and every link.
  func shutDown(at now: Instant) {
    isEnding = true
    setTime(now)
    central.shutDown(at: now)
    device.central.stopScan()
    device.host.shutDown()
    endTurn()
  }

  var isFinished: Bool { isEnding && device.host.isShutDown }

  // MARK: After each call

  private func endTurn() {
    update()
    peripheral.endTurn()
    handleEvents()
  }

  private func setTime(_ now: Instant) {
    device.central.now = now
    device.channels.now = now
  }

  private func update() {
    if device.central.needsUpdate { device.central.update(&device.host) }
    if device.channels.needsUpdate { device.channels.update(&device.host) }
  }

  private func handleEvents() {
    while let event = device.central.nextEvent() {
      note(event)
      central.handle(event, at: device.central.now)
    }
  }

  private func note(_ event: CentralEvent) {
    switch event {
    case .radioFault(let fault) where device.central.failures < DeviceCentral.faultLimit:
      Log.logger.warning("the controller failed and is being reset: \(fault.text)")
    case .radioFailed(let fault) where fault != .lost:
      Log.logger.error("the controller keeps failing; it is reset each time: \(fault.text)")
      onTrouble(RadioError(fault.text))
    default:
      break
    }
  }
}
