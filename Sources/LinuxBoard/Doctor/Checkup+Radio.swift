import LinuxRadio
import LinuxSystem
import VirtualRadio

extension Checkup {
  /// The radio that was chosen, and whether it can be opened if it is none of the machine's own.
  var radioFindings: [Finding] {
    if let failure = machine.radioFailure {
      if failure.isInUse {
        // A ball that runs on what it was told to is no fault, and nobody else knows whose it is.
        let remedy = failure.remedy.map { "If not: \($0.prefix(1).lowercased())\($0.dropFirst())" }
        return [
          Finding(.note, "radio", "\(failure.reason), perhaps the ball itself", remedy: remedy)
        ]
      }
      return [Finding(.wrong, "radio", failure.reason, remedy: failure.remedy)]
    }
    let name = radio.name == .virtual ? "the virtual air" : "\(radio.name)"
    return [Finding(.ok, "radio", because(name, radio.reason))]
  }

  /// Each adapter, whether or not it is the one that was chosen.
  var adapterFindings: [Finding] {
    let adapters: [Adapter]
    switch machine.adapters {
    case .success(let list): adapters = list
    case .failure(let error):
      let failure = RadioError(radio.adapter ?? .adapter(0), error)
      return [trouble(failure, isWanted: radio.adapter != nil)]
    }
    var findings = adapters.map { finding($0) }
    if case .adapter(let number) = radio.name, !adapters.contains(where: { $0.number == number }) {
      let missing = SystemError(.noSuchDevice, "find", "hci\(number)")
      findings.append(trouble(RadioError(radio.name, missing), isWanted: true))
    } else if adapters.isEmpty {
      findings.append(
        Finding(
          .note, "adapter", Adapter.nonePhrase, remedy: "For phones to find a ball, plug one in"))
    }
    return findings
  }

  /// What this program may do.
  var permissionFinding: Finding {
    let subject = "permission"
    if machine.mayConfigureAdapters {
      return Finding(.ok, subject, "this program may configure adapters (CAP_NET_ADMIN)")
    }
    guard let first = (try? machine.adapters.get())?.first else {
      return Finding(.ok, subject, "none is needed without an adapter")
    }
    if isServiceRunning {
      return Finding(
        .ok, subject, "this program may not configure adapters, but \(machine.service.name) may")
    }
    let name = radio.adapter.map { "\($0)" } ?? first.name
    let isWanted = radio.adapter != nil || radio.name == .virtual && radio.isUsual
    var finding = trouble(RadioError(name, .notPermitted), isWanted: isWanted)
    finding.subject = subject
    return finding
  }

  /// The system's own Bluetooth.
  var daemonFinding: Finding {
    guard let process = machine.bluetoothd else {
      return Finding(.ok, "bluetoothd", "it does not run, and is not needed")
    }
    return Finding(
      .ok, "bluetoothd",
      "it runs (process \(process.number)), and does without an adapter while a ball has it")
  }

  private func finding(_ adapter: Adapter) -> Finding {
    guard let obstacle = adapter.obstacle(mayConfigure: true) else {
      let state =
        adapter.isUp
        ? "up: the system has it, and gives it up when a ball wants it" : "down, and free"
      return Finding(.ok, "adapter", "\(adapter.title) is \(state)")
    }
    guard obstacle == .held else {
      return trouble(RadioError(adapter.name, obstacle), isWanted: isWanted(adapter))
    }
    // Who holds it is known to root alone; but what else would the service do?
    let own = machine.holders.first { machine.service.processes.contains($0.number) }
    if own != nil || isServiceRunning && machine.holders.isEmpty {
      let process = own.map { " (process \($0.number))" } ?? ""
      return Finding(
        .ok, "adapter", "\(adapter.title) is held by \(machine.service.name)\(process)")
    }
    return trouble(
      RadioError(adapter.name, obstacle, holders: machine.holders), isWanted: isWanted(adapter))
  }

  /// Whether a ball would use this adapter, if it could.
  private func isWanted(_ adapter: Adapter) -> Bool {
    switch radio.name {
    case .adapter(let number): number == adapter.number
    case .virtual: radio.isUsual
    default: false
    }
  }

  private func trouble(_ error: RadioError, isWanted: Bool) -> Finding {
    Finding(isWanted ? .wrong : .note, "adapter", error.reason, remedy: error.remedy)
  }
}

extension Checkup.RadioChoice {
  /// The name, if it is an adapter's.
  var adapter: RadioName? {
    if case .adapter = name { name } else { nil }
  }
}

extension Adapter {
  /// What it is: "hci0 (00:AA:01:00:00:00, USB)".
  fileprivate var title: String {
    let facts = [address == .zero ? nil : address.text, busName]
    let known = facts.compactMap { $0 }.joined(separator: ", ")
    return known.isEmpty ? name : "\(name) (\(known))"
  }

  /// What it is plugged into, as the kernel numbers it in include/net/bluetooth/hci.h; `nil` for
  /// what has no name here.
  private var busName: String? {
    switch bus {
    case 0: "virtual"
    case 1: "USB"
    case 2: "PC card"
    case 3: "UART"
    case 4: "RS-232"
    case 5: "PCI"
    case 6: "SDIO"
    case 7: "SPI"
    case 8: "I2C"
    default: nil
    }
  }
}
