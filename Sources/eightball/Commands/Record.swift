import BluetoothHost
import LinuxPort
import LinuxRadio

/// Prints a session of a capture as a file.
struct Record: Command {
  static let page = CommandPage(
    name: "record",
    abstract: "Print a session of a capture as a file for eightball replay.",
    discussion: """
      The capture is a btsnoop file: of --capture, of Android or of btmon, at the central or at the \
      peripheral. The file has the peripheral's advertising and database, as far as the session \
      discovered and read it, and then what the central and the peripheral did, step by step with \
      the time of each. Warnings go to stderr.

      EXAMPLES
        eightball record session.btsnoop > session.conf
        eightball record btsnoop_hci.log --peer C0:00:00:00:00:01 > session.conf

      EXIT STATUS
        0   the file is printed
        1   the capture cannot be read
        64  the command line is wrong, or the file is not a capture
        66  the capture has no session, or several
        74  the file cannot be written
      """,
    argument: .init(name: "capture", isOptional: false, help: "The btsnoop file."))

  static var options: [ToolOption<Record>] {
    [
      .value(
        OptionRow(
          "--peer", "<address>", "The other device of the session, if the capture has several.")
      ) { $0.peer = $1.text }
    ]
  }

  var capture: String?
  var peer: String?

  mutating func take(_ argument: String) throws(UsageError) {
    guard capture == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))': record takes one capture")
    }
    capture = argument
  }

  func validate() throws(UsageError) {
    guard let capture, !capture.isEmpty else {
      throw UsageError("No capture given: eightball record session.btsnoop.")
    }
    _ = try SessionRecord.peer(peer)
  }

  func run() throws {
    var transcript = Transcript()
    try reportingErrors(with: { text, _ in Terminal.note("Error: \(text)") }) {
      transcript = try Transcript.read(capture ?? "")
    }
    do throws(CaptureError) {
      let record = try SessionRecord(transcript, with: try? SessionRecord.peer(peer))
      let file = record.description.fileText
      for warning in record.warnings + PeripheralFile.faults(of: file) {
        Terminal.note("Warning: \(warning)")
      }
      Terminal.print(String(file.dropLast()))
    } catch {
      Terminal.note("Error: \(error.text)")
      throw ExitStatus.noBall
    }
  }
}

extension SessionRecord {
  /// The address of `--peer`, of any kind.
  fileprivate static func peer(_ text: String?) throws(UsageError) -> DeviceAddress? {
    guard let text else { return nil }
    guard let bytes = DeviceAddress.bytes(of: text) else {
      throw UsageError(
        "The value '\(printable(text))' is invalid for '--peer <address>': expected an address such as "
          + "C0:00:00:00:00:01")
    }
    return DeviceAddress(kind: .random, bytes: bytes)
  }
}

extension Transcript {
  /// What the capture at `path` has.
  static func read(_ path: String) throws -> Transcript {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.bytes(ofRegular: path, limit: 1 << 30)
    } catch { throw error.ofInput }
    do throws(CaptureReader.Failure) {
      return Transcript(try CaptureReader(bytes))
    } catch {
      throw UsageError("Cannot read \(printable(path)): \(error).")
    }
  }
}
