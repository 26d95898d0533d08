import BluetoothHost
import Foundation

/// The peripheral of one radio, and the managers that share it.
///
/// It is used on the radio's thread alone, but for `board`. It does no input or output: packets go in
/// and out as with `Host`, and whatever is told to a manager goes to the manager's queue.
final class PeripheralEngine: @unchecked Sendable {
  /// How many centrals can be connected at once.
  static let places = 8

  typealias DynamicHost = BluetoothHost.Host<8, DynamicDatabase, DynamicApplication>

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

  let board = UpdateBoard()
  var host: DynamicHost
  var published: [Published] = []
  var advertisers: [Advertiser] = []
  /// What the device goes by.
  let address: OwnAddress

  /// - Parameter address: What the device goes by.
  init(address: OwnAddress) {
    self.address = address
    host = Self.newHost(address, board)
  }

  private static func newHost(
    _ address: OwnAddress, _ board: UpdateBoard
  ) -> DynamicHost {
    let machine = Array(ProcessInfo.processInfo.hostName.prefix { $0 != "." }.utf8)
    return DynamicHost(
      configuration: HostConfiguration(
        name: DeviceName(prefixOf: machine.span) ?? DeviceName(StaticText("Linux")),
        service: nil, address: address),
      database: DynamicDatabase(), application: DynamicApplication(places: places, board: board))
  }

  // MARK: Managers

  /// Nothing is left of what a manager asked for: it is no more, or the radio has been lost.
  func clear(_ client: PeripheralClient) {
    stopAdvertising(client)
    removeAllServices(of: client)
  }

  // MARK: The radio

  /// A new program runs on the radio: nothing is left of what another did.
  func renew() {
    for published in published { remove(published) }
    advertisers = []
    host = Self.newHost(address, board)
  }

  func radioIsReady(at now: Instant) {
    host.start(at: now)
    endTurn()
  }

  func radioIsLost() {
    host.radioLost()
    endTurn()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    endTurn()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  func advance(to now: Instant) {
    host.advance(to: now)
    endTurn()
  }

  /// What follows from whatever the host has just been told.
  func endTurn() {
    for place in 0..<Self.places {
      guard let link = host.server.application.links[place] else { continue }
      // A write that was refused half-way leaves values that nobody is asked about.
      link.written = []
      let length = host.mtu(at: place).maximumToldLength
      if link.central.maximumUpdateValueLength != length {
        link.central.maximumUpdateValueLength = length
      }
      // What a central may not be told for who knows how long would keep the others waiting.
      if !host.server.isToldValues(at: place) { host.server.application.dropUpdates(of: link) { _ in true } }
    }
    tellOfAdvertising()
  }

  // MARK: Answers and updates

  /// A manager answers what it was asked.
  func answer(_ ticket: RequestTicket, _ result: Result<[UInt8], ATTErrorCode>) {
    guard let question = ticket.question, question.link.question === question,
      let place = host.server.application.place(of: question.link)
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
    host.resume(at: place)
    if !host.server.isPutOff(at: place) { link.forgetRequest() }
    endTurn()
  }

  /// A value is to be told to some who listen, for each of whom a place has been taken.
  func update(_ value: [UInt8], at handle: UInt16, for links: [ServedCentral]) {
    for link in links {
      if host.server.application.place(of: link) != nil, link.subscriptions.contains(handle) {
        link.updates.append(ServedCentral.Update(handle: handle, value: value))
      } else {
        host.server.application.drop(1, of: link)
      }
    }
    endTurn()
  }

  /// A manager would like the link to a central to be quicker or slower.
  func requestParameters(_ parameters: ConnectionParameters, of identifier: UUID) {
    for place in 0..<Self.places
    where host.server.application.links[place]?.central.identifier == identifier {
      host.requestParameters(parameters, at: place)
    }
  }
}
