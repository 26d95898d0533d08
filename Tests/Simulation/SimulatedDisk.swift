import CSimulation

/// What fails on a disk that is full or defect.
enum DiskFailure: Int32 {
  case none, refusesFiles, refusesData, cannotSync
}

/// The disk of a ball, under the real code that keeps bonds: see `Tests/CSimulation/disk.c`.
@safe
final class SimulatedDisk {
  /// The path of the bonds on every such disk.
  static var bondsPath: String { "/simulated/ball.bonds" }

  private let disk = unsafe simulated_disk_new()

  deinit { unsafe simulated_disk_free(disk) }

  /// The disk's failure.
  var failure = DiskFailure.none { didSet { unsafe simulated_disk_fail(disk, failure.rawValue) } }

  /// Whether its power is off.
  var isOff: Bool { unsafe simulated_disk_is_off(disk) }

  /// Cuts the power before the call after the next `calls` calls.
  func cutPower(afterCalls calls: Int) { unsafe simulated_disk_cut_after(disk, Int32(calls)) }

  /// Lets the calls in `body` use this disk.
  func use<Result>(_ body: () -> Result) -> Result {
    unsafe simulated_disk_use(disk)
    defer { simulated_disk_use(nil) }
    return body()
  }

  /// The process that uses it ends.
  func endProcess() { unsafe simulated_disk_end_process(disk) }

  /// Its power is cut, and returns.
  func crash(seed: UInt64) { unsafe simulated_disk_crash(disk, seed) }

  /// The bytes of the file of bonds; `nil` without one.
  var bonds: [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe simulated_disk_read(disk, "ball.bonds", &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}
