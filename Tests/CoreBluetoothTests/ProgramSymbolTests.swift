import Expectations
import Foundation
import LinuxTestSupport

@testable import CoreBluetooth

/// Files of the Executable and Linking Format that are made here.
@Suite("The names of a program's symbols")
struct ProgramSymbolTests {
  private static func little(_ number: Int, _ byteCount: Int) -> Data {
    Data((0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  /// A header of a section: its type, and where it is, or the section that it refers to.
  private struct Section {
    var type: Int
    var start = 0
    var length = 0
    var link = 0

    /// 64 bytes: the type at 4, the place at 0x18, the length at 0x20, the link at 0x28.
    var bytes: Data {
      little(0, 4) + little(type, 4) + little(0, 16) + little(start, 8) + little(length, 8)
        + little(link, 4) + little(0, 20)
    }
  }

  /// A file with these names behind a header of 64 bytes, and then the table of sections.
  private static func file(_ names: Data, _ sections: [Section], size: Int = 64) -> Data {
    var header = Data([0x7F, 0x45, 0x4C, 0x46, 2, 1]) + Data(count: 58)
    header.replaceSubrange(0x28..<0x30, with: little(64 + names.count, 8))
    header.replaceSubrange(0x3A..<0x3C, with: little(size, 2))
    header.replaceSubrange(0x3C..<0x3E, with: little(sections.count, 2))
    return sections.reduce(header + names) { $0 + $1.bytes + Data(repeating: 0, count: size - 64) }
  }

  private static let text = Data("\0one\0two\0".utf8)

  @Test("are those of the table that the symbols refer to, wherever both stand")
  func found() {
    let other = Section(type: 1)
    let strings = Section(type: 3, start: 64, length: Self.text.count)
    let others = Section(type: 3, start: 66, length: 2)
    for (sections, size) in [
      ([Section(type: 2, link: 1), strings], 64), ([strings, Section(type: 2, link: 0)], 64),
      ([other, others, strings, Section(type: 2, link: 2)], 64),
      ([other, others, Section(type: 2, link: 3), strings], 72),
      // A table of symbols whose names are beyond the end, before the right one.
      (
        [
          Section(type: 2, link: 9), Section(type: 2, link: 2),
          Section(type: 3, start: 1 << 20, length: 1), Section(type: 2, link: 4), strings,
        ], 64
      ),
    ] {
      expect(ProgramSymbols.names(in: Self.file(Self.text, sections, size: size)), is: Self.text)
    }
  }

  @Test("end within the file")
  func ends() {
    let symbols = Section(type: 2, link: 1)
    // 64 (header) + 9 (names) + 2 · 64 (sections) = 201 bytes.
    for (start, length, isFound) in [
      (64, 9, true), (64, 137, true), (64, 138, false), (200, 1, true), (201, 0, true),
      (201, 1, false), (202, 0, false), (64, 9 | 1 << 48, false), (64 | 1 << 48, 9, false),
    ] {
      let file = Self.file(Self.text, [symbols, Section(type: 3, start: start, length: length)])
      expect(file.count, is: 201)
      expect(ProgramSymbols.names(in: file)?.count, is: isFound ? length : nil, "\(start)")
    }
    // Of another type, or with a section that does not exist.
    for symbols in [Section(type: 2 | 1 << 24, link: 1), Section(type: 2, link: 1 | 1 << 24)] {
      let strings = Section(type: 3, start: 64, length: 9)
      expect(ProgramSymbols.names(in: Self.file(Self.text, [symbols, strings])), is: nil)
    }
    // Cut, or with another beginning.
    let file = Self.file(Self.text, [symbols, Section(type: 3, start: 64, length: 9)])
    // The length of the last section is the last number that is read: 73 + 64 + 0x20 + 7 bytes.
    for count in 0...file.count {
      expect((ProgramSymbols.names(in: file.prefix(count)) != nil), is: count >= 176, "\(count)")
    }
    for index in 0..<6 {
      var wrong = file
      wrong[index] ^= 3
      expect(ProgramSymbols.names(in: wrong), is: nil)
    }
  }

  @Test("are demangled if they are functions of the wanted types, also the last")
  func functions() throws {
    let folder = try TemporaryDirectory()
    let names = ["", "$s1M1ayyF", "$s1M1bSivg", "$s1N1cyyF", "$s1M1dyyF", "main"]
    for isComplete in [true, false] {
      let text =
        Data((names + ["$s1M1eyyF"]).joined(separator: "\0").utf8)
        + Data(count: isComplete ? 1 : 0)
      let file = Self.file(
        text, [Section(type: 2, link: 1), Section(type: 3, start: 64, length: text.count)])
      try file.write(to: URL(fileURLWithPath: "\(folder.path)/program"))
      let symbols = try #require(ProgramSymbols(path: "\(folder.path)/program"))
      expect(
        symbols.functions(mangledAs: ["1M"]),
        is: ["M.a() -> ()", "M.d() -> ()"] + (isComplete ? ["M.e() -> ()"] : []))
      expect(symbols.functions(mangledAs: ["1X", "1N"]), is: ["N.c() -> ()"])
      expect(symbols.functions(mangledAs: []), is: [])
    }
  }
}
