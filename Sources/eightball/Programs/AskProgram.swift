import BluetoothCentral
import BluetoothHost
import LinuxBoard
import LinuxRadio

/// A client that asks a ball one question, as something to run on a radio.
struct AskProgram: RadioProgram {
  /// How it ended, once it has.
  private(set) var outcome: BallOutcome?
  /// Why the radio was lost, if that ended it.
  private(set) var loss: RadioError?

  private let client: BallClient
  private let printer: any AskPrinter
  private var hasBegun = false

  init(_ inquiry: BallInquiry, printer: any AskPrinter) {
    client = BallClient(
      inquiry, configuration: CentralConfiguration(randomAddress: .newRandom()))
    self.printer = printer
  }

  mutating func radioIsReady(at now: Instant) {
    hasBegun = true
    client.start(at: now)
  }

  mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    loss = error
    client.radioLost(at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    client.receive(packet, at: now)
    tellEvents()
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    client.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { client.deadline }

  mutating func advance(to now: Instant) {
    client.advance(to: now)
    tellEvents()
  }

  mutating func turnEnded() {
    tellEvents()
  }

  mutating func shutDown(at now: Instant) {
    guard hasBegun else { return outcome = .cancelled }
    client.stop(at: now)
  }

  var isFinished: Bool { outcome != nil }

  private mutating func tellEvents() {
    while let event = client.nextEvent() {
      switch event {
      case .finished(let outcome): self.outcome = outcome
      case .decided(.radioTrouble(.lost)): printer.failed(lossText, reason: "radio")
      default: printer.tell(event, of: client.inquiry)
      }
    }
  }

  private var lossText: String {
    sentence(loss?.description ?? ControllerFault.lost.description)
  }
}
