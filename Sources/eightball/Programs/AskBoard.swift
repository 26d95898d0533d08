#if Tools
import LinuxBoard
import LinuxSystem

/// Asks the virtual board, and ends the program well if there is none, or if it refuses.
///
/// - Parameter read: What an answer means; `nil` if it means nothing.
func askBoard<Meaning>(_ request: String, read: (String) -> Meaning?) throws -> Meaning {
  let answer: String
  do throws(SystemError) {
    answer = try BoardControl.ask(request)
  } catch {
    switch error.code {
    case .noSuchFile, .connectionRefused:
      Terminal.note(
        "Error: no ball runs on the virtual board. Start one: eightball run --board virtual")
    default:
      Terminal.note("Error: \(sentence(error.description))")
    }
    throw ExitStatus.unavailable
  }
  if let meaning = read(answer) { return meaning }
  let refusal = "error "
  guard answer.hasPrefix(refusal) else {
    Terminal.note("Error: the virtual board answers: \(sentence(printable(answer)))")
    throw ExitStatus.unexpected
  }
  Terminal.note("Error: \(sentence(printable(String(answer.dropFirst(refusal.count)))))")
  throw ExitStatus.unavailable
}
#endif
