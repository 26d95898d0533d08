import Glibc
import LinuxSystem
import VirtualRadio

/// This user's virtual air: hosted by the first program that comes, joined by the next.
///
/// The host connects to its own socket like everybody else, so there is one way for a packet.
/// When the host goes, the others lose their radios, and the first one back becomes the host.
/// Another user's air is not joined, root's excepted.
public final class SharedAir {
  /// Where the air is: $EIGHTBALL_AIR; or in the user's own directory for such things; or in
  /// /tmp.
  public static var usualPath: String {
    if let path = Process.environment("EIGHTBALL_AIR") { return path }
    if let directory = Process.environment("XDG_RUNTIME_DIR") {
      return directory + "/eightball-air.sock"
    }
    return "/tmp/eightball-air-\(Process.userNumber).sock"
  }

  /// The air, if this program hosts it.
  private(set) var server: AirServer?

  private let path: String
  private let loop: EventLoop

  /// The air at `path`, which is hosted, if it must be, in `loop`.
  init(path: String, loop: EventLoop) {
    self.path = path
    self.loop = loop
  }

  /// A connection to a new controller.
  func join() throws(SystemError) -> FileDescriptor {
    // Somebody else may come to host the air between two steps here, or go.
    for attempt in 1... {
      do throws(SystemError) {
        return try joinOrHost()
      } catch {
        let isRace = error.code == .addressInUse || isAbsence(error.code)
        guard isRace, attempt < 10 else { throw error }
        poll(nil, 0, 5)
      }
    }
    throw SystemError(.addressInUse, "join", path)
  }

  /// Hosts it no longer: whoever is connected must find another host.
  func close() {
    server?.close()
    server = nil
  }

  private func joinOrHost() throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try StreamSocket.connect(path: path)
    } catch {
      guard isAbsence(error.code) else { throw error }
    }
    let listener = try StreamListener(path: path)
    // Where few files may be open, a few programs are let in all the same, as long as that works.
    let room = max(FileLimit.makeRoom(for: AirServer.usualMaximumClients), 8)
    let server = AirServer(
      air: VirtualAir(now: MonotonicClock.now), loop: loop, maximumClients: room)
    try server.listen(on: listener)
    self.server = server
    return try StreamSocket.connect(path: path)
  }

  private func isAbsence(_ code: Errno) -> Bool {
    code == .noSuchFile || code == .connectionRefused
  }
}
