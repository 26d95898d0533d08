import BallRunner
import BluetoothHost
import LinuxRadio

/// Prints what happens at a peripheral: a line for people, or an object for programs.
struct PeripheralPrinter {
  let isJSON: Bool
  /// Prints a line.
  let print: (String) -> Void
  /// Writes what the output takes.
  let flush: () -> Void
  private var isAdvertising = false

  init(isJSON: Bool, print: @escaping (String) -> Void, flush: @escaping () -> Void = {}) {
    self.isJSON = isJSON
    self.print = print
    self.flush = flush
  }

  /// The line about lines that were dropped.
  static func loss(of count: Int, isJSON: Bool) -> String {
    guard isJSON else { return "(\(count) lines dropped: output was not read.)" }
    var line = JSONLine(event: "unread")
    line.add("count", count)
    return line.text
  }

  /// The program begins.
  func begins(_ radio: ChosenRadio) {
    if !isJSON { print(radio.sentence) }
  }

  /// The radio was lost. The program opens it again.
  mutating func lost(_ error: RadioError) {
    isAdvertising = false
    let detail = sentence(error.description)
    guard isJSON else { return print("Radio lost: \(detail)") }
    var line = JSONLine(event: "radio")
    line.add("state", "lost")
    line.add("detail", detail)
    print(line.text)
  }

  /// A central pairs, and its user needs this number.
  func asks(_ prompt: PairingPrompt) {
    guard case .showPasskey(let number) = prompt else { return }
    let digits = sixDigits(number)
    guard isJSON else { return print("Enter at the central: \(digits).") }
    var line = JSONLine(event: "prompt")
    line.add("kind", "passkey")
    line.add("number", digits)
    print(line.text)
  }

  /// A pairing has ended.
  func paired(_ outcome: PairingOutcome) {
    guard case .paired = outcome else {
      guard isJSON else { return print("Not paired.") }
      var line = JSONLine(event: "pairing")
      line.add("state", "failed")
      return print(line.text)
    }
    print(isJSON ? JSONLine(event: "paired").text : "Paired.")
  }

  /// Prints an event of a peripheral with this address.
  mutating func print(
    _ event: PeripheralEvent, of peripheral: PeripheralDescription, at address: DeviceAddress
  ) {
    switch event {
    case .radio(let state): radioChanged(to: state, peripheral, address)
    case .connected(let central): say("connected", central, "Connected: \(central.text).")
    case .disconnected(let central, let reason):
      let ending = String(writing: { reason.writeEnding(to: &$0) })
      say(
        "disconnected", central, "Disconnected: \(central.text), \(ending).", reason: ending,
        code: Int(reason.rawValue))
    case .read(let central, let label, let bytes):
      say("read", central, "Read: \(label) is \(Self.shown(bytes)).", label, bytes)
    case .written(let central, let label, let bytes, let error):
      let result = error.map { ", refused with error \(byteText($0))" } ?? ""
      say(
        "written", central, "Written: \(label) to \(Self.shown(bytes))\(result).", label, bytes,
        error: error)
    case .subscribed(let central, let label, let configuration):
      let isOn = configuration != .none
      say(
        "subscribed", central, "\(isOn ? "Subscribed" : "Unsubscribed"): \(label).", label,
        isOn: isOn)
    case .sent(let central, let label, let bytes, let isIndication):
      say(
        isIndication ? "indicated" : "notified", central,
        "\(isIndication ? "Indicated" : "Notified"): \(label) is \(Self.shown(bytes)).", label,
        bytes)
    case .refused(let central, let label, let error):
      say(
        "refused", central, "Refused: \(label), with error \(byteText(error)).", label, error: error
      )
    case .dropped(let central): say("dropped", central, "Dropped: \(central.text).")
    case .differed(let central, let difference): differed(central, difference)
    case .unbroadcast(let label):
      say(
        "unbroadcast", nil,
        "Not broadcast: \(label) is too long for “periodic”, which keeps its last value.", label)
    case .vanished:
      say("vanished", nil, "Vanished: the peripheral is silent until the program ends.")
    }
  }

  private mutating func radioChanged(
    to state: RadioState, _ peripheral: PeripheralDescription, _ address: DeviceAddress
  ) {
    switch state {
    case .advertising:
      // It advertises again after each connection, which needs no line.
      guard !isAdvertising else { return }
      isAdvertising = true
      guard isJSON else {
        return print("Advertising as “\(printable(peripheral.name))” (\(address.text)).")
      }
      var line = JSONLine(event: "advertising")
      line.add("name", peripheral.name)
      line.add("address", address)
      print(line.text)
    case .fault(let error) where error != .lost: lost(RadioError(error.text))
    default: break
    }
  }

  /// Prints `text` for people, or an event with the members that are not `nil`.
  @inline(never)
  private func say(
    _ event: StaticString, _ central: DeviceAddress?, _ text: String, _ label: String? = nil,
    _ bytes: [UInt8]? = nil, reason: String? = nil, code: Int? = nil, error: UInt8? = nil,
    isOn: Bool? = nil
  ) {
    guard isJSON else { return print(text) }
    var line = JSONLine(event: event)
    line.add("central", central)
    line.add("characteristic", label)
    line.add("value", bytes.map { hexadecimalText($0, separator: "") })
    line.add("reason", reason)
    line.add("code", code)
    line.add("error", error.map(Int.init))
    if let isOn { line.add("on", isOn) }
    print(line.text)
  }

  /// `00 48`, `54 2D 31 (“T-1”)` or `empty`.
  private static func shown(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "empty" }
    let text = hexadecimalText(bytes)
    guard case .text(let words) = ValueField(readable: bytes) else { return text }
    return "\(text) (“\(printable(words))”)"
  }
}

// What a replay prints.
extension PeripheralPrinter {
  /// A central did otherwise than in the session.
  private func differed(_ central: DeviceAddress, _ difference: SessionDifference) {
    guard isJSON else {
      let more = difference.missing > 1 ? ", and \(difference.missing - 1) more" : ""
      return print(
        "Otherwise: " + printable(difference.did) + "; in the session: "
          + printable(difference.expected ?? "nothing more") + more + ".")
    }
    var line = JSONLine(event: "differed")
    line.add("central", central)
    line.add("kind", difference.kind.rawValue)
    line.add("did", difference.did)
    line.add("expected", difference.expected)
    if difference.missing > 0 { line.add("missing", difference.missing) }
    print(line.text)
  }

  /// A session was replayed.
  func replayed(_ script: SessionScript) {
    let counts = script.counts
    guard isJSON else {
      return print(
        "Replayed: \(counts.same) as in the session, \(counts.different) otherwise, "
          + "\(counts.missing) missing.")
    }
    var line = JSONLine(event: "replayed")
    line.add("same", counts.same)
    line.add("different", counts.different)
    line.add("missing", counts.missing)
    print(line.text)
  }
}
