import BluetoothHost
import Glibc
import LinuxSystem
import Testing

@testable import Linux
@testable import LinuxPort
@testable import eightballd

/// The text that `write` writes.
func text(_ write: (inout ByteWriter) -> Void) -> String {
  var storage = [UInt8](repeating: 0, count: 4_096)
  var writer = ByteWriter(storage.mutableSpan)
  write(&writer)
  let count = writer.count
  return String(decoding: storage.prefix(count), as: UTF8.self)
}

/// A text that lasts as long as the tests.
func lasting(_ text: String) -> ProgramText {
  guard let copy = unsafe strdup(text) else { return ProgramText("") }
  return unsafe ProgramText(c: copy)
}

/// The arguments of a program after its name.
func arguments(_ texts: [String]) -> ArgumentList {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 2)
  for (index, text) in (["eightballd"] + texts).enumerated() {
    unsafe (list + index).initialize(to: strdup(text).map { unsafe UnsafePointer($0) })
  }
  unsafe (list + texts.count + 1).initialize(to: nil)
  return unsafe ArgumentList(UnsafePointer(list))
}

extension ProgramText {
  /// The text as Swift has it.
  var string: String {
    let bytes = span
    return text { $0.writePrefix(of: bytes) }
  }
}

/// A temporary directory, which `remove` removes with the files in it.
struct TestDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/eightball-port-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { name in
      unsafe name.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    path = try #require(made)
  }

  func remove(_ names: String...) {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}

/// Something was not found.
struct Missing: Error {}

/// An empty queue.
func makeQueue() throws -> PollQueue {
  switch PollQueue() {
  case nil: throw Missing()
  case let queue?: return queue
  }
}

/// The waiting connection.
func accept(_ listener: borrowing StreamListener) throws -> FileDescriptor {
  switch try listener.accept() {
  case nil: throw Missing()
  case let connection?: return connection
  }
}

/// The two ends of a pseudoterminal, and the path of its second end.
func openTerminal() throws -> (primary: CInt, path: String) {
  let primary = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
  try #require(primary >= 0)
  // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2).
  var lock: CInt = 0
  try #require(unsafe ioctl(primary, 0x4004_5431, &lock) == 0)
  var number: CInt = 0
  try #require(unsafe ioctl(primary, 0x8004_5430, &number) == 0)
  return (primary, "/dev/pts/\(number)")
}
