import BluetoothHost

// The lines about the protection of links, without line ends. They are in the generic printer, so
// that a program without protection does not contain them.

extension BallPrinter {
  /// Writes the line for people; nothing for an event without one.
  @inline(never) static func writeWords(
    _ event: PairingEvent, of central: DeviceAddress?, to writer: inout ByteWriter
  ) {
    switch event {
    case .opened(let seconds):
      writer.write(text: "Pairing is open for ")
      writer.write(decimal: seconds)
      writer.write(text: " s")
    case .closed: writer.write(text: "Pairing is closed")
    case .prompt(let prompt, _):
      #if !JUST_WORKS_ONLY
        return writePrompt(prompt, of: central, to: &writer)
      #endif
    case .paired(_, let identity, let security):
      writer.write(text: "Paired")
      write(" with ", central ?? identity, to: &writer)
      writer.write(
        text: security.contains(.authenticated)
          ? ", protected against a man in the middle" : ", without a check by a user")
    case .failed(_, let error):
      writer.write(text: "Not paired")
      write(" with ", central, to: &writer)
      writer.write(text: ": ")
      write(error, to: &writer)
    case .unencrypted:
      writer.write(text: "Not encrypted: ")
      write("", central, to: &writer)
      writer.write(text: " has another key, or none")
    case .forgotten(let count):
      writer.write(text: "Clear was held: ")
      writer.write(decimal: count)
      writer.write(text: count == 1 ? " bond is forgotten" : " bonds are forgotten")
    }
    writer.write(UInt8(ascii: "."))
  }

  private static func write(
    _ text: StaticString, _ address: DeviceAddress?, to writer: inout ByteWriter
  ) {
    guard let address else { return }
    writer.write(text: text)
    writer.write(address)
  }

  private static func writePrompt(
    _ prompt: PairingPrompt, of central: DeviceAddress?, to writer: inout ByteWriter
  ) {
    write("", central, to: &writer)
    writer.write(text: " wants to pair. ")
    switch prompt {
    case .compareNumber(let number):
      writer.write(text: "Does it show ")
      writer.write(sixDigits: number)
      writer.write(text: "? Press y or n.")
    case .showPasskey(let number):
      writer.write(text: "Enter there: ")
      writer.write(sixDigits: number)
      writer.write(UInt8(ascii: "."))
    case .confirmPairing: writer.write(text: "Press y or n.")
    // The ball has no digit keys, and its IO capabilities say so: this prompt never comes.
    case .enterPasskey: break
    }
  }

  /// Writes the object for programs.
  @inline(never) static func writeJSON(
    _ event: PairingEvent, of central: DeviceAddress?, to writer: inout ByteWriter
  ) {
    switch event {
    case .opened(let seconds):
      writer.beginJSON("pairing")
      writer.add("state", plain: "open")
      writer.add("seconds", seconds)
    case .closed:
      writer.beginJSON("pairing")
      writer.add("state", plain: "closed")
    case .prompt(let prompt, _):
      #if !JUST_WORKS_ONLY
        writer.beginJSON("prompt", central)
        writeKind(of: prompt, to: &writer)
      #endif
    case .paired(_, let identity, let security):
      writer.beginJSON("paired", central)
      if let identity { writer.add("identity", identity) }
      writer.add("authenticated", security.contains(.authenticated))
      writer.add("secureConnections", security.contains(.secureConnections))
    case .failed(_, let error):
      writer.beginJSON("pairing")
      writer.add("state", plain: "failed")
      if let central { writer.add("central", central) }
      writer.beginText("reason")
      write(error, to: &writer)
      writer.endText()
    case .unencrypted: writer.beginJSON("unencrypted", central)
    case .forgotten(let count):
      writer.beginJSON("forgotten")
      writer.add("count", count)
    }
    writer.endJSON()
  }

  private static func writeKind(of prompt: PairingPrompt, to writer: inout ByteWriter) {
    switch prompt {
    case .compareNumber(let number):
      writer.add("kind", plain: "compare")
      addNumber(number, to: &writer)
    case .showPasskey(let number):
      writer.add("kind", plain: "passkey")
      addNumber(number, to: &writer)
    case .confirmPairing: writer.add("kind", plain: "confirm")
    case .enterPasskey: writer.add("kind", plain: "enter")
    }
  }

  private static func addNumber(_ number: UInt32, to writer: inout ByteWriter) {
    writer.beginText("number")
    writer.write(sixDigits: number)
    writer.endText()
  }

  /// Writes why a pairing has failed, to follow "Not paired: ", without a full stop.
  fileprivate static func write(_ error: PairingEventError, to writer: inout ByteWriter) {
    switch error {
    case .own(let reason):
      guard let words = ownWords(of: reason) ?? words(of: reason) else {
        writer.write(text: "reason 0x")
        return writer.write(hexadecimal: reason.rawValue)
      }
      writer.write(text: words)
    case .peer(let reason):
      writer.write(text: "the other side says: ")
      guard let words = words(of: reason) else {
        writer.write(text: "reason 0x")
        return writer.write(hexadecimal: reason.rawValue)
      }
      writer.write(text: words)
    case .noRoom: writer.write(text: "there is no room for its bond; remove another bond first")
    case .timeout: writer.write(text: "the other side said nothing for 30 s")
    case .linkLost: writer.write(text: "the connection was lost")
    case .encryption(let code):
      writer.write(text: "the radio could not encrypt, for HCI reason 0x")
      writer.write(hexadecimal: code.rawValue)
    }
  }

  /// The text when this device ends a pairing; `nil` if it is the same as the peer's.
  private static func ownWords(of reason: PairingError) -> StaticString? {
    switch reason {
    case .numericComparisonFailed: "the user said no"
    case .keyRejected: "it did not prove that it has its bond; remove the bond first"
    case .authenticationRequirements: "it cannot meet the required security"
    default: nil
    }
  }

  /// The text of a reason; `nil` for an unknown number. Core Specification, Vol 3, Part H, 3.5.5.
  private static func words(of reason: PairingError) -> StaticString? {
    switch reason {
    case .passkeyEntryFailed: "the passkey was not entered"
    case .oobNotAvailable: "there is no out-of-band data"
    case .authenticationRequirements: "this ball cannot meet its security requirements"
    case .confirmValueFailed: "the passkey was wrong, or there is a man in the middle"
    case .pairingNotSupported: "pairing is not supported now"
    case .encryptionKeySize: "the key would be too short"
    case .commandNotSupported: "a command is not supported"
    case .unspecifiedReason: "no reason is given"
    case .repeatedAttempts: "too many attempts; try again later"
    case .invalidParameters: "a value was out of its range"
    case .dhKeyCheckFailed: "the check of the keys failed"
    case .numericComparisonFailed: "the numbers differ"
    case .keyRejected: "the key was rejected"
    default: nil
    }
  }
}

extension PairingOutcome {
  /// Why the pairing failed, with a full stop; writes nothing if it succeeded.
  package func writeFailure(to writer: inout ByteWriter) {
    guard case .failed(_, let error) = PairingEvent(self, connectionIndex: 0) else { return }
    BallPrinter<1, 1>.write(error, to: &writer)
    writer.write(text: ".")
  }
}
