import BluetoothHost
import Expectations
import Glibc
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

@Suite("Texts and numbers of the Linux port")
struct WordsTests {
  @Test(
    "The numbers of errors are the kernel's",
    arguments: [
      (.notPermitted, EPERM), (.noSuchFile, ENOENT), (.wouldBlock, EAGAIN), (.accessDenied, EACCES),
      (.busy, EBUSY), (.noSuchDevice, ENODEV), (.invalidArgument, EINVAL), (.notATerminal, ENOTTY),
      (.brokenPipe, EPIPE), (.nameTooLong, ENAMETOOLONG), (.tooManyUsers, EUSERS),
      (.protocolNotSupported, EPROTONOSUPPORT), (.addressFamilyNotSupported, EAFNOSUPPORT),
      (.addressInUse, EADDRINUSE), (.connectionReset, ECONNRESET), (.timedOut, ETIMEDOUT),
      (.connectionRefused, ECONNREFUSED), (.blockedByRfkill, ERFKILL),
    ] as [(ErrorNumber, CInt)])
  func numbers(number: ErrorNumber, code: CInt) { expect(number.rawValue, is: code) }

  @Test(
    "A number has only digits and a limit",
    arguments: [
      ("0", 10, 0), ("10", 10, 10), ("11", 10, nil), ("", 10, nil), ("+1", 10, nil),
      ("1x", 10, nil),
      ("007", 10, 7), ("18446744073709551615", .max, .max), ("18446744073709551616", .max, nil),
      ("99999999999999999999999", .max, nil),
    ] as [(String, UInt64, UInt64?)])
  func reading(digits: String, limit: UInt64, number: UInt64?) {
    expect(Array(digits.utf8).span.unsignedNumber(upTo: limit), is: number)
  }

  @Test("Numbers are written with all digits", arguments: [0, 9, 10, 1_000, 4_294_967_295])
  func writing(number: UInt32) {
    expect(text { $0.write(decimal: number) }, is: "\(number)")
  }

  @Test("A C string has room for its final zero, and contains none")
  func cText() {
    var held = InlineCString<4>()
    expect(held.assign([1, 2, 3].span), is: true)
    expect(held.assign([1, 2, 3, 4].span), is: false)
    expect(held.assign([1, 0].span), is: false)
    expect(held.count, is: 3)
    expect(held.assign([7].span), is: true)
    expect(held.span.count, is: 1)
    expect(unsafe held.withPointer { unsafe $0.map { unsafe strlen($0) } }, is: 1)
  }

  @Test(
    "The name of a group is on the line with its number",
    arguments: [(0, "root"), (997, "gpio"), (20, "dialout"), (5, nil), (99, nil), (9, nil)]
      as [(UInt32, String?)])
  func groups(number: UInt32, name: String?) {
    let file = "root:x:0:\n\n+::::\ndialout:x:20:pi,me\ngpio:x:997:\nshort:5\nbad:x:9x9:\nend:x:99"
    var scanner = GroupScanner(number)
    var found: String?
    for byte in file.utf8 where found == nil && scanner.take(byte) {
      found = text { $0.writePrefix(of: scanner.name) }
    }
    expect(found, is: name)
  }

  @Test("A group is shown by its name, or by its number if it has none")
  func groups() {
    expect(text { GroupFile.writeName(of: 0, to: &$0) }, is: "root")
    expect(text { GroupFile.writeName(of: 4_294_967_290, to: &$0) }, is: "4294967290")
  }

  @Test("A group's name has at most 32 bytes")
  func longGroup() {
    for (length, expected) in [(31, 31), (32, 32), (33, 32)] {
      var scanner = GroupScanner(7)
      let file = String(repeating: "g", count: length) + ":x:7:"
      var isFound = false
      for byte in file.utf8 where !isFound { isFound = scanner.take(byte) }
      expect(isFound)
      expect(scanner.name.count, is: expected)
    }
  }

  @Test("Parts of a text that lasts, and where a byte or a word is")
  func texts() {
    let whole = ProgramText("a:b:c")
    expect(
      (-1...6).map { whole.first($0).string },
      is: ["", "", "a", "a:", "a:b", "a:b:", "a:b:c", "a:b:c"])
    expect(
      (-1...6).map { whole.dropping($0).string },
      is: ["a:b:c", "a:b:c", ":b:c", "b:c", ":c", "c", "", ""])
    let span = whole.span
    expect(span.lastIndex(of: UInt8(ascii: ":")), is: 3)
    expect(span.lastIndex(of: UInt8(ascii: "a")), is: 0)
    expect(span.lastIndex(of: UInt8(ascii: "x")), is: nil)
    expect(span.firstIndex(of: ":" as StaticString), is: 1)
    expect(span.firstIndex(of: "b:c" as StaticString), is: 2)
    expect(span.firstIndex(of: "cd" as StaticString), is: nil)
    expect(ProgramText(environment: "EIGHTBALL_NO_SUCH_VARIABLE") == nil ? true : false)
  }

  @Test("The beginning of a file is read, and a file that cannot be read is an error")
  func file() throws {
    var space = [UInt8](repeating: 7, count: 16)
    func read(_ path: StaticString) throws(ErrorNumber) -> Int {
      try readFile(ProgramText(path), into: space.mutableSpan)
    }
    #expect(throws: ErrorNumber.noSuchFile) { try read("/nowhere/file") }
    #expect(throws: ErrorNumber.isDirectory) { try read("/") }
    expect(try read("/dev/null"), is: 0)
    expect(try read("/dev/zero"), is: 16)
    expect(space, is: [UInt8](repeating: 0, count: 16))
  }

  @Test("What a failed call was for, and why it failed")
  func failures() {
    func words(_ failure: SystemCallError) -> String {
      text { failure.write(to: &$0) { $0.write(text: "X") } }
    }
    let reason = "Device or resource busy"
    for (operation, purpose) in [
      (PortOperation.accept, "accept a connection on X"), (.configure, "configure X"),
      (.connect, "connect to X"), (.createSocket, "create a socket for X"), (.find, "find X"),
      (.listen, "listen on X"), (.open, "open X"), (.read, "read from X"),
      (.takeOver, "take over X"), (.use, "use X"), (.wait, "wait for X"), (.write, "write to X"),
    ] {
      expect(
        words(SystemCallError(code: .busy, operation: operation)),
        is: "cannot \(purpose): \(reason)")
    }
    expect(
      words(SystemCallError(code: .notPermitted, operation: .use, explanation: .owner(1_001))),
      is: "cannot use X: the socket is another user's (1001)")
    expect(
      words(SystemCallError(code: .nameTooLong, operation: .use, explanation: .pathTooLong)),
      is: "cannot use X: a socket's path is at most 107 bytes long")
  }

  @Test(
    "Addresses without a lookup: 127.0.0.1 and ::1, all of both families, or the given one",
    arguments: [
      ("", false, ["127.0.0.1", "::1"]), ("localhost", true, ["127.0.0.1", "::1"]),
      ("_", true, ["0.0.0.0", "::"]), ("_", false, []), ("10.1.2.3", false, ["10.1.2.3"]),
      ("::2", true, ["::2"]), ("pi.local", false, []),
    ])
  func addresses(_ host: String, toListen: Bool, expected: [String]) {
    var name = InlineCString<256>()
    expect(name.assign(Array(host.utf8).span), is: true)
    for index in 0..<3 {
      let address = TCPAddress(name, index, toListen: toListen)
      guard index < expected.count else {
        expect(address == nil ? true : false)
        continue
      }
      guard let address else {
        Issue.record("There is no address \(index).")
        continue
      }
      let family = address.length == 4 ? AF_INET : AF_INET6
      expect(address.length == 4 || address.length == 16)
      var shown = [CChar](repeating: 0, count: 64)
      let bytes = (0..<16).map { address.bytes[$0] }
      _ = unsafe inet_ntop(family, bytes, &shown, 64)
      expect(
        String(decoding: shown.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self),
        is: expected[index])
    }
  }
}
