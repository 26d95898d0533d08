import LinuxRadio

/// A column of a file of comma-separated values.
struct CSVColumn: Sendable {
  /// The handle of the value that gets the numbers.
  let handle: UInt16
  let numbers: [DecimalNumber]

  /// The largest size of a file, in bytes.
  private static let capacity = 16_777_216

  /// The numbers of a column for a timeline of a value.
  ///
  /// - Parameters:
  ///   - column: Its number, from 1, or its name in the first line.
  ///   - file: The path of the file, from the folder of the peripheral's file on.
  ///   - path: The path of the peripheral's file.
  /// - Throws: What was expected.
  static func read(
    _ column: String, of file: String, beside path: String, _ timeline: Timeline,
    _ value: [ValueField]
  ) throws(Expected) -> [DecimalNumber] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let text: [UInt8]
    do throws(SystemError) {
      text = try Files.bytes(
        ofRegular: file.hasPrefix("/") ? file : folder + file, limit: capacity)
    } catch {
      throw Expected("a file that can be read: \(error.description)")
    }
    return try numbers(in: text, column, of: file, timeline, value)
  }

  /// The numbers of a column in the text of a file.
  static func numbers(
    in text: [UInt8], _ column: String, of file: String, _ timeline: Timeline, _ value: [ValueField]
  ) throws(Expected) -> [DecimalNumber] {
    guard value.indices.contains(timeline.field - 1),
      case .number(_, let format) = value[timeline.field - 1]
    else { throw Expected("a value with a number") }
    var rows: [(line: Int, cells: [Substring])] = []
    var number = 0
    let whole = String(decoding: text, as: UTF8.self)
    for line in list(whole[...], separator: UInt8(ascii: "\n")) {
      number += 1
      if !line.isEmpty { rows.append((number, list(line))) }
    }
    var index = digits(column[...], upTo: 0xFFFF).map { $0 - 1 }
    if let names = rows.first?.cells, index == nil || names.contains(column[...]) {
      index = names.firstIndex(of: column[...])
      rows.removeFirst()
    } else if let index, let first = rows.first?.cells, first.indices.contains(index),
      DecimalNumber(first[index]) == nil
    {
      // Names in the first line.
      rows.removeFirst()
    }
    guard let index, index >= 0, !rows.isEmpty else {
      throw Expected(
        "the number of a column of \(file), or its name in the first line, above numbers")
    }
    var numbers: [DecimalNumber] = []
    for row in rows {
      guard row.cells.indices.contains(index), let number = DecimalNumber(row.cells[index]),
        format.encode(number) != nil
      else {
        throw Expected("\(format.expected) in column \(column) of \(file), line \(row.line)")
      }
      numbers.append(number)
    }
    return numbers
  }
}
