import BluetoothHost
import Dispatch
import Expectations
import LinuxAir
import LinuxTestSupport
import Synchronization

@testable import LinuxRadio

@Suite("The host of a radio on TCP")
struct TCPOpeningTests {
  private let start = Instant(rawValue: 1_000)
  private let name = RadioAddress.tcpClient(host: "ball.example", port: 7_300)
  private let loop: EventLoop
  private let resolver = SlowResolver()

  init() throws { loop = try EventLoop() }

  private func makeSource(
    _ name: RadioAddress, lookup: @escaping RadioOpener.Lookup
  ) -> RadioSource {
    let opener = RadioOpener(name, loop: loop, air: SharedAir(path: "", loop: loop), lookup: lookup)
    return RadioSource(opener, loop: loop, sharing: nil)
  }

  @Test("A host that is not found in time is an error, is looked up once, and is used when found")
  func slow() throws {
    let listener = try StreamListener(host: "127.0.0.1", port: 0)
    let port = listener.port
    let name = RadioAddress.tcpClient(host: "ball.example", port: port)
    let source = makeSource(name) { [resolver] (_, _) throws(SystemError) in
      resolver.wait()
      return ["127.0.0.1"]
    }
    expect(try source.open(at: start), is: .pending)
    expect(source.deadline, is: start.advanced(by: 10_000))
    // The loop is not blocked.
    expect(try !loop.wait(until: Instant(rawValue: 0)))
    expect(try source.open(at: start.advanced(by: 9_999)), is: .pending)
    let late = SystemError(
      .timedOut, "reach", "ball.example:\(port)", explanation: "no answer within 10 s")
    for wait in [10_000, 15_000] as [UInt32] {
      #expect(throws: late) { try source.open(at: start.advanced(by: wait)) }
      expect(source.deadline, is: nil)
    }
    resolver.answer()
    expect(try loop.wait(until: nil))
    var opening = try source.open(at: start.advanced(by: 20_000))
    if opening == .pending {
      // The connection to the address that was found.
      expect(source.deadline, is: start.advanced(by: 21_000))
      expect(try loop.wait(until: nil))
      opening = try source.open(at: start.advanced(by: 20_000))
    }
    expect(opening, is: .opened)
    expect(resolver.calls, is: 1)
    source.close()
  }

  @Test("An unknown host is looked up again at the next attempt")
  func unknown() throws {
    let failure = SystemError(.addressNotAvailable, "find the host", "ball.example:7300")
    let source = makeSource(name) { [resolver] (_, _) throws(SystemError) in
      resolver.wait()
      throw failure
    }
    for attempt in 1...2 {
      expect(try source.open(at: start), is: .pending)
      resolver.answer()
      expect(try loop.wait(until: nil))
      #expect(throws: failure) { try source.open(at: start) }
      expect(resolver.calls, is: attempt)
    }
    source.close()
  }

  @Test("A radio that is closed meanwhile waits for nothing")
  func closed() throws {
    do {
      let source = makeSource(name) { [resolver] (_, _) throws(SystemError) in
        resolver.wait()
        throw SystemError(.timedOut, "find the host", "ball.example:7300")
      }
      expect(try source.open(at: start), is: .pending)
      source.close()
      expect(source.deadline, is: nil)
    }
    resolver.answer()
    expect(try !loop.wait(until: Instant(rawValue: 0)))
  }

  @Test("A server's host name is also looked up, and then the radio waits for the controller")
  func server() throws {
    let port = try freePort()
    var radio = RadioSourcePort(.tcpServer(host: "localhost", port: port), loop: loop)
    try radio.open(in: loop)
    _ = try StreamSocket.connect(host: "127.0.0.1", port: port)
    radio.close()
  }

  @Test("Opening a radio reports an unknown host")
  func radio() throws {
    var radio = RadioSourcePort(.tcpClient(host: "256.256.256.256.invalid", port: 1), loop: loop)
    let error = #expect(throws: RadioError.self) { try radio.open(in: loop) }
    expect(error?.reason.contains("256.256.256.256.invalid:1"), is: true)
    radio.close()
  }
}

/// A resolver that answers when it is allowed to.
private final class SlowResolver: Sendable {
  private let count = Atomic(0)
  private let isAllowed = DispatchSemaphore(value: 0)
  var calls: Int { count.load(ordering: .sequentiallyConsistent) }

  func wait() {
    count.add(1, ordering: .sequentiallyConsistent)
    isAllowed.wait()
  }

  func answer() { isAllowed.signal() }
}
