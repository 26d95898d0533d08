import BluetoothHost
import LinuxRadio

/// Prints the progress of a central: for people on stderr, for programs one object per line on
/// stdout.
struct CentralPrinter {
  /// Whether programs read the output.
  let isJSON: Bool
  /// What the search is for, such as "a ball".
  let sought: String
  /// What the peripheral is called, such as "ball".
  let noun: String
  /// Prints a result.
  var print: (String) -> Void = Terminal.print
  /// Prints progress or an error.
  var note: (String) -> Void = Terminal.note

  /// The search begins.
  func searches() {
    if !isJSON { note("Looking for \(sought)…") }
  }

  /// A peripheral was found.
  func found(_ device: NearbyDevice) {
    guard isJSON else {
      let heard = device.rssi.map { ", \(strength($0))" } ?? ""
      let name = device.name.map { "“\(printable($0))”" } ?? device.address.text
      return note("Found \(name)\(heard).")
    }
    var line = JSONLine(event: "found")
    line.add("name", device.name)
    line.add("address", device.address)
    line.add("rssi", device.rssi)
    print(line.text)
  }

  /// A peripheral is connected.
  func connected(_ device: NearbyDevice) {
    guard isJSON else { return }
    var line = JSONLine(event: "connected")
    line.add("address", device.address)
    print(line.text)
  }

  /// The user has to compare, enter or type a number.
  func asks(_ prompt: PairingPrompt) {
    switch prompt {
    case .compareNumber(let number):
      let digits = sixDigits(number)
      say("Does the \(noun) show \(digits)? Type y or n.", kind: "compare", digits)
    case .showPasskey(let number):
      let digits = sixDigits(number)
      say("Enter at the \(noun): \(digits).", kind: "passkey", digits)
    case .enterPasskey:
      say("Type the six digits that the \(noun) shows.", kind: "enter", nil)
    case .confirmPairing: return
    }
  }

  private func say(_ text: String, kind: String, _ number: String?) {
    guard isJSON else { return note(text) }
    var line = JSONLine(event: "prompt")
    line.add("kind", kind)
    line.add("number", number)
    print(line.text)
  }

  /// The program failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String) {
    printError(text, reason: reason, isJSON: isJSON, print: print, note: note)
  }
}
