import Linux
import LinuxRadio
import VirtualRadio

extension Checkup {
  /// The chosen radio, and whether it can be opened if it is not an adapter.
  ///
  /// - Parameter adapters: The findings about the adapters. Only those about the chosen radio can be wrong.
  func radioFindings(besides adapters: [Finding]) -> [Finding] {
    if let failure = machine.radioError {
      if failure.isInUse {
        // Not an error: the other program may be the ball itself.
        let remedy = failure.remedy.map { "If not: \($0.prefix(1).lowercased())\($0.dropFirst())" }
        return [
          Finding(.note, "radio", "\(failure.reason), perhaps the ball itself", remedy: remedy)
        ]
      }
      return [Finding(.wrong, "radio", failure.reason, remedy: failure.remedy)]
    }
    let name = radio.name == .virtual ? "the virtual air" : "\(radio.name)"
    let isUsable = !adapters.contains { $0.verdict == .wrong }
    return [Finding(isUsable ? .ok : .note, "radio", because(name, radio.reason))]
  }

  /// Each adapter, chosen or not.
  var adapterFindings: [Finding] {
    let adapters: [Adapter]
    switch machine.adapters {
    case .success(let list): adapters = list
    case .failure(let error):
      let failure = RadioError(radio.adapter ?? .adapter(0), error)
      return [finding(failure, isWanted: radio.adapter != nil)]
    }
    var findings = adapters.map { finding($0) }
    if case .adapter(let number) = radio.name.way,
      !adapters.contains(where: { $0.number == number })
    {
      let missing = SystemError(.noSuchDevice, "find", "hci\(number)")
      findings.append(finding(RadioError(radio.name, missing), isWanted: true))
    } else if adapters.isEmpty {
      findings.append(
        Finding(
          .note, "adapter", Adapter.nonePhrase, remedy: "Plug one in so that phones find the ball"))
    }
    return findings
  }

  /// Whether this program may use adapters.
  var permissionFinding: Finding {
    let subject = "permission"
    if radio.name.isBesideDaemon {
      return Finding(.ok, subject, "not needed: bluetoothd drives the adapter")
    }
    if machine.mayConfigureAdapters {
      return Finding(.ok, subject, "this program may configure adapters (CAP_NET_ADMIN)")
    }
    guard let first = (try? machine.adapters.get())?.first else {
      return Finding(.ok, subject, "not needed without an adapter")
    }
    if isServiceRunning {
      return Finding(
        .ok, subject, "this program may not configure adapters, but \(machine.service.name) may")
    }
    let name = radio.adapter.map { "\($0)" } ?? first.name
    let isWanted = radio.adapter != nil || radio.name == .virtual && radio.isDefault
    var finding = finding(RadioError(name, .notPermitted), isWanted: isWanted)
    finding.subject = subject
    if machine.bluetoothd != nil, let remedy = finding.remedy {
      finding.remedy = "\(remedy); or share the adapter with bluetoothd: --radio bluez:\(name)"
    }
    return finding
  }

  /// The system's Bluetooth service, and whether a ball should take an adapter from it or share the adapter.
  var daemonFinding: Finding {
    let subject = "bluetoothd"
    guard let process = machine.bluetoothd else {
      if radio.name.isBesideDaemon {
        return Finding(.note, subject, "it does not run, and \(radio.name) needs it")
      }
      return Finding(.ok, subject, "it does not run, and is not needed")
    }
    let head = "it runs (process \(process.number)), and"
    switch radio.name.way {
    case .bluez(let number) where machine.readsBatteries:
      return Finding(
        .note, subject,
        "\(head) shares hci\(number); its battery plugin makes iPhones ask their users to pair",
        remedy:
          "Leave that plugin out: sudo systemctl edit bluetooth, and add -P battery to ExecStart")
    case .bluez(let number): return Finding(.ok, subject, "\(head) shares hci\(number)")
    case .adapter(let number):
      guard let count = machine.connections[number] else { break }
      return Finding(
        .note, subject,
        "\(head) hci\(number) has \(count == 1 ? "a connection" : "\(count) connections"), which "
          + "\(count == 1 ? "ends" : "end") when a ball takes the adapter",
        remedy: "To keep what is connected, share the adapter: --radio bluez:hci\(number)")
    default: break
    }
    return Finding(.ok, subject, "\(head) works without an adapter while a ball uses it")
  }

  private func finding(_ adapter: Adapter) -> Finding {
    guard let error = adapter.useError(mayConfigure: true) else {
      let state =
        adapter.isUp
        ? "up: the system has it, and releases it for a ball" : "down, and free"
      return Finding(.ok, "adapter", "\(adapter.title) is \(state)")
    }
    guard error == .held else {
      return finding(RadioError(adapter.name, error), isWanted: isWanted(adapter))
    }
    // Only root sees who holds it; if the service runs, it is assumed to be the holder.
    let own = machine.holders.first { machine.service.processes.contains($0.number) }
    if own != nil || isServiceRunning && machine.holders.isEmpty {
      let process = own.map { " (process \($0.number))" } ?? ""
      return Finding(
        .ok, "adapter", "\(adapter.title) is held by \(machine.service.name)\(process)")
    }
    return finding(
      RadioError(adapter.name, error, holders: machine.holders), isWanted: isWanted(adapter))
  }

  /// Whether a ball would use this adapter.
  private func isWanted(_ adapter: Adapter) -> Bool {
    switch radio.name.way {
    case .adapter(let number): number == adapter.number
    case .virtual: radio.isDefault
    default: false
    }
  }

  private func finding(_ error: RadioError, isWanted: Bool) -> Finding {
    Finding(isWanted ? .wrong : .note, "adapter", error.reason, remedy: error.remedy)
  }
}

extension Checkup.CheckedRadio {
  /// The name, if it is an adapter's.
  var adapter: RadioAddress? {
    if case .adapter = name.way { name } else { nil }
  }
}

extension Adapter {
  /// Such as "hci0 (00:AA:01:00:00:00, USB)".
  fileprivate var title: String {
    let facts = [hasAddress ? publicAddress.text : nil, busName]
    let known = facts.compactMap { $0 }.joined(separator: ", ")
    return known.isEmpty ? name : "\(name) (\(known))"
  }

  /// The bus that it is on, as the kernel numbers them in include/net/bluetooth/hci.h; `nil` for
  /// other numbers.
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
