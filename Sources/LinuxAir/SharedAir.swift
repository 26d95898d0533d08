import BluetoothHost
import Glibc
import Linux
import LinuxRadio
import VirtualRadio

/// This user's virtual air. The first program hosts it, later ones join it.
///
/// The hosting program connects to its own socket like the others. When it ends, the others lose
/// their radios, and the first one to reconnect hosts the air. A program joins no other user's air
/// except root's.
public final class SharedAir: AirHost {
  /// The default path of the air's socket: $EIGHTBALL_AIR; or in $XDG_RUNTIME_DIR; or in /tmp.
  public static var defaultPath: String {
    if let path = CurrentProcess.environment("EIGHTBALL_AIR") { return path }
    return String(writing: { UserSocket.writePath("eightball-air", to: &$0) })
  }

  /// The air, if this program hosts it.
  package private(set) var server: AirServer?

  /// The path of its socket.
  public let path: String
  private let loop: EventLoop
  private let maximumClients: Int
  private let ownClients: Int
  private let seed: UInt64
  private let faults: ConnectionFaults

  /// The air at `path`. If this program must host it, it does so in `loop`.
  ///
  /// - Parameters:
  ///   - maximumClients: How many radios it takes, if this program hosts it.
  ///   - ownClients: How many of them are this program's: each takes another open file.
  ///   - seed: Decides the random numbers and the faults, if this program hosts it.
  ///   - faults: Those of its connections, if this program hosts it.
  public init(
    path: String = SharedAir.defaultPath, loop: EventLoop,
    maximumClients: Int = AirServer.defaultMaximumClients, ownClients: Int = 0,
    seed: UInt64 = 0, faults: ConnectionFaults = ConnectionFaults()
  ) {
    self.path = path
    self.loop = loop
    self.maximumClients = maximumClients
    self.ownClients = ownClients
    self.seed = seed
    self.faults = faults
  }

  /// Hosts the air, for a program that found no host.
  ///
  /// - Parameter attempt: How often it has tried to join. Another program may begin or stop to host
  ///   the air at the same moment; that is an error only at the tenth attempt.
  public func host(afterAttempt attempt: Int) throws(SystemError) {
    do throws(SystemError) {
      try host()
    } catch {
      let isRace = error.code == .addressInUse || isAbsence(error.code)
      guard isRace, attempt < 9 else { throw error }
      poll(nil, 0, 5)
    }
  }

  /// When `advance(to:)` must be called next; `nil` to wait for packets, or if another program hosts
  /// the air.
  public var deadline: Instant? { server?.deadline }

  /// Sets the time of the air, if this program hosts it.
  public func advance(to now: Instant) { server?.advance(to: now) }

  /// Stops hosting: connected programs must find another host.
  public func close() {
    server?.close()
    server = nil
  }

  private func host() throws(SystemError) {
    let listener = try StreamListener(path: path)
    // With a low limit on open files, accepts a few programs anyway, as long as that works.
    let room = max(FileLimit.makeRoom(for: maximumClients + ownClients) - ownClients, 8)
    let air = VirtualAir(now: MonotonicClock.now, seed: seed)
    air.connectionFaults = faults
    let server = AirServer(air: air, maximumClients: room, loop: loop)
    try server.listen(on: listener)
    self.server = server
  }

  private func isAbsence(_ code: ErrorNumber) -> Bool {
    code == .noSuchFile || code == .connectionRefused
  }
}
