import BluetoothHost
import EightBall

/// Watches one ball from outside, and reports what must never happen: an answer that no question explains, bonds
/// between two states, a key in the output, lights that show something else.
final class BallWatch {
  /// Reports a violation.
  let report: (String) -> Void
  /// How often the ball was cleared while it showed an answer.
  private(set) var clears = 0
  /// When the last clear was possible. The watch does not see one that takes only a question.
  private var lastClear: Instant?
  /// At least as many shakes as there were, and when the last one was possible.
  private(set) var shakes = 0
  private(set) var lastShake = Instant(rawValue: 0)
  /// The shakes that the ball had taken when `lastShake` was set.
  private var earlierShakes = 0
  /// How long a ball that runs takes for a button, in milliseconds: its contact has to settle.
  private static let settleTime: UInt32 = 100

  init(_ report: @escaping (String) -> Void) { self.report = report }

  /// A button was touched that may shake or clear the ball up to `count` times. A program that stalls takes it at
  /// `stallEnd`.
  func expect(_ button: ButtonName, times count: Int, at now: Instant, stallEnd: Instant) {
    switch button {
    case .shake:
      earlierShakes = takenShakes(at: now)
      shakes += count
      lastShake = max(now, stallEnd)
    case .clear: lastClear = max(now, stallEnd)
    }
  }

  /// The program stalls: it takes the shakes and the clear that it has not taken later.
  func stall(at now: Instant, until end: Instant) {
    if takenShakes(at: now) < shakes { lastShake = max(lastShake, end) }
    if mayClear(after: now), let lastClear { self.lastClear = max(lastClear, end) }
  }

  /// Whether the ball may have been cleared after this time, or may still be.
  func mayClear(after time: Instant) -> Bool {
    lastClear.map { time < $0.advanced(by: Self.settleTime) } ?? false
  }

  /// The shakes that the ball has certainly taken. The others may still be answered, also on a new link.
  func takenShakes(at now: Instant) -> Int {
    now < lastShake.advanced(by: Self.settleTime) ? earlierShakes : shakes
  }

  // MARK: Packets

  /// The links with a write since the last clear.
  private var askers: Set<UInt16> = []
  /// The links of the writes, and of the notifications, of this turn.
  private var turnAskers: [UInt16] = []
  private var turnAnswers: [UInt16] = []

  func turnBegins() {
    turnAskers.removeAll(keepingCapacity: true)
    turnAnswers.removeAll(keepingCapacity: true)
  }

  /// A packet of the ball's host or for it: the first fragment of an ATT PDU counts.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    guard packet.count > 9, packet[0] == HCIPacketType.acl.rawValue, packet[2] & 0x10 == 0,
      packet[7] == 4, packet[8] == 0
    else { return }
    let link = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8
    switch (direction, ATTOpcode(rawValue: packet[9])) {
    case (.received, .writeRequest), (.received, .writeCommand), (.received, .executeWriteRequest):
      askers.insert(link)
      turnAskers.append(link)
    case (.sent, .handleValueNotification):
      turnAnswers.append(link)
      if !askers.contains(link) {
        report("the ball sent an answer on a link without a question, or after a clear")
      }
    default: break
    }
  }

  /// The ball was cleared at the beginning of this turn.
  func clear() {
    clears += 1
    askers = Set(turnAskers)
    if turnAnswers.contains(where: { !askers.contains($0) }) {
      report("the ball sent an answer after a clear")
    }
  }

  // MARK: Bonds

  private var keys: [[UInt8]] = []
  /// What may be in the file after a power cut; `nil` for no file.
  private var possibleBonds: [[UInt8]?] = [nil]

  /// The ball has written `file`, or tried to.
  func kept(_ file: [UInt8], on disk: SimulatedDisk, isKept: Bool) {
    learnKeys(of: file)
    if disk.isOff {
      possibleBonds.append(file)
    } else if isKept {
      possibleBonds = [file]
      if disk.bonds != file { report("bonds were kept, and are not in their file") }
    } else if !possibleBonds.contains(disk.bonds) {
      report("bonds could not be kept, and their file has changed")
    }
  }

  /// The power of the disk has returned, or the program has ended.
  func checkBonds(on disk: SimulatedDisk) {
    let bonds = disk.bonds
    if !possibleBonds.contains(bonds) {
      report("the file of bonds has neither the old bonds nor the new ones")
    }
    possibleBonds = [bonds]
  }

  private func learnKeys(of file: [UInt8]) {
    var table = BondTable<16>()
    let identity = try? BondFileFormat.read(file.span, into: &table)
    learn(identity?.identityResolvingKey)
    for index in 0..<table.count {
      learn(table.bond(at: index)?.longTermKey)
      learn(table.bond(at: index)?.identityResolvingKey)
    }
  }

  private func learn(_ key: Number128?) {
    guard let key, key != .zero else { return }
    var bytes = [UInt8](repeating: 0, count: 16)
    var writer = ByteWriter(bytes.mutableSpan)
    key.write(to: &writer)
    if !keys.contains(bytes) { keys += [bytes, bytes.reversed()] }
  }

  // MARK: Output

  /// Checks that no part of a key is in what the ball prints: eight bytes of it, in hexadecimal.
  func checkOutput(_ text: Span<UInt8>) {
    guard !keys.isEmpty else { return }
    var digits: [UInt8] = []
    for index in text.indices {
      if let digit = Self.hexadecimalDigit(text[index]) {
        digits.append(digit)
        if digits.count >= 16 { check(digits.suffix(16)) }
      } else if !digits.isEmpty, text[index] != UInt8(ascii: " "), text[index] != UInt8(ascii: ":")
      {
        digits.removeAll(keepingCapacity: true)
      }
    }
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private func check(_ digits: ArraySlice<UInt8>) {
    let start = digits.startIndex
    let bytes = (0..<8).map { digits[start + 2 * $0] << 4 | digits[start + 2 * $0 + 1] }
    for key in keys where (0...8).contains(where: { key[$0..<$0 + 8].elementsEqual(bytes) }) {
      report("the ball printed a part of a key")
    }
  }

  // MARK: Lights

  /// What the status light has to show.
  private enum Pattern: Equatable {
    case dark, lit
    /// It changes at least so often, in milliseconds.
    case blinking(UInt64)
  }

  private var pattern = Pattern.dark
  private var isStatusLit = false
  private var lastChange = Instant(rawValue: 0)
  private var lastAnswer: Instant?
  /// Whether the lines were lost, and the ball has yet to show its lights again.
  var areLinesLost = false
  private var counts: (answers: UInt64, refusals: UInt64) = (0, 0)
  /// Until when the lights are not checked: the program was late, or shows a refusal.
  var lightsCheckTime = Instant(rawValue: 0)

  /// The ball has new counts: a new program.
  func restartLights(at now: Instant) {
    counts = (0, 0)
    lastAnswer = nil
    lightsCheckTime = max(lightsCheckTime, now.advanced(by: 1_500))
    askers = []
  }

  /// Checks the lights at the end of a turn, by the time of the ball's machine.
  func checkLights(
    _ radio: RadioState, hasLinks: Bool, isPairingOpen: Bool, answers: UInt64, refusals: UInt64,
    lit: (status: Bool, answer: Bool)?, at now: Instant
  ) {
    if answers != counts.answers { lastAnswer = now }
    if refusals != counts.refusals { lightsCheckTime = max(lightsCheckTime, now.advanced(by: 700)) }
    counts = (answers, refusals)
    guard let lit else {
      areLinesLost = true
      return
    }
    if areLinesLost {
      areLinesLost = false
      lightsCheckTime = max(lightsCheckTime, now.advanced(by: 1_500))
    }
    let wanted: Pattern =
      switch radio {
      case .fault: .blinking(100)
      case _ where isPairingOpen: .blinking(400)
      case .starting: .dark
      case .silent, .advertising:
        hasLinks ? .lit : radio == .silent ? .dark : .blinking(1_000)
      }
    if lit.status != isStatusLit || wanted != pattern || now < lightsCheckTime { lastChange = now }
    (pattern, isStatusLit) = (wanted, lit.status)
    let isAnswering = lastAnswer.map { now < $0.advanced(by: 400) } ?? false
    guard now >= lightsCheckTime else { return }
    if lit.answer != isAnswering {
      report("the answer light is \(lit.answer ? "on" : "off") at \(now.rawValue) ms")
    }
    switch wanted {
    case .dark: if lit.status { report("the status light is on: \(radio)") }
    case .lit: if !lit.status { report("the status light is off: \(radio), with a connection") }
    case .blinking(let period):
      if now.rawValue - lastChange.rawValue > period {
        report("the status light has not changed for \(period) ms: \(radio)")
      }
    }
  }
}
