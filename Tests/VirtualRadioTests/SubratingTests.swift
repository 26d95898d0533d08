import BluetoothHost
import Expectations
import VirtualRadio

/// Core Specification, Vol 4, Part E, 7.8.115, 7.8.123, 7.8.124; Vol 6, Part B, 4.5.1 and 5.1.20.
@Suite("Subrates of a link")
struct SubratingTests {
  private let air = VirtualAir()
  private let central, peripheral: TestHost
  private var near: ConnectionHandle { central.handle }
  private var far: ConnectionHandle { peripheral.handle }

  init() { (central, peripheral) = twoHosts(on: air) }

  private let wish = SubrateParameters(
    minimumFactor: 2, maximumFactor: 10, maximumLatency: 1, continuationNumber: 3,
    supervisionTimeout: 600)

  /// Both hosts support subrating, unless said otherwise, and are connected.
  private func connect(supported: Bool = true, limits: SubrateParameters? = nil) {
    expect(
      central.ask(LESetHostFeature(bit: 38, value: 1)), is: [complete(.leSetHostFeature)])
    if supported { peripheral.send(LESetHostFeature(bit: 38, value: 1)) }
    if let limits {
      expect(
        central.ask(.leSetDefaultSubrate, bytes { limits.write(to: &$0) }),
        is: [complete(.leSetDefaultSubrate)])
    }
    peripheral.advertise()
    // 30 ms.
    central.connect(to: peripheral.controller.address)
    _ = (central.receive(), peripheral.receive())
  }

  private func changed(
    _ handle: ConnectionHandle, factor: UInt16 = 10, latency: UInt16 = 1,
    continuation: UInt16 = 3, timeout: UInt16 = 600
  ) -> [UInt8] {
    event(
      LESubrateChange(
        status: .success, handle: handle, factor: factor, latency: latency,
        continuationNumber: continuation, supervisionTimeout: timeout))
  }

  private func failed(_ handle: ConnectionHandle, _ reason: HCIErrorCode) -> [UInt8] {
    event(
      LESubrateChange(
        status: reason, handle: handle, factor: 1, latency: 0, continuationNumber: 0,
        supervisionTimeout: 72))
  }

  private func request(_ host: TestHost, _ parameters: SubrateParameters) -> [[UInt8]] {
    host.ask(LESubrateRequest(handle: host.handle, parameters: parameters))
  }

  @Test("A central's request takes effect on both sides, with the largest factor")
  func centralRequests() {
    connect()
    expect(request(central, wish), is: [status(.leSubrateRequest), changed(near)])
    expect(peripheral.receive(), is: [changed(far)])
    // The same again changes nothing, and only the requesting host gets an event.
    expect(request(central, wish), is: [status(.leSubrateRequest), changed(near)])
    expect(peripheral.receive(), is: [])
    // The timeout allows a factor of 5: 4 × 72 > 24 × 2 × 5, and not 24 × 2 × 6.
    var short = wish
    short.supervisionTimeout = 72
    short.continuationNumber = 9
    expect(
      request(central, short).last, is: changed(near, factor: 5, continuation: 4, timeout: 72))
    // The new supervision timeout applies: 72 × 10 ms.
    peripheral.controller.vanish()
    expect(air.deadline, is: milliseconds(720))
  }

  @Test("New connection parameters end a subrate")
  func connectionUpdate() {
    connect()
    _ = request(central, wish)
    central.send(
      LEConnectionUpdate(
        handle: near,
        parameters: ConnectionParameters(
          minimumInterval: 24, maximumInterval: 24, latency: 1, supervisionTimeout: 600)))
    _ = (central.receive(), peripheral.receive())
    expect(request(central, wish).last, is: changed(near))
    expect(peripheral.receive(), is: [changed(far)])
  }

  @Test("A peripheral's request is limited by the central's host")
  func peripheralRequests() {
    connect(
      limits: SubrateParameters(
        minimumFactor: 1, maximumFactor: 4, maximumLatency: 0, continuationNumber: 2,
        supervisionTimeout: 500))
    let answer = changed(far, factor: 4, latency: 0, continuation: 3, timeout: 500)
    expect(request(peripheral, wish), is: [status(.leSubrateRequest), answer])
    expect(
      central.receive(),
      is: [changed(near, factor: 4, latency: 0, continuation: 3, timeout: 500)])
  }

  @Test("A peripheral gets no subrate of a central's host that has set no limits")
  func noLimits() {
    connect()
    expect(
      request(peripheral, wish),
      is: [status(.leSubrateRequest), failed(far, .unacceptableConnectionParameters)])
    expect(central.receive(), is: [])
  }

  @Test("Without the support of the peer's host there is no subrate")
  func unsupported() {
    connect(supported: false)
    expect(
      request(central, wish),
      is: [status(.leSubrateRequest), failed(near, .unsupportedRemoteFeature)])
    expect(
      request(peripheral, wish), is: [status(.leSubrateRequest, .commandDisallowed)],
      "its own host does not support it")
  }

  @Test("The host's feature is one of the controller's, for the peer too")
  func feature() {
    connect()
    let features = bytes { $0.write(UInt64(0x60_0000_396F)) }
    expect(
      central.ask(.leReadLocalSupportedFeatures),
      is: [complete(.leReadLocalSupportedFeatures, .success, features)])
    let handle = bytes { $0.write(near.rawValue) }
    expect(
      central.ask(.leReadRemoteFeatures, handle).last,
      is: [0x04, 0x3E, 12, 0x04, 0] + handle + features)
    // It cannot change while there is a link.
    expect(
      central.ask(LESetHostFeature(bit: 38, value: 0)),
      is: [complete(.leSetHostFeature, .commandDisallowed)])
    for (bit, value) in [(37, 1), (38, 2), (0, 1)] as [(UInt8, UInt8)] {
      expect(
        central.ask(LESetHostFeature(bit: bit, value: value)),
        is: [complete(.leSetHostFeature, .unsupportedFeatureOrParameterValue)])
    }
  }

  @Test("Parameters outside their ranges are refused")
  func ranges() {
    connect()
    let wrong: [(UInt16, UInt16, UInt16, UInt16, UInt16)] = [
      (0, 1, 0, 0, 600), (2, 1, 0, 0, 600), (1, 501, 0, 0, 600), (1, 1, 500, 0, 600),
      (1, 10, 50, 0, 600), (1, 10, 0, 10, 600), (1, 10, 0, 0, 9), (1, 10, 0, 0, 3_201),
    ]
    for (minimum, maximum, latency, continuation, timeout) in wrong {
      let parameters = SubrateParameters(
        minimumFactor: minimum, maximumFactor: maximum, maximumLatency: latency,
        continuationNumber: continuation, supervisionTimeout: timeout)
      expect(
        request(central, parameters), is: [status(.leSubrateRequest, .invalidCommandParameters)],
        "\(parameters)")
      expect(
        central.ask(.leSetDefaultSubrate, bytes { parameters.write(to: &$0) }),
        is: [complete(.leSetDefaultSubrate, .invalidCommandParameters)], "\(parameters)")
    }
    // 4 × 10 is not more than 24 × 2.
    var short = wish
    short.maximumLatency = 0
    short.supervisionTimeout = 10
    expect(request(central, short), is: [status(.leSubrateRequest, .invalidCommandParameters)])
  }

  @Test("Data waits for a subrated event, and the next events follow it")
  func timing() {
    air.linkLayer = LinkLayerModel()
    connect()
    var subrate = wish
    subrate.maximumLatency = 0
    subrate.continuationNumber = 2
    _ = request(central, subrate)
    _ = peripheral.receive()
    // After the first events each tenth one is used: 10 × 30 ms after the link's beginning.
    air.advance(to: milliseconds(100))
    central.send([1, 2, 3], on: near)
    expect(peripheral.hasData(at: [100, 270, 299, 300]), is: [false, false, false, true])
    // One event later is still used, and so is the one after it.
    central.send([1, 2, 3], on: near)
    expect(peripheral.hasData(at: [329, 330]), is: [false, true])
    // Two unused ones later, only the tenth is: 600 ms.
    air.advance(to: milliseconds(400))
    central.send([1, 2, 3], on: near)
    expect(peripheral.hasData(at: [420, 599, 600]), is: [false, false, true])
  }
}
