import BluetoothHost
import Boards
import Glibc
import Testing

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
  func numbers(number: ErrorNumber, code: CInt) {
    #expect(number.rawValue == code)
  }

  @Test(
    "A number has only digits and a limit",
    arguments: [
      ("0", 10, 0), ("10", 10, 10), ("11", 10, nil), ("", 10, nil), ("+1", 10, nil),
      ("1x", 10, nil),
      ("007", 10, 7), ("18446744073709551615", .max, .max), ("18446744073709551616", .max, nil),
      ("99999999999999999999999", .max, nil),
    ] as [(String, UInt64, UInt64?)])
  func reading(digits: String, limit: UInt64, number: UInt64?) {
    #expect(Array(digits.utf8).span.unsignedNumber(upTo: limit) == number)
  }

  @Test("Numbers are written with all digits", arguments: [0, 9, 10, 1_000, 4_294_967_295])
  func writing(number: UInt32) {
    #expect(text { $0.write(decimal: number) } == "\(number)")
  }

  @Test("A C string has room for its final zero, and contains none")
  func cText() {
    var held = InlineCString<4>()
    #expect(held.assign([1, 2, 3].span) == true)
    #expect(held.assign([1, 2, 3, 4].span) == false)
    #expect(held.assign([1, 0].span) == false)
    #expect(held.count == 3)
    #expect(held.assign([7].span) == true)
    #expect(held.span.count == 1)
    #expect(unsafe held.withPointer { unsafe $0.map { unsafe strlen($0) } } == 1)
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
    #expect(found == name)
  }

  @Test("Lines that are unavailable are reported with the reason and a remedy")
  func lines() throws {
    let queue = try makeQueue()
    var board = BoardDescription(name: "b", chip: "pinctrl-x")
    board.shake = LineDescription(
      name: "GPIO5", offset: 5, activeLow: true, bias: .pullUp, debounceMilliseconds: 30)
    var lines = PortLines(board, directory: "/dev/null")
    #expect(lines.open(queue) == false)
    #expect(
      text { lines.writeTrouble(to: &$0) }
        == "there is no GPIO chip “pinctrl-x” on this machine. Is this the right board? See what there "
        + "is: gpiodetect")
    #expect(lines.debounce(of: .shake) == 30)
    #expect(lines.debounce(of: .clear) == 0)
    #expect(lines.nextEdge() == .lost)
    #expect(lines.takeChange() == .none)
    lines.chipsChanged()
    #expect(lines.takeChange() == .chipChanged)
    #expect(lines.takeChange() == .none)
  }
}
