import LinuxRadio

/// A peripheral of a file, with the columns that its timelines name.
struct LoadedPeripheral: Sendable {
  var peripheral: PeripheralDescription
  var columns: [CSVColumn] = []

  /// What is wrong with a file: a sentence for each line, without its full stop.
  struct Failure: Error {
    let reasons: [String]
  }

}

extension LoadedPeripheral {
  /// Reads the file at `path`.
  init(_ path: String) throws(Failure) {
    let text: [UInt8]
    do throws(SystemError) {
      text = try Files.bytes(ofRegular: path, limit: PeripheralFile.capacity + 1)
    } catch {
      throw Failure(reasons: [error.description])
    }
    guard text.count <= PeripheralFile.capacity else {
      throw Failure(reasons: ["\(path): expected at most 1 MB"])
    }
    let (read, errors) = PeripheralFile.read(text)
    guard let read else {
      throw Failure(
        reasons: errors.map {
          $0.line == 0 ? "\(path): \($0.text)" : "\(path), line \($0.line): \($0.text)"
        })
    }
    peripheral = read
    try loadColumns(beside: path)
  }

  private mutating func loadColumns(beside path: String) throws(Failure) {
    var wrong: [String] = []
    for service in peripheral.services {
      for characteristic in service.characteristics {
        guard let timeline = characteristic.timeline,
          case .csv(let file, let column) = timeline.course
        else { continue }
        do throws(Expected) {
          columns.append(
            CSVColumn(
              handle: characteristic.valueHandle,
              numbers: try CSVColumn.read(
                column, of: file, beside: path, timeline, characteristic.value)))
        } catch {
          let label = "\(service.label).\(characteristic.label).every"
          wrong.append("\(path): \(label): expected \(error.text)")
        }
      }
    }
    if !wrong.isEmpty { throw Failure(reasons: wrong) }
  }

  /// Reads the file at `path`, or prints what is wrong.
  ///
  /// - Throws: The exit status.
  static func reportingErrors(of path: String, isJSON: Bool) throws -> LoadedPeripheral {
    do throws(Failure) {
      return try LoadedPeripheral(path)
    } catch {
      for reason in error.reasons {
        printError(sentence(printable(reason)), reason: "file", isJSON: isJSON)
      }
      throw ExitStatus.board
    }
  }
}
