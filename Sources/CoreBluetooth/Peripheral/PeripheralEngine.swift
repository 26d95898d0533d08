import BluetoothHost
import Foundation

/// The peripheral of one radio, and the managers that share it.
///
/// It is used on the radio's thread alone, but for `board`. It does no input or output: the
/// `DeviceProgram` carries the host's packets, and the calls of a delegate go to its queue.
final class PeripheralEngine: @unchecked Sendable {
  /// A service that centrals see.
  struct Published {
    let definition: ServiceDefinition
    let client: PeripheralClient
    let range: AttributeHandleRange
  }

  /// What one manager advertises.
  struct Advertiser {
    let client: PeripheralClient
    /// How often the manager had ended its advertising before this.
    let endCount: Int
    let name: String?
    let services: [BluetoothUUID]
    /// Whether the delegate has yet to be told that it has begun.
    var isStarting = true
  }

  let device: Device
  /// Which values wait for whom: for any thread.
  var board: UpdateBoard { device.board }
  var published: [Published] = []
  var advertisers: [Advertiser] = []
  /// The number of the channel that was published last.
  var lastSPSM: SPSM?

  /// The peripheral of `device`.
  init(_ device: Device) {
    self.device = device
  }

  // MARK: Managers

  /// Nothing is left of what a manager asked for: it is no more, or the radio has been lost.
  func clear(_ client: PeripheralClient) {
    stopAdvertising(client)
    removeAllServices(of: client)
    device.channels.listeners = device.channels.listeners.filter { $0.value.client !== client }
  }

  // MARK: The radio

  /// Nothing is left of what all managers asked for.
  func removeAll() {
    for published in published { remove(published) }
    advertisers = []
    device.channels.listeners = [:]
  }

  /// What follows from whatever the host has just done.
  func endTurn() {
    for (place, link) in device.host.server.application.links.enumerated() {
      guard let link else { continue }
      // A write that was refused half-way leaves values that nobody is asked about.
      link.written = []
      let length = device.host.mtu(at: place).maximumToldLength
      if link.central.maximumUpdateValueLength != length {
        link.central.maximumUpdateValueLength = length
      }
      // What a central may not be told for who knows how long would keep the others waiting.
      if !device.host.server.isToldValues(at: place) {
        device.host.server.application.dropUpdates(of: link) { _ in true }
      }
    }
    tellOfAdvertising()
    tellOfChannels()
  }

  // MARK: Answers and updates

  /// A manager answers what it was asked.
  func answer(_ ticket: RequestTicket, _ result: Result<[UInt8], ATTErrorCode>) {
    guard let question = ticket.question, question.link.question === question,
      let place = device.host.server.application.place(of: question.link)
    else { return }
    question.missing -= 1
    if case .failure(let code) = result { question.refusal = question.refusal ?? code }
    guard question.missing == 0 else { return }
    let link = question.link
    link.question = nil
    if let reading = question.reading {
      link.readings[reading] = result
    } else {
      link.verdict = question.refusal.map { .failure($0) } ?? .success(())
    }
    resume(link, at: place)
  }

  func resume(_ link: ServedCentral, at place: Int) {
    device.host.resume(at: place)
    if !device.host.server.isPutOff(at: place) { link.forgetRequest() }
    endTurn()
  }

  /// A value is to be told to some who listen, for each of whom a place has been taken.
  func update(_ value: [UInt8], at handle: UInt16, for links: [ServedCentral]) {
    for link in links {
      if device.host.server.application.place(of: link) != nil, link.subscriptions.contains(handle)
      {
        device.host.server.application.send(
          ServedCentral.Update(handle: handle, value: value), to: link)
      } else {
        device.host.server.application.drop(1, of: link)
      }
    }
    endTurn()
  }

  /// A manager would like the link to a central to be quicker or slower.
  func requestParameters(_ parameters: ConnectionParameters, of identifier: UUID) {
    for (place, link) in device.host.server.application.links.enumerated()
    where link?.central.identifier == identifier {
      device.host.requestParameters(parameters, at: place)
    }
  }
}
