import BallTestSupport
import BlueZ
import BluetoothHost
import EightBall
import VirtualRadio

/// A host on a `BlueZController`, and the side of the bus as the test. Time passes only by `pass`.
final class ControllerBench<Side: HostSide & ~Copyable> {
  /// A copy of a request.
  enum Request: Equatable {
    case reset, changeAdvertisement, cancelConnection
    case setAdvertising(Bool)
    case setScanning(Bool, filtersDuplicates: Bool)
    case connect(DeviceAddress)
    case disconnect(Int)
    case attribute(Int, [UInt8])

    init?(_ request: borrowing BlueZController.Request) {
      switch request {
      case .nothing: return nil
      case .reset: self = .reset
      case .setAdvertising(let isOn): self = .setAdvertising(isOn)
      case .changeAdvertisement: self = .changeAdvertisement
      case .setScanning(let isOn, let filter): self = .setScanning(isOn, filtersDuplicates: filter)
      case .connect(let peer): self = .connect(peer)
      case .cancelConnection: self = .cancelConnection
      case .disconnect(let index): self = .disconnect(index)
      case .attribute(let index, let pdu): self = .attribute(index, pdu.indices.map { pdu[$0] })
      }
    }
  }

  var controller = BlueZController()
  var host: Side
  private(set) var now = Instant(rawValue: 1_000)
  /// The requests since the last `takeRequests`.
  private var requests: [Request] = []
  /// Whether the bus grants each request to advertise and to scan, and completes each packet, at once.
  var answers = true

  init(_ host: consuming Side) {
    self.host = host
    controller.address = DeviceAddress(kind: .public, bytes: [0x01, 0, 0, 0, 0, 0xF0])
  }

  func takeRequests() -> [Request] {
    defer { requests = [] }
    return requests
  }

  /// Carries packets until neither side has one.
  func run() {
    var isBusy = true
    while isBusy {
      isBusy = false
      while let packet = sentPacket() {
        isBusy = true
        give(packet)
      }
      while let packet = receivedPacket() {
        isBusy = true
        host.receive(packet.span, at: now)
      }
    }
  }

  func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    host.advance(to: now)
    run()
  }

  /// Gives the controller a packet of the host.
  func give(_ packet: [UInt8]) {
    guard let request = Request(controller.receive(packet.span)) else { return }
    requests.append(request)
    guard answers else { return }
    switch request {
    case .setAdvertising: controller.finishAdvertising(.success)
    case .setScanning: controller.finishScanning(.success)
    case .attribute(let index, _): controller.completePacket(at: index)
    default: break
    }
  }

  /// The controller's next packet; `nil` if there is none.
  func receivedPacket() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: 1_024)
    var span = packet.mutableSpan
    let count = controller.read(into: &span)
    return count > 0 ? Array(packet.prefix(count)) : nil
  }

  private func sentPacket() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(packet.mutableSpan)
    guard host.nextPacket(into: &writer, at: now) else { return nil }
    let count = writer.count
    return Array(packet.prefix(count))
  }

  /// Sends an ATT PDU of the peer, and carries what follows.
  func send(_ pdu: [UInt8], to index: Int) {
    controller.send(to: index) { for byte in pdu { $0.write(byte) } }
    run()
  }
}
