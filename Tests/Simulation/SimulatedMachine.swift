import BallRunner
import BluetoothHost
import EightBall
import Linux
import VirtualBoard

/// The machine of a simulated ball: a clock that jumps, the bytes of a controller, the virtual board, an output with
/// readers that stop, and a disk. What the machine does not lose with its program stays here.
final class SimulatedMachine: Port {
  typealias Sets = AdvertisingSets<1, 245>
  typealias Metrics = BallMetricStore<2>

  var now = Instant(rawValue: 0)
  var endRequests = 0
  let watch: BallWatch
  private var random: SplitMix64

  init(_ watch: BallWatch, isSerial: Bool, seed: UInt64) {
    self.watch = watch
    isPacketwise = !isSerial
    random = SplitMix64(seed: seed)
  }

  func advance(to now: Instant) { lines.advance(to: now) }
  var deadline: Instant? { Instant.earlier(lines.deadline, confirmationTime) }
  func answerChanged(to answer: Answer?) { if answer == nil { watch.clear() } }
  // The simulation waits.
  func wait(until deadline: Instant?) -> Bool { false }

  // MARK: The radio

  let isPacketwise: Bool
  /// Whether the controller is there. One that was away has to be opened again.
  var hasRadio = true { didSet { if !hasRadio { isRadioLost = true } } }
  private var isRadioLost = false
  /// Called when the program opens or closes the radio: the kernel resets the controller.
  var resetRadio: () -> Void = {}
  private(set) var isRadioOpen = false
  /// The bytes for the host, the packets' lengths, and how much of both was read.
  private var incoming: [UInt8] = []
  private var lengths: [Int] = []
  private var readBytes = 0
  private var readPackets = 0
  /// The packets for the controller, and how many it has taken.
  private var outgoing: [[UInt8]] = []
  private var takenPackets = 0
  private var stream = H4StreamDecoder<1_100>()

  /// Whether packets wait for the host, or the host must see that the radio is gone.
  var hasInput: Bool { isRadioOpen && (readBytes < incoming.count || isRadioLost) }

  /// Takes a packet for the host.
  func receive(_ packet: Span<UInt8>) {
    guard isRadioOpen, !isRadioLost else { return }
    unsafe packet.withUnsafeBufferPointer { unsafe incoming.append(contentsOf: $0) }
    lengths.append(packet.count)
  }

  /// The next packet for the controller.
  func nextPacket(into writer: inout ByteWriter) -> Bool {
    guard takenPackets < outgoing.count else { return false }
    let packet = outgoing[takenPackets]
    writer.write(packet.span)
    takenPackets += 1
    if takenPackets == outgoing.count {
      outgoing.removeAll(keepingCapacity: true)
      takenPackets = 0
    }
    return true
  }

  func openRadio(at now: Instant) -> RadioOpening {
    guard hasRadio else { return .failed }
    resetRadio()
    isRadioOpen = true
    isRadioLost = false
    return .opened
  }

  func closeRadio() {
    isRadioOpen = false
    if hasRadio { resetRadio() }
    clearIncoming()
    outgoing.removeAll(keepingCapacity: true)
    takenPackets = 0
    stream.reset()
  }

  private func clearIncoming() {
    incoming.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    readBytes = 0
    readPackets = 0
  }

  func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard !isRadioLost else { return .closed }
    guard readBytes < incoming.count else { return .nothing }
    var count = incoming.count - readBytes
    if isPacketwise {
      count = lengths[readPackets]
      readPackets += 1
    } else if random.next() % 4 == 0 {
      count = 1 + Int(random.next() % UInt64(count))
    }
    count = min(count, space.count)
    for index in 0..<count { space[index] = incoming[readBytes + index] }
    readBytes += count
    if readBytes == incoming.count { clearIncoming() }
    return .bytes(count)
  }

  func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite {
    guard !isRadioLost else { return .failed }
    guard !isPacketwise else {
      outgoing.append(Array(copying: bytes))
      return .taken(bytes.count)
    }
    Self.split(bytes, &stream, into: &outgoing)
    return .taken(bytes.count)
  }

  private static func split(
    _ bytes: Span<UInt8>, _ stream: inout H4StreamDecoder<1_100>, into packets: inout [[UInt8]]
  ) {
    var reader = ByteReader(bytes)
    while reader.count > 0 {
      if case .packet(let packet) = stream.next(from: &reader) {
        packets.append(Array(copying: packet))
      }
    }
  }

  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) { watch.note(packet, direction) }

  func writeRadioName(to writer: inout ByteWriter) { writer.write(text: "hci0") }
  func writeRadioError(to writer: inout ByteWriter) { writer.write(text: "it was unplugged") }

  // MARK: The board

  let lines = VirtualLines(.simulated)
  private(set) var areLinesOpen = false

  var hasPanel: Bool { true }
  func openLines() -> Bool {
    areLinesOpen = lines.openLines()
    return areLinesOpen
  }
  func closeLines() {
    areLinesOpen = false
    lines.closeLines()
  }
  func debounce(of button: ButtonName) -> UInt32 { lines.debounce(of: button) }
  func contact(of button: ButtonName) -> ContactRead { lines.contact(of: button) }
  func nextEdge() -> EdgeRead { lines.nextEdge() }
  func listen(toEdges isListening: Bool) {}
  func set(_ light: LightName, isLit: Bool) -> Bool { lines.set(light, isLit: isLit) }
  func checkLines() -> Bool { lines.checkLines() }
  func takeLinesChange() -> LinesChange { lines.takeLinesChange() }
  func writeLinesError(to writer: inout ByteWriter) { lines.writeLinesError(to: &writer) }

  // MARK: The output

  /// Until when nothing reads the output.
  var blockEnd = Instant(rawValue: 0)

  func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    if now < blockEnd { return .taken(0) }
    watch.checkOutput(bytes)
    return .taken(bytes.count)
  }

  // MARK: Bonds and their user

  let disk = SimulatedDisk()
  private var bonds = PortBonds(at: Span())
  private var confirmationTime: Instant?

  /// A new process: opens the file of bonds.
  func start(into table: inout BondTable<16>, keepsBonds: Bool) -> LocalIdentity? {
    disk.endProcess()
    endRequests = 0
    confirmationTime = nil
    let path = Array(SimulatedDisk.bondsPath.utf8)
    bonds = PortBonds(at: path.span)
    guard keepsBonds else { return nil }
    let works = disk.failure == .none
    let identity = disk.use { bonds.open(into: &table) }
    // Nothing but a failing disk is a reason for a notice.
    if works, !disk.isOff, bonds.hasNotice { watch.report("the file of bonds cannot be used") }
    return identity
  }

  var keepsBonds: Bool { bonds.isInUse }

  func keepBonds(_ file: Span<UInt8>) -> Bool {
    let file = Array(copying: file)
    let isKept = disk.use { bonds.keep(file.span) }
    watch.kept(file, on: disk, isKept: isKept)
    return isKept
  }

  func writeBondsError(to writer: inout ByteWriter) { bonds.writeError(to: &writer) }

  /// The user says yes after half a second.
  func questionChanged(to question: PairingPrompt?) {
    if question == nil {
      confirmationTime = nil
    } else if confirmationTime == nil {
      confirmationTime = now.advanced(by: 500)
    }
  }

  func takeConfirmation() -> Bool? {
    guard let time = confirmationTime, time <= now else { return nil }
    confirmationTime = nil
    return true
  }
}

extension Array<UInt8> {
  /// The bytes of a span.
  init(copying span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// Whether it has these bytes.
  func isEqual(to bytes: [UInt8]) -> Bool {
    guard count == bytes.count else { return false }
    for index in indices where self[index] != bytes[index] { return false }
    return true
  }
}

extension BoardDescription {
  /// Two buttons and two lights.
  fileprivate static var simulated: BoardDescription {
    BoardDescription(
      name: "simulated", chip: virtualChip, shake: .simulated("GPIO0", 0),
      clear: .simulated("GPIO1", 1), status: .simulated("GPIO2", 2),
      answer: .simulated("GPIO3", 3))
  }
}

extension LineDescription {
  fileprivate static func simulated(_ name: LineName, _ offset: Int) -> LineDescription {
    let isButton = offset < 2
    return LineDescription(
      name: name, offset: offset, activeLow: isButton, bias: isButton ? .pullUp : .none,
      debounceMilliseconds: isButton ? 20 : 0)
  }
}
