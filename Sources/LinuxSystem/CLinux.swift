import Glibc

// CLinux's functions. The header is not imported: a client of a Swift module needs every C module
// below it, even one that is imported internally (SE-0409: without library evolution). A package
// that does not depend on this one, and finds its modules in the same build folder
// (`#if canImport(CoreBluetooth)`), does not know where the C module is. CLinuxTests compares all
// of this with the header.

/// epoll_create1.
@_extern(c) func clinuxsystem_create_queue() -> CInt

/// epoll_ctl.
@_extern(c) func clinuxsystem_control(
  _ queue: CInt, _ operation: CInt, _ descriptor: CInt, _ events: UInt32, _ data: UInt64
) -> CInt

/// epoll_wait, for at most 16 events.
@_extern(c) func clinuxsystem_wait(
  _ queue: CInt, _ data: UnsafeMutablePointer<UInt64>?, _ events: UnsafeMutablePointer<UInt32>?,
  _ capacity: CInt, _ timeout: CInt
) -> CInt

/// signalfd.
@_extern(c) func clinuxsystem_open_signals(_ signals: UnsafePointer<sigset_t>?) -> CInt

/// eventfd.
@_extern(c) func clinuxsystem_open_bell() -> CInt

/// accept4.
@_extern(c) func clinuxsystem_accept(_ listener: CInt) -> CInt

/// The numbers of <sys/epoll.h>.
enum Epoll {
  static let add: CInt = 1
  static let delete: CInt = 2
  static let modify: CInt = 3

  static let `in`: UInt32 = 0x001
  static let out: UInt32 = 0x004
  static let error: UInt32 = 0x008
  static let hangUp: UInt32 = 0x010
  static let edgeTriggered: UInt32 = 1 << 31
}
