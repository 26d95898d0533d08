import Glibc
import Synchronization

private let dispositions = Mutex(())

/// Calls `body` while signals of this number have this disposition in the whole process. Only one test at a time does
/// that.
package func withDisposition(
  of number: CInt, _ disposition: __sighandler_t?, _ body: () throws -> Void
) throws {
  try dispositions.withLock { _ in
    let former = signal(number, disposition)
    defer { _ = signal(number, former) }
    try body()
  }
}
