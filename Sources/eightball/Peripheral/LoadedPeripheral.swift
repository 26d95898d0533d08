import LinuxRadio

/// A peripheral of a file, with the columns that its timelines name.
final class LoadedPeripheral: Sendable {
  let peripheral: PeripheralDescription
  let columns: [CSVColumn]

  init(_ peripheral: PeripheralDescription, columns: [CSVColumn] = []) {
    self.peripheral = peripheral
    self.columns = columns
  }

  /// What is wrong with a file: a sentence for each line, without its full stop.
  struct Failure: Error {
    let reasons: [String]
  }

  /// Reads the file at `path`.
  private static func load(_ path: String) throws(Failure) -> LoadedPeripheral {
    let text: [UInt8]
    do throws(SystemError) {
      text = try Files.bytes(ofRegular: path, limit: PeripheralFile.capacity + 1)
    } catch {
      throw Failure(reasons: [error.ofInput.description])
    }
    guard text.count <= PeripheralFile.capacity else {
      throw Failure(reasons: ["\(path): the file is too long: expected at most 16 MB"])
    }
    let file = PeripheralFile(text)
    guard file.errors.isEmpty else {
      throw Failure(
        reasons: file.errors.map {
          $0.line == 0 ? "\(path): \($0.text)" : "\(path), line \($0.line): \($0.text)"
        })
    }
    return LoadedPeripheral(file.peripheral, columns: try columns(of: file, beside: path))
  }

  private static func columns(
    of read: PeripheralFile, beside path: String
  ) throws(Failure) -> [CSVColumn] {
    var columns: [CSVColumn] = []
    var wrong: [String] = []
    for service in read.peripheral.services {
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
          wrong.append("\(path), line \(read.line(of: label)): \(label): expected \(error.text)")
        }
      }
    }
    guard wrong.isEmpty else { throw Failure(reasons: wrong) }
    return columns
  }

  /// Reads the file at `path`, or prints what is wrong.
  ///
  /// - Throws: The exit status.
  static func reportingErrors(of path: String, isJSON: Bool) throws -> LoadedPeripheral {
    do throws(Failure) {
      return try load(path)
    } catch {
      for reason in error.reasons {
        printError(sentence(printable(reason)), reason: "file", isJSON: isJSON)
      }
      throw ExitStatus.board
    }
  }
}
