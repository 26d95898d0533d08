import BluetoothHost
import EightBall
import Expectations
import Linux
import LinuxTestSupport

@testable import eightball

@Suite("The file of a peripheral")
struct PeripheralFileTests {
  @Test(
    "A canonical file of any database reads as the same description, with the same Database Hash")
  func roundTrip() {
    var source = RandomSource(seed: 23)
    for number in 0..<100 {
      let peripheral = PeripheralDescription(from: &source)
      let text = peripheral.fileText
      let (read, errors) = PeripheralFile.read(Array(text.utf8))
      expect(errors, is: [], "database \(number):\n\(text)")
      expect(read, is: peripheral, "database \(number):\n\(text)")
      guard let read else { continue }
      expect(read.fileText, is: text)
      expect(PeripheralDatabase(read).hash, is: PeripheralDatabase(peripheral).hash)
    }
  }

  @Test("A heart-rate sensor takes twelve lines, and its implied services are before its own")
  func heartRate() {
    let text = """
      name = Heart Rate
      appearance = 0x0341
      advertise = 180D
      heart = service 180D
      heart.rate = characteristic 2A37 notify
      heart.rate.value = uint8 0, uint8 60
      heart.rate.every = 1 s: ramp 60 to 100 by 1
      heart.place = characteristic 2A38 read
      heart.place.value = uint8 1
      heart.control = characteristic 2A39 write
      heart.control.answer = error 0x80

      """
    let (peripheral, errors) = PeripheralFile.read(Array(text.utf8))
    expect(errors, is: [])
    // GAP has 5 attributes, GATT 8.
    expect(peripheral?.services.map(\.handle), is: [0x0001, 0x0006, 0x000E])
    let rate = peripheral?.services.last?.characteristics.first
    expect(rate?.descriptors.map(\.handle), is: [0x0011])
    expect(rate?.timeline?.field, is: 2)
    // The canonical form has a blank line before each service, and nothing else that this text lacks.
    let canonical = peripheral?.fileText.split(separator: "\n").map(String.init)
    expect(canonical, is: text.split(separator: "\n").map(String.init))
  }

  @Test("The files of Examples/peripherals are right")
  func examples() throws {
    let folder = "Examples/peripherals/"
    let files = try Repository.files(in: folder).filter { $0.hasSuffix(".conf") }
    expect(files.contains("heart-rate.conf"))
    for file in files {
      let text = try Repository.text(of: folder + file)
      expect(PeripheralFile.read(Array(text.utf8)).1, is: [], "\(file)")
    }
  }

  @Test("A wrong name is what an error is about, and a long one is cut")
  func wrongNames() {
    let long = String(repeating: "x", count: 100_000)
    let errors = PeripheralFile.read(Array("Heart = service 180D\n\(long)\n".utf8)).1
    expect(
      errors.map(\.text),
      is: [
        "Heart: expected a name of lowercase letters, digits and -, with dots between its parts",
        long.prefix(60) + "…: expected NAME = VALUE in UTF-8, such as name = Heart Rate",
      ])
  }

  @Test("Attributes that contradict each other are named by the lines of the printed file")
  func contradictions() {
    var peripheral = PeripheralFile.read(Array("a = service 180D\nb = service 180F\n".utf8)).0
    expect(peripheral.map { PeripheralFile.faults(of: $0.fileText) }, is: [])
    peripheral?.services[3].handle = 2
    let text = peripheral?.fileText ?? ""
    let line = text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.hasPrefix("b.handle") }
    expect(
      PeripheralFile.faults(of: text),
      is: [
        "Line \((line ?? -1) + 1) of the file is wrong, because the device or the capture is: "
          + "b.handle: expected a handle from 0x000F on: those before it are in use."
      ])
  }

  @Test("The comments of a clone name what a central cannot see, and change nothing in the file")
  func comments() throws {
    let text = """
      heart = service 180D
      heart.rate = characteristic 2A37 notify
      heart.place = characteristic 2A38 read
      heart.control = characteristic 2A39 write
      heart.text = characteristic FFF1 write-command indicate
      """
    let peripheral = try #require(PeripheralFile.read(Array(text.utf8)).0)
    var copy = DeviceCopy()
    let unseen = """
      # Not seen, and not in this file: what protects writes: heart.control, heart.text.
      # Not seen, and not in this file: what protects subscriptions: heart.rate, heart.text.

      """
    expect(copy.comments(on: peripheral), is: unseen)
    copy.device = NearbyDevice(address: DeviceAddress(resolvableWith: .zero, random: 8))
    let comments = copy.comments(on: peripheral)
    expect(
      comments.split(separator: "\n").first,
      is: "# The device has a resolvable private address, which changes; this file has no address.")
    expect(comments.hasSuffix("\n" + unseen))
    let (read, errors) = PeripheralFile.read(Array((comments + peripheral.fileText).utf8))
    expect(errors, is: [])
    expect(read, is: peripheral)
  }

  @Test("Each wrong line is an error with its line, its field and what was expected")
  func errors() {
    let text = """
      name = A name that is too long for advertising
      hart = servce 180D
      heart = service 180D
      heart.rate = characteristic 2A37 notfy
      heart.rate.value = uint8 300
      heart.place = characteristic 2A38 read
      heart.place.value = uint8 300
      heart.place.every = 1 s: ramp 9 to 1 by 1
      heart.place.answer = notify heart.beat
      heart.place.handle = 3
      heart.place.handle = 4
      a # comment
      fault = slow 1 s, refuse, slow 2 s
      """
    let (peripheral, errors) = PeripheralFile.read(Array(text.utf8))
    expect(peripheral == nil)
    expect(errors.map(\.line), is: [1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13])
    expect(
      errors.first { $0.line == 7 }?.text,
      is: "heart.place.value: expected a whole number from 0 to 255, not \"uint8 300\"")
    expect(
      errors.first { $0.line == 10 }?.text,
      is: "heart.place.handle: expected a handle from 0x000F on: those before it are in use")
    expect(errors.first { $0.line == 11 }?.text.hasSuffix("line 10 already has it") == true)
    expect(errors.last?.text, is: "fault: expected slow once, not \"slow 1 s, refuse, slow 2 s\"")
  }

  @Test("Services that do not fit the advertising are an error")
  func advertisedServices() {
    func errors(_ name: String, _ services: Int, _ more: String = "") -> [PeripheralFileError] {
      let long = (1...3).map { "\($0)2345678-1234-1234-1234-123456789012" }
      let list = ["180D", "180F"] + long
      let text = """
        name = \(name)
        advertise = \(list.prefix(services).joined(separator: ", "))
        s = service 180D
        \(more)
        """
      return PeripheralFile.read(Array(text.utf8)).1
    }
    // 3 (flags) + 6 (two UUIDs) + 18 (one) = 27 of 31 bytes; 16 (name) + 18 is more than 31.
    expect(errors("Long name here", 3), is: [])
    expect(
      errors("Long name here", 4),
      is: [
        PeripheralFileError(
          line: 2,
          text: "advertise: expected fewer services: the advertisement has no room for them")
      ])
    // 6 (name) + 18.
    expect(errors("Name", 4), is: [])
    expect(errors("Name", 5).map(\.line), is: [2])
    // The file may have all bytes itself.
    expect(errors("Name", 5, "advertisement = hex 02 01 06"), is: [])
  }

  @Test("Numbers out of range are what an error is about, and nothing traps at the limits")
  func limits() {
    func error(_ value: String, _ course: String = "constant") -> String? {
      let text = """
        s = service 180D
        s.c = characteristic 2A37 notify
        s.c.value = \(value)
        s.c.every = 1 s: \(course)
        """
      return PeripheralFile.read(Array(text.utf8)).1.first?.text
    }
    let most = "9223372036854775807"
    expect(
      error("uint64 9223372036854775808"),
      is: "s.c.value: expected a whole number from 0 to \(most), not \"uint64 9223372036854775808\""
    )
    expect(error("sint64 -9223372036854775809")?.contains("from -9223372036854775808") == true)
    expect(
      error("uint64 0", "ramp 0 to 18446744073709551615 by 1")?
        .hasPrefix(
          "s.c.every: expected a number from -9223372036854775808 to \(most) with at most 9 decimals, "
            + "not 18446744073709551615, not ") == true)
    expect(
      error("uint64 0", "ramp 0 to \(most) by 1")?
        .hasPrefix(
          "s.c.every: expected a number below 1152921504606846976 times 1, not \(most), not ")
        == true)
    expect(
      error("sint64 0", "walk -9223372036854775808 to 0 by 0.5")?
        .contains("below 1152921504606846976 times 0.1, not -9223372036854775808, not ") == true)
    expect(error("uint64 0", "ramp 0 to 1152921504606846975 by 1"), is: nil)
    for number in [most, "-9223372036854775808"] {
      expect(error("medfloat16 \(number)") != nil && error("medfloat32 0.\(number)") != nil)
    }
  }

  @Test("A description has at most 512 bytes, as a value has")
  func longDescription() {
    func errors(_ count: Int) -> [String] {
      let text = """
        s = service 180D
        s.c = characteristic 2A37 notify
        s.c.description = "\(String(repeating: "x", count: count))"
        """
      return PeripheralFile.read(Array(text.utf8)).1.map { String($0.text.prefix(70)) }
    }
    expect(errors(512), is: [])
    expect(
      errors(513), is: ["s.c.description: expected at most 512 bytes in all: these are 513, not"])
  }

  @Test("Handles beyond the last one are one error, in a line of the file")
  func lastHandles() {
    func errors(_ handle: String, _ properties: String, _ more: String = "") -> [String] {
      let text = """
        s = service 180D
        s.c = characteristic 2A37 \(properties)
        s.c.handle = \(handle)
        \(more)
        """
      return PeripheralFile.read(Array(text.utf8)).1.map { "\($0.line) \($0.text)" }
    }
    let low = "3 s.c.handle: expected a lower handle: the handles end at 0xFFFF"
    expect(errors("0xFFFE", "read"), is: [])
    // A value follows its declaration, and the implied configuration the value.
    expect(errors("0xFFFF", "read"), is: [low])
    expect(errors("0xFFFF", "notify", "t = service 180F"), is: [low])
    expect(errors("0xFFFE", "notify"), is: [low])
    expect(
      errors("0xFFFE", "read", "t = service 180F\nt.end = 0xFFFF"),
      is: ["4 t: expected fewer attributes: the handles end at 0xFFFF"])
  }

  @Test(
    "A word that is no property is what an error is about, and the message has all properties",
    arguments: [
      ("characteristic 2A37 fly", "a property instead of fly: "),
      ("characteristic Heart Rate Measurement flie read", "a UUID of 4"),
      ("characteristic Battery Level read fly notify", "a property instead of fly: "),
      ("characteristic 2A37", "its properties too, none or some of "),
      ("characteristic 2A3 fly", "a UUID of 4"), ("characteristic fly", "a UUID of 4"),
    ])
  func wrongProperties(line: String, expected: String) {
    let list =
      "broadcast, read, write-command, write, notify, indicate, signed-write, extended"
    let text = "s = service 180D\ns.c = \(line)\n"
    let errors = PeripheralFile.read(Array(text.utf8)).1.map(\.text)
    expect(errors.count, is: 1)
    expect(
      errors.first?.hasPrefix(
        "s.c: expected " + expected + (expected.hasSuffix(" ") ? list + ", not " : "")) == true,
      "\(errors)")
  }

  @Test(
    "A timeline has only numbers that its format holds exactly",
    arguments: [
      ("medfloat16 1", "walk 1 to 2 by 0.0001", "not 1.0001"),
      // 20.46 and so on have too many digits.
      ("medfloat16 1", "ramp 1 to 30 by 0.01", "not each multiple of 0.01 up to 30"),
      ("medfloat16 1", "walk -30 to 1 by 0.01", "not -29.99"),
      ("medfloat16 1.05", "walk 1 to 300 by 1", "not each multiple of 0.01 up to 300"),
      ("medfloat16 1", "list 1, 20.46", "not 20.46"),
      ("medfloat16 1", "ramp 1 to 20.45 by 0.01", nil), ("medfloat16 1", "list 20.45, 3000", nil),
      ("medfloat16 0", "ramp 0 to 20000 by 100", nil),
      ("medfloat32 1", "walk 1 to 2 by 0.0001", nil),
      ("medfloat32 1", "walk 1 to 200 by 0.00001", "not each multiple of 0.00001 up to 200"),
      ("uint8 1", "ramp 1 to 3 by 0.5", "not 1.5"),
    ] as [(String, String, String?)])
  func heldNumbers(value: String, course: String, fault: String?) {
    let text = """
      s = service 180D
      s.c = characteristic 2A37 notify
      s.c.value = \(value)
      s.c.every = 5 ms: \(course)
      """
    let errors = PeripheralFile.read(Array(text.utf8)).1.map(\.text)
    guard let fault else { return expect(errors, is: []) }
    expect(errors.count, is: 1)
    expect(errors.first?.contains("\(fault): the value has ") == true, "\(errors)")
  }

  @Test(
    "Numbers become the bytes of their format",
    arguments: [
      ("uint8 72", "48"), ("uint16 0x1234", "34 12"), ("uint24 1", "01 00 00"),
      ("sint8 -1", "FF"), ("sint32 -2", "FE FF FF FF"), ("sint16e-2 21.5", "66 08"),
      // 366 × 10⁻¹ and 37 × 10⁰: IEEE 11073-20601.
      ("medfloat32 36.6", "6E 01 00 FF"), ("medfloat16 36.6", "6E F1"), ("medfloat16 37", "25 00"),
      ("medfloat16 -0.01", "FF EF"), ("hex 0048ff", "00 48 FF"),
      ("text \"a, b\\x23\"", "61 2C 20 62 23"),
      ("uint8 1, uint8 2", "01 02"),
      ("sint64 -9223372036854775808", "00 00 00 00 00 00 00 80"),
      ("uint64 9223372036854775807", "FF FF FF FF FF FF FF 7F"),
      ("sint64e-9 -9223372036.854775808", "00 00 00 00 00 00 00 80"),
    ])
  func formats(text: String, bytes: String) throws {
    let fields = try ValueField.fields(text[...])
    expect(hexadecimalText(fields.flatMap(\.bytes)), is: bytes)
    let text = ValueField.fileText(fields)
    expect(ValueField.fileText(try ValueField.fields(text[...])), is: text)
  }
}
