import Expectations
import Glibc

/// clone(2) of the C library, which starts a process with a function.
@_extern(c, "clone")
private func startProcess(
  _ function: @convention(c) (UnsafeMutableRawPointer?) -> CInt,
  _ stackTop: UnsafeMutableRawPointer,
  _ flags: CInt, _ argument: UnsafeMutableRawPointer?
) -> CInt

/// The limits of a process: setrlimit(2).
package enum ResourceLimit {
  /// The number that is above each descriptor.
  case files
  /// The length of a file that is written, in bytes.
  case fileLength

  private var number: __rlimit_resource_t {
    switch self {
    case .files: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    case .fileLength: __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    }
  }

  /// Sets the limit of this process, which must be without other tests; the last limit.
  @discardableResult
  package func set(_ value: UInt) throws -> UInt {
    var limit = rlimit()
    try #require(unsafe getrlimit(number, &limit) == 0)
    let last = limit.rlim_cur
    limit.rlim_cur = value
    try #require(unsafe setrlimit(number, &limit) == 0)
    return last
  }
}

/// Runs `body` in another process that shares the memory of this one, while this thread waits: as after vfork(2), but
/// on a stack of its own.
///
/// That process has no other thread. In a test's process libdispatch opens files in a thread of its own, such as its timer
/// when the first test begins: it would take the last descriptor that a limit leaves, or end the process without one.
///
/// The process has a copy of the table of open files. What `body` opens is closed at its end, so that nothing that owns
/// a file may outlive it.
package func inOwnProcess(_ body: () throws -> Void) throws {
  let stack = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 16)
  defer { unsafe stack.deallocate() }
  try withoutActuallyEscaping(body) { body in
    var work = Work(body: body)
    let top = try unsafe #require(stack.baseAddress) + stack.count
    let process = unsafe withUnsafeMutablePointer(to: &work) { work in
      // Without a signal at its end, others that wait for children do not see it.
      unsafe startProcess(run, top, 0x100 | 0x4000 /* CLONE_VM | CLONE_VFORK */, work)
    }
    try #require(process > 0)
    var status: CInt = 0
    try #require(unsafe waitpid(process, &status, 0x4000_0000 /* __WALL */) == process)
    try #require(status == 0, "The process ended with the status \(status).")
    if let error = work.error { throw error }
  }
}

private struct Work {
  let body: () throws -> Void
  var error: (any Error)?
}

private func run(_ argument: UnsafeMutableRawPointer?) -> CInt {
  guard let work = unsafe argument?.assumingMemoryBound(to: Work.self) else { return 1 }
  do {
    try unsafe work.pointee.body()
  } catch {
    unsafe work.pointee.error = error
  }
  return 0
}

/// Calls `body` in a process of its own while that can open no file; see `inOwnProcess`.
package func withoutDescriptors(_ body: () throws -> Void) throws {
  try inOwnProcess {
    // A new file has the lowest free number.
    let free = dup(0)
    close(free)
    try ResourceLimit.files.set(UInt(max(free, 0)))
    try body()
  }
}
