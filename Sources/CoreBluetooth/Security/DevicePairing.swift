import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio

/// The delegate of a device's Security Manager: asks the program, and reports the security of links
/// to the central. Only the radio's thread uses it, apart from `settings`.
final class DevicePairing: PairingDelegate {
  /// Runs a function on the radio's thread, if there is one.
  typealias Performer = @Sendable (@escaping @Sendable (LocalDevice) -> Void) -> Void

  /// How the device pairs: for any thread.
  let settings = Locked(CBPairing.automatic)
  /// The queue on which programs are asked.
  static let queue = DispatchQueue(label: "CoreBluetooth pairing")

  private let central: CentralEngine
  /// How an answer comes back to the radio's thread.
  var perform: Performer = { _ in }
  /// How the program is called.
  var calls = DelegateCalls()
  /// The number of the open prompt. An answer to any other is ignored.
  private var prompt = 0
  /// The peer of the open prompts, whose pairing ends next.
  private var peer: UUID?

  init(_ central: CentralEngine) { self.central = central }

  /// The settings as the Security Manager's policy.
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
    guard let address = central.connections[index]?.peer, let ask = settings.withLock(\.ask) else {
      return
    }
    let perform = perform
    let request = CBPairingRequest(peer: UUID(address), prompt: CBPairing.Prompt(prompt)) {
      answer in perform { $0.answer(answer, to: number, at: index) }
    }
    calls.add(on: Self.queue) { ask(request) }
  }

  func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    prompt += 1
    central.pairingEnded(outcome, at: index)
    guard let address = central.connections[index]?.peer, let ended = settings.withLock(\.ended)
    else { return }
    let identifier = UUID(address)
    let error = outcome.publicError
    calls.add(on: Self.queue) { ended(identifier, error) }
  }

  func securityChanged(to security: LinkSecurity, at index: Int) { central.needsUpdate = true }

  func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    central.encryptionFailed(reason, at: index)
  }

  /// Whether the prompt with this number is open.
  func isOpen(_ number: Int) -> Bool { number == prompt }
}

extension LocalDevice {
  /// The user has answered the prompt with this number.
  func answer(_ answer: CBPairingRequest.Answer, to number: Int, at index: Int) {
    guard pairing.isOpen(number) else { return }
    switch answer {
    case .confirmed(let isConfirmed): _ = host.security.confirm(isConfirmed, at: index, at: now)
    case .passkey(let passkey): _ = host.security.enterPasskey(passkey, at: index, at: now)
    }
  }

  /// The settings may have changed.
  func updatePolicy() { host.security.policy = pairing.policy }

  func removeBond(_ peer: DeviceAddress) {
    guard let number = bonds.index(of: peer) else { return }
    host.security.removeBond(at: number)
  }
}

extension CBPairing.Ability {
  /// The same for the Security Manager.
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
  /// The Security Manager's prompt for programs.
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

extension PairingOutcome {
  /// Why it failed, in Apple's terms; `nil` for success.
  var publicError: (any Error)? {
    switch self {
    case .paired: nil
    case .failed, .noRoom, .refused: CBATTError(.insufficientAuthentication)
    case .timedOut: CBError(.encryptionTimedOut)
    case .linkLost: CBError(.peripheralDisconnected)
    case .encryptionFailed(let reason): reason.encryptionError
    }
  }
}
