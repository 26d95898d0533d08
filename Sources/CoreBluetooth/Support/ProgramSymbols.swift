import Foundation
import Glibc

/// The names of this program's symbols: the string table of its ELF file. A stripped program has none.
struct ProgramSymbols {
  private let names: Data

  /// `nil` if there are none, or the file is not a 64-bit ELF file.
  init?(path: String = "/proc/self/exe") {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
      let names = Self.names(in: file)
    else { return nil }
    self.names = names
  }

  /// The bytes of the table that the table of symbols uses.
  ///
  /// Tool Interface Standard, Executable and Linking Format, version 1.2: header, section headers.
  static func names(in file: Data) -> Data? {
    func number(at offset: Int, _ byteCount: Int) -> Int? {
      guard offset >= 0, offset <= file.count - byteCount else { return nil }
      return (0..<byteCount).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
    // The first bytes, 64 bits, least significant byte first.
    guard file.prefix(6) == Data([0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let table = number(at: 0x28, 7), let size = number(at: 0x3A, 2),
      let count = number(at: 0x3C, 2)
    else { return nil }
    for index in 0..<count {
      let section = table + index * size
      // SHT_SYMTAB; the link of its header is the index of its string table.
      guard number(at: section + 4, 4) == 2, let link = number(at: section + 0x28, 4),
        let start = number(at: table + link * size + 0x18, 7),
        let length = number(at: table + link * size + 0x20, 7), start <= file.count - length
      else { continue }
      return file[start..<start + length]
    }
    return nil
  }

  /// The functions whose mangled names begin with one of these, in full, such as
  /// `App.Scanner.centralManager(_: CoreBluetooth.CBCentralManager) -> ()`.
  func functions(mangledAs prefixes: [String]) -> [String] {
    let prefixes = prefixes.map { Array("$s\($0)".utf8) }
    // Unsafe: the table may have 20 MB, and a debug build would take a minute with checked indices. The
    // names are within the bytes of the table: each search ends at their end.
    return unsafe names.withUnsafeBytes { table in
      var functions: [String] = []
      var start = 0
      while start < table.count, let base = table.baseAddress,
        let end = unsafe memchr(base + start, 0, table.count - start)
      {
        let symbol = unsafe UnsafeRawBufferPointer(
          start: base + start, count: base.distance(to: end) - start)
        start += symbol.count + 1
        // A function's name ends in F.
        guard unsafe symbol.last == UInt8(ascii: "F"),
          prefixes.contains(where: { unsafe symbol.starts(with: $0) }),
          let name = Self.demangled(unsafe String(decoding: symbol, as: UTF8.self))
        else { continue }
        functions.append(name)
      }
      return functions
    }
  }

  /// A name in full without what depends on where it is written: discriminators of private types, and
  /// the arguments of generic types.
  static func plain(_ name: String) -> String {
    name
      .replacing(#/\(unknown context at [^)]*\)\./#, with: "")
      .replacing(#/\((\w+) in _[0-9A-F]+\)/#) { "\($0.1)" }
      .replacing(#/^([\w.]+)<[^>]*>/#) { "\($0.1)" }
  }

  /// A method as Swift writes it: `centralManager(_:didConnect:)`.
  static func selector(_ method: String) -> String {
    let list = method.prefix { $0 != ")" }
    guard let open = list.firstIndex(of: "(") else { return method }
    let labels = list[list.index(after: open)...].split(separator: ", ").compactMap { part in
      part.firstIndex(of: ":").map { part[...$0] }
    }
    return "\(list[..<open])(\(labels.joined()))"
  }

  /// The name in full; `nil` if it is not a Swift name, or the program lacks the runtime's function.
  private static func demangled(_ symbol: String) -> String? {
    typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    // Unsafe: the function's type is that of the runtime's header, and its result is freed here.
    guard let address = unsafe dlsym(nil, "swift_demangle") else { return nil }
    let demangle = unsafe unsafeBitCast(address, to: Demangle.self)
    guard let text = unsafe demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
