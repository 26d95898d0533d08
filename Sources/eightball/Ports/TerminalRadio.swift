import BallRunner
import BluetoothHost
import LinuxAir
import LinuxPort
import LinuxRadio

/// The radio of `eightball run`: the port's, at the address that the opener finds. The opener hosts the
/// virtual air, and looks up names of hosts.
struct TerminalRadio: ~Copyable {
  private var opener: RadioOpener
  /// Why the last opening failed; `nil` if the port knows why.
  private(set) var failure: RadioError?

  /// A radio that is not open. Lookups and a hosted air run in `loop`.
  init(_ name: RadioAddress, loop: EventLoop) {
    opener = RadioOpener(name, loop: loop, air: SharedAir(loop: loop))
  }

  /// The name as the user gave it.
  var name: RadioAddress { opener.name }

  /// The radio for the port.
  var address: RadioAddress { opener.shown }

  /// When the radio must be opened again, or time must pass on a hosted air; `nil` to wait for a
  /// descriptor.
  var deadline: Instant? { .earlier(opener.deadline, opener.air?.deadline) }

  /// Advances the air to `now`, if this program hosts it.
  func advance(to now: Instant) { opener.air?.advance(to: now) }

  /// Opens the radio on `port`.
  mutating func open(on port: inout LinuxPort, at now: Instant) -> RadioOpening {
    failure = nil
    do throws(SystemError) {
      return try opener.open(at: now) { address in
        if port.radioAddress != address { port.useRadio(address) }
        return (port.openRadio(at: now), port.radioError)
      }
    } catch {
      let isPorts = opener.air == nil && !opener.name.needsLookup
      failure = isPorts ? nil : RadioError(opener.name, error)
      return .failed
    }
  }

  /// The port has closed the radio.
  mutating func radioIsClosed() { opener.radioIsClosed() }

  /// Stops looking up a host, and hosting an air.
  mutating func close() {
    opener.close()
    opener.air?.close()
  }
}
