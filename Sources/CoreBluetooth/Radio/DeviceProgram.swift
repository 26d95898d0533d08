import BluetoothHost
import LinuxRadio

/// What runs on a radio's thread: a central and a peripheral on one controller.
struct DeviceProgram: RadioProgram, ~Copyable {
  /// The central is `first`, the peripheral `second`. The central takes part from the beginning,
  /// the peripheral from when somebody has it join.
  var shared: SharedController<CentralProgram, PeripheralProgram>

  private let onLoss: RadioWatch.Listener

  /// Both halves serve engines that outlive the program; `onTrouble` is told why the radio can be
  /// used no more, `onLoss` why it is lost, until it is found again.
  init(
    _ central: CentralEngine, _ peripheral: PeripheralEngine,
    onTrouble: @escaping RadioWatch.Listener, onLoss: @escaping RadioWatch.Listener
  ) {
    self.onLoss = onLoss
    shared = SharedController(
      CentralProgram(central), PeripheralProgram(peripheral))
    shared.first.onEvent.append { event, _ in
      if case .radioFailed(let fault) = event, fault != .lost {
        onTrouble(RadioError(fault.description))
      }
    }
  }

  mutating func radioIsReady(at now: Instant) { shared.radioIsReady(at: now) }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    onLoss(error)
    shared.radioIsLost(error, at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    shared.receive(packet, at: now)
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    shared.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { mutating get { shared.deadline } }

  mutating func advance(to now: Instant) { shared.advance(to: now) }
  mutating func turnEnded() { shared.turnEnded() }
  mutating func shutDown(at now: Instant) { shared.shutDown(at: now) }
  var isFinished: Bool { mutating get { shared.isFinished } }
}
