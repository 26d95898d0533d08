import BallRunner
import BluetoothHost
import CCortexM
import EightBall

/// The machine of a ball on Texas Instruments' evaluation board of the LM3S6965 (in QEMU: `lm3s6965evb`).
///
/// UART1 speaks H4 with the controller, UART0 is the console, both at 115,200 baud. The buttons are
/// PF1 (shake) and PE0 (clear), the lights PF0 (status) and PF2 (answer).
struct LM3S6965Port: Port, ~Copyable {
  private var clock: Clock
  #if DISPLAY
    private var bus: I2CController
    /// The board has no display of 128×64 pixels. QEMU can connect an SSD0303, whose glass shows 96×16 pixels of
    /// its memory, from column 36 on.
    private var display = DisplayDriver(SSD1306(address: 0x3D, firstColumn: 36, firstPage: 2))
  #endif

  #if SETS
    /// One set, for the whole of the legacy advertisement and its scan response: 2 × 31 bytes.
    typealias Sets = AdvertisingSets<1, 62>
  #endif

  /// The ball's name.
  static var ballName: DeviceName { DeviceName(StaticText("Magic 8-Ball")) }

  /// Starts the machine.
  init() {
    LM3S6965.start()
    clock = Clock()
    #if DISPLAY
      bus = I2CController()
    #endif
    Alarm.start()
    LM3S6965.uart0.start(clock: LM3S6965.clock, baud: 115_200)
    LM3S6965.uart1.start(clock: LM3S6965.clock, baud: 115_200)
    LM3S6965.portF.startOutputs(LightPin.status | LightPin.answer)
    LM3S6965.portF.startInputs(ButtonPin.shake)
    LM3S6965.portE.startInputs(ButtonPin.clear)
    InterruptController.enable(LM3S6965.Interrupt.portE)
    InterruptController.enable(LM3S6965.Interrupt.portF)
    InterruptController.enable(LM3S6965.Interrupt.uart0)
    InterruptController.enable(LM3S6965.Interrupt.uart1)
    InterruptController.enable(LM3S6965.Interrupt.watchdog)
    InterruptController.enable(LM3S6965.Interrupt.timer0A)
  }

  // MARK: Time and sleep

  var now: Instant {
    mutating get { clock.now }
  }

  /// A machine without an operating system does not end.
  var endRequests: Int { 0 }

  @inline(never)
  mutating func wait(until deadline: Instant?) -> Bool {
    if let deadline {
      let ticks = clock.ticks(until: deadline)
      // If the deadline has come, do not sleep.
      guard ticks > 0 else { return true }
      Alarm.set(ticks &+ 1)
    }
    Sleep.untilEnded()
    if deadline != nil { Alarm.stop() }
    return true
  }

  // MARK: The controller

  mutating func openRadio(at now: Instant) -> RadioOpening {
    withInterruptsHeld {
      unsafe controllerTransmitter.removeAll()
      unsafe controllerReceiver.start(LM3S6965.uart1)
    }
    return .opened
  }

  mutating func closeRadio() {
    withInterruptsHeld { unsafe controllerReceiver.stop(LM3S6965.uart1) }
  }

  var isPacketwise: Bool { false }

  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    cortexm_hold_interrupts()
    defer { cortexm_serve_interrupts() }
    let count = unsafe controllerReceiver.move(into: &space, from: LM3S6965.uart1)
    if count > 0 { return .bytes(count) }
    return unsafe controllerReceiver.isBroken ? .failed : .nothing
  }

  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    withInterruptsHeld { .taken(unsafe controllerTransmitter.send(bytes, to: LM3S6965.uart1)) }
  }

  // MARK: Buttons and lights

  /// The lights' pins of port F.
  private enum LightPin {
    static var status: UInt32 { 1 &<< 0 }
    static var answer: UInt32 { 1 &<< 2 }
  }

  var hasPanel: Bool { true }

  mutating func openLines() -> Bool {
    withInterruptsHeld { unsafe buttonEdges.removeAll() }
    ButtonPin.listen(true)
    return true
  }

  mutating func closeLines() {
    ButtonPin.listen(false)
  }

  func debounce(of button: ButtonName) -> UInt32 { 20 }

  mutating func contact(of button: ButtonName) -> ContactRead {
    ButtonPin.isClosed(button) ? .closed : .open
  }

  mutating func nextEdge() -> EdgeRead {
    guard let edge = withInterruptsHeld({ unsafe buttonEdges.popFirst() }) else { return .none }
    return .edge(
      ButtonEdge(
        button: edge.button, isClosed: ButtonPin.isClosed(edge.button),
        time: clock.instant(at: edge.ticks)))
  }

  mutating func listen(toEdges isListening: Bool) {
    ButtonPin.listen(isListening)
  }

  mutating func set(_ light: LightName, isLit: Bool) -> Bool {
    switch light {
    case .status: LM3S6965.portF.set(LightPin.status, isHigh: isLit)
    case .answer: LM3S6965.portF.set(LightPin.answer, isHigh: isLit)
    }
    return true
  }

  mutating func checkLines() -> Bool { true }

  mutating func takeLinesChange() -> LinesChange { .none }

  /// The pins of a chip cannot be lost.
  func writeLinesError(to writer: inout ByteWriter) {}

  #if DISPLAY
    // MARK: The display

    static var hasParts: Bool { true }

    var partsDeadline: Instant? { display.deadline }

    mutating func show(_ state: BallState, at now: Instant) {
      display.show(BallScreen(state, name: Self.ballName), at: now)
      if state.isAnswerNew { display.wake(at: now) }
      display.advance(to: now, on: &bus)
    }

    mutating func takePartChange() -> PartChange? {
      display.takeEvent().flatMap { $0 == .found ? nil : PartChange(part: .display, event: $0) }
    }

    func write(_ error: PartError, of part: BoardPart, to writer: inout ByteWriter) {
      writer.write(
        text: "it does not answer at 0x3D of the first I2C controller. Check PB2 and PB3")
    }
  #endif

  // MARK: Bonds

  /// The bonds are only in RAM.
  var keepsBonds: Bool { false }

  // MARK: Output

  @inline(never)
  mutating func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    withInterruptsHeld { .taken(unsafe console.send(bytes, to: LM3S6965.uart0)) }
  }

  func writeRadioName(to writer: inout ByteWriter) {
    writer.write(text: "UART1")
  }

  func writeRadioError(to writer: inout ByteWriter) {
    writer.write(
      text: "Bytes of the controller were lost. Set it to 115,200 baud, 8N1. Check its wire")
  }
}
