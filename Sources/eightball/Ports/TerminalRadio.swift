import BallRunner
import BluetoothHost
import Glibc
import LinuxAir
import LinuxPort
import LinuxRadio
import LinuxSystem

/// The radios that `LinuxPort` cannot open alone: the virtual air, which this program may host, and
/// hosts by name, which are looked up on another thread. It gives the port their descriptors.
struct TerminalRadio: ~Copyable {
  /// The name as the user gave it.
  let name: RadioAddress

  private let loop: EventLoop
  /// The virtual air; `nil` for any other radio.
  private let air: SharedAir?
  private var connecting = TCPOpening<FileDescriptor>()
  private var listening = TCPOpening<StreamListener>()
  /// Whether the port has the listener of a host by name.
  private var isListening = false
  /// Why the last opening failed here; `nil` if the port knows why.
  private(set) var failure: RadioError?

  /// A radio that is not open. Lookups and a hosted air run in `loop`.
  init(_ name: RadioAddress, loop: EventLoop) {
    self.name = name
    self.loop = loop
    air = name == .virtual ? SharedAir(loop: loop) : nil
  }

  /// The radio for the port.
  var address: RadioAddress { air.map { .unix(path: $0.path) } ?? name }

  /// When the radio must be opened again, or time must pass on a hosted air; `nil` to wait for a
  /// descriptor.
  var deadline: Instant? {
    .earlier(.earlier(connecting.deadline, listening.deadline), air?.server?.deadline)
  }

  /// Advances the air to `now`, if this program hosts it.
  func advance(to now: Instant) { air?.server?.advance(to: now) }

  /// Opens the radio on `port`.
  mutating func open(on port: inout LinuxPort, at now: Instant) -> RadioOpening {
    failure = nil
    do throws(SystemError) {
      switch name.way {
      case .virtual:
        return try join(port: &port, at: now)
      case .tcpClient(let number) where name.needsLookup:
        let connection = try connecting.result(of: name.place, number, loop: loop, at: now) {
          (host, port) throws(SystemError) in try StreamSocket.connect(host: host, port: port)
        }
        switch connection {
        case nil: return .pending
        case let connection?: return port.openRadio(on: try Self.copy(connection))
        }
      case .tcpServer(let number) where name.needsLookup && !isListening:
        let listener = try listening.result(of: name.place, number, loop: loop, at: now) {
          (host, port) throws(SystemError) in try StreamListener(host: host, port: port)
        }
        switch listener {
        case nil: return .pending
        case let listener?:
          port.listen(for: try Self.copy(listener.descriptor))
          isListening = true
          return port.openRadio(at: now)
        }
      default:
        return port.openRadio(at: now)
      }
    } catch {
      failure = RadioError(name, error)
      return .failed
    }
  }

  /// Joins the air, and hosts it if no program does.
  private func join(
    port: inout LinuxPort, at now: Instant
  ) throws(SystemError) -> RadioOpening {
    for attempt in 1... {
      let result = port.openRadio(at: now)
      guard case .failed = result, let failure = port.radioFailure else { return result }
      guard let air, failure.isAbsence, attempt < 10 else {
        throw SystemError(failure, of: address)
      }
      try air.host(afterAttempt: attempt)
    }
    return .failed
  }

  /// Stops looking up a host, and hosting an air.
  mutating func close() {
    connecting.abandon()
    listening.abandon()
    air?.close()
  }

  /// A descriptor for the port, which closes it.
  private static func copy(_ descriptor: borrowing FileDescriptor) throws(SystemError) -> CInt {
    let number = descriptor.rawValue
    return try SystemCall.run("use", descriptor.name) { fcntl(number, F_DUPFD_CLOEXEC, 0) }
  }
}
