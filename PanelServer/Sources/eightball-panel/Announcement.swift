import Glibc
import NIOCore

/// Prints the panel's address on stdout when it is ready, and notes about it on stderr.
struct Announcement {
  let options: PanelOptions
  let port: Int
  let secret: Secret

  func print() {
    if options.listen != nil {
      note(
        "Warning: the connection is not encrypted. Anyone with this address, or on this network, "
          + "can read questions, ask, and press the ball's buttons.")
    }
    note("Open this address in a browser. Control-C ends the panel.")
    for host in hosts {
      let address = "http://\(HostNames.bracketed(host)):\(port)/?token=\(secret.text)"
      printLine(address, to: STDOUT_FILENO)
    }
  }

  /// The hosts by which a browser reaches the panel.
  private var hosts: [String] {
    guard let listen = options.listen else { return [PanelOptions.loopback] }
    guard ["0.0.0.0", "::"].contains(listen) else { return [listen] }
    let devices = (try? System.enumerateDevices()) ?? []
    let addresses = devices.compactMap { $0.address }.filter { $0.protocol == .inet }
    let own = addresses.compactMap { $0.ipAddress }.filter { !$0.hasPrefix("127.") }
    return own.isEmpty ? [PanelOptions.loopback] : own
  }

  private func note(_ words: String) { printLine(words, to: STDERR_FILENO) }
}
