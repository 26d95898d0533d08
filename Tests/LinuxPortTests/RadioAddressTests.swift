import BluetoothHost
import Linux
import LinuxPort
import Testing

@testable import eightballd

@Suite("Radios of eightballd")
struct RadioChoiceTests {
  @Test(
    "An error refers to eightball run for what eightballd cannot do",
    arguments: [
      ("virtual", "eightball run --radio virtual"),
      ("tcp-client:pi.local:9000", "eightball run looks names up"),
      ("tcp-client:_:9000", "eightball run looks names up"),
      ("unix:/x,user=root", "eightball run looks names up"),
    ])
  func others(name: String, words: String) {
    #expect(complaint(about: name)?.contains(words) == true)
  }

  @Test("A path, host or device has at most 255 bytes")
  func long() {
    let most = "serial:/" + String(repeating: "d", count: 254)
    #expect(complaint(about: most) == nil)
    #expect(complaint(about: most + "d")?.contains("at most 255 bytes") == true)
  }

  /// What is wrong with a name; `nil` if it is valid.
  private func complaint(about name: String) -> String? {
    let bytes = Array(name.utf8)
    do throws(RadioAddressError) {
      _ = try RadioAddress(numeric: bytes.span)
      return nil
    } catch {
      let failure = error
      return text { failure.write(to: &$0, of: bytes.span) }
    }
  }
}
