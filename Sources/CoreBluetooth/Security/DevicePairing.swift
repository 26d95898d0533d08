import BluetoothHost
import Dispatch
import Foundation

/// The owner of a device's Security Manager: asks the program, and reports to the central how links are
/// protected. The radio's thread alone uses it, but for `settings`.
final class DevicePairing: PairingDelegate {
  /// Has the radio's thread do something, if there is one.
  typealias Performer = @Sendable (@escaping @Sendable (Device, Instant) -> Void) -> Void

  /// How the device pairs: for any thread.
  let settings = Locked(CBPairing.automatic)
  /// Where programs are asked.
  static let queue = DispatchQueue(label: "CoreBluetooth pairing")

  private let central: DeviceCentral
  /// How an answer comes back to the radio's thread.
  var perform: Performer = { _ in }
  /// The number of the prompt that is open: an answer to another one is of no use any more.
  private var prompt = 0
  /// Whose prompts are open, and whose pairing ends next.
  private var peer: UUID?

  init(_ central: DeviceCentral) {
    self.central = central
  }

  /// What the Security Manager has to know of the settings.
  var policy: PairingPolicy {
    let settings = settings.withLock(\.self)
    return PairingPolicy(
      isOpen: settings.isOpen, ioCapability: settings.ability.ioCapability,
      authentication: settings.requiresUser ? .required : .wherePossible,
      confirmsJustWorks: settings.ask != nil)
  }

  // MARK: PairingDelegate

  func show(_ prompt: PairingPrompt, at index: Int) {
    self.prompt += 1
    let number = self.prompt
    guard let address = central.places[index]?.peer, let ask = settings.withLock(\.ask) else {
      return
    }
    let perform = perform
    let request = CBPairingRequest(peer: UUID(address), prompt: CBPairing.Prompt(prompt)) {
      answer in
      perform { device, now in
        device.answer(answer, to: number, at: index, at: now)
      }
    }
    Self.queue.async { ask(request) }
  }

  func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    prompt += 1
    central.pairingEnded(outcome, at: index)
    guard let address = central.places[index]?.peer, let ended = settings.withLock(\.ended) else {
      return
    }
    let identifier = UUID(address)
    let error = outcome.publicError
    Self.queue.async { ended(identifier, error) }
  }

  func securityChanged(to security: LinkSecurity, at index: Int) {
    central.needsUpdate = true
  }

  func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    central.encryptionFailed(reason, at: index)
  }

  /// Whether `number` is that of the prompt that is open.
  func isOpen(_ number: Int) -> Bool { number == prompt }
}

extension Device {
  /// The user has answered the prompt with this number.
  func answer(
    _ answer: CBPairingRequest.Answer, to number: Int, at index: Int, at now: Instant
  ) {
    guard pairing.isOpen(number) else { return }
    switch answer {
    case .confirmed(let isConfirmed): _ = host.security.confirm(isConfirmed, at: index, at: now)
    case .passkey(let passkey): _ = host.security.enterPasskey(passkey, at: index, at: now)
    }
  }

  /// The settings may have changed.
  func updatePolicy() {
    host.security.policy = pairing.policy
  }

  /// Drops the bond with a peer; links with it learn of that.
  func removeBond(_ peer: DeviceAddress) {
    guard let number = bonds.index(of: peer) else { return }
    host.security.removeBond(at: number)
  }
}

extension CBPairing.Ability {
  /// As pairing says it.
  fileprivate var ioCapability: IOCapability {
    switch self {
    case .none: .noInputNoOutput
    case .display: .displayOnly
    case .displayYesNo: .displayYesNo
    case .keyboard: .keyboardOnly
    case .keyboardDisplay: .keyboardDisplay
    }
  }
}

extension CBPairing.Prompt {
  /// As programs get it.
  fileprivate init(_ prompt: PairingPrompt) {
    self =
      switch prompt {
      case .confirmPairing: .confirm
      case .compareNumber(let number): .compare(sixDigits(number))
      case .showPasskey(let number): .showPasskey(sixDigits(number))
      case .enterPasskey: .enterPasskey
      }
  }
}

private func sixDigits(_ number: UInt32) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
}

extension PairingOutcome {
  /// Why it failed, in Apple's terms; `nil` if it did not.
  var publicError: (any Error)? {
    switch self {
    case .paired: nil
    case .failed, .refused: CBATTError(.insufficientAuthentication)
    case .timedOut: CBError(.encryptionTimedOut)
    case .linkLost: CBError(.peripheralDisconnected)
    case .encryptionFailed(let reason): reason.encryptionError
    }
  }
}
