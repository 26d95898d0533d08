import BallRunner
import BluetoothHost
import Expectations
import LinuxRadio

@testable import Linux
@testable import LinuxPort

/// A control socket and the queue that watches it.
final class ControlBench {
  var control = ControlSocket()
  let path: String
  private let queue: PollQueue

  /// A socket for this path, which listens after `open`.
  init(_ path: String) throws {
    self.path = path
    queue = try makeQueue()
  }

  /// A socket that listens at this path.
  static func listening(at path: String) throws -> ControlBench {
    let bench = try ControlBench(path)
    try #require(bench.open())
    return bench
  }

  var failure: ErrorNumber? { control.failure?.code }
  var isInUse: Bool { control.isInUse }
  var hasEvents: Bool { control.hasEvents }
  var hasPacketListeners: Bool { control.hasPacketListeners }
  var deadline: Instant? { control.deadline }
  func open() -> Bool { control.open(Array(path.utf8).span, queue) }
  func handle() { control.handle(queue) }
  func advance(to now: Instant) { control.advance(to: now, queue) }
  func connect() throws -> FileDescriptor { try StreamSocket.connect(path: path) }

  func send(_ text: String, to listener: Int? = nil) {
    control.send(Array(text.utf8).span, to: listener)
  }

  /// How many descriptors would wake the loop now.
  var pendingEvents: Int { wakes(queue).count }

  /// The events since the last call.
  func takeEvents() -> [String] {
    handle()
    var all: [String] = []
    var request = ByteBuffer<128>()
    while let event = control.nextEvent(into: &request) {
      switch event {
      case .joined(let number): all.append("joined \(number)")
      case .left(let number): all.append("left \(number)")
      case .request:
        let line = request.span
        all.append(text { $0.writePrefix(of: line) })
      }
    }
    return all
  }
}

extension FileDescriptor {
  /// What a ball has sent; empty if nothing, `nil` if it has closed the connection.
  borrowing func readText() -> String? {
    (try? readAll())?.map { String(decoding: $0, as: UTF8.self) }
  }
}
