import BluetoothHost
import Foundation

/// The peripheral of one radio, and the managers that share it. Only the radio's thread uses it. It
/// does no input or output: the `LocalDevice` carries the host's packets, and delegates are called
/// on their queues.
final class PeripheralEngine: @unchecked Sendable {
  /// A service that centrals see.
  struct Published {
    let definition: ServiceDefinition
    let client: PeripheralHandle
    let range: AttributeHandleRange
  }

  /// What one manager advertises.
  struct AdvertisingManager {
    let client: PeripheralHandle
    /// How often the manager had ended its advertising before.
    let endCount: Int
    let name: String?
    let services: [BluetoothUUID]
    /// Whether the start has not been reported to the delegate.
    var isStarting = true
  }

  unowned let device: LocalDevice
  var published: [Published] = []
  var advertisers: [AdvertisingManager] = []
  /// The PSM that was published last.
  var lastSPSM: SPSM?

  init(_ device: LocalDevice) { self.device = device }

  // MARK: Managers

  /// Removes a manager's services, channels and advertising: it was released, or the radio was
  /// lost.
  func clear(_ client: PeripheralHandle) {
    stopAdvertising(client)
    removeAllServices(of: client)
    device.channels.listeners = device.channels.listeners.filter { $0.value.client !== client }
  }

  // MARK: The radio

  /// Removes the services, channels and advertising of all managers.
  func removeAll() {
    for published in published { remove(published) }
    advertisers = []
    device.channels.listeners = [:]
  }

  /// Handles the effects of the host's last call.
  func endTurn() {
    for (connectionIndex, link) in device.host.server.application.links.enumerated() {
      guard let link else { continue }
      // A write that was refused half-way leaves values that no delegate sees.
      link.written = []
      let length = device.host.mtu(at: connectionIndex).maximumUpdateLength
      if link.central.maximumUpdateValueLength != length {
        link.central.maximumUpdateValueLength = length
      }
      // Updates that a central cannot receive for now would make the other centrals wait.
      if !device.host.server.receivesUpdates(at: connectionIndex) {
        device.host.server.application.dropUpdates(of: link) { _ in true }
      }
    }
    reportAdvertising()
    reportChannels()
  }

  // MARK: Answers and updates

  /// A manager has responded to a request.
  func answer(_ ticket: RequestTicket, _ result: Result<[UInt8], ATTErrorCode>) {
    guard let pending = ticket.pendingRequest, pending.link.pendingRequest === pending,
      let connectionIndex = device.host.server.application.location(of: pending.link)
    else { return }
    pending.missing -= 1
    if case .failure(let code) = result { pending.refusal = pending.refusal ?? code }
    guard pending.missing == 0 else { return }
    let link = pending.link
    link.pendingRequest = nil
    if let reading = pending.reading {
      link.readings[reading] = result
    } else {
      link.writeResult = pending.refusal.map { .failure($0) } ?? .success(())
    }
    resume(link, at: connectionIndex)
  }

  func resume(_ link: ServedCentral, at connectionIndex: Int) {
    device.host.resume(at: connectionIndex)
    if !device.host.server.isPutOff(at: connectionIndex) { link.forgetRequest() }
    endTurn()
  }

  /// Notifies a value to subscribers. Room has been reserved for each.
  func update(_ value: [UInt8], at handle: UInt16, for links: [ServedCentral]) {
    for link in links {
      if device.host.server.application.location(of: link) != nil,
        link.subscriptions.contains(handle)
      {
        device.host.server.application.send(
          ServedCentral.Update(handle: handle, value: value), to: link)
      } else {
        device.host.server.application.drop(1, of: link)
      }
    }
    endTurn()
  }

  /// Asks a central for other connection parameters.
  func requestParameters(_ parameters: ConnectionParameters, of identifier: UUID) {
    for (connectionIndex, link) in device.host.server.application.links.enumerated()
    where link?.central.identifier == identifier {
      device.host.requestParameters(parameters, at: connectionIndex)
    }
  }
}
