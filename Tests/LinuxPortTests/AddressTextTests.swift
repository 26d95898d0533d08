import BluetoothHost
import LinuxRadio
import Testing

@testable import eightballd

@Suite("Addresses of eightballd")
struct AddressTextTests {
  static let texts = [
    "public", "PUBLIC", "Random", "random", "randomly", "publi", "",
    "C0:00:00:00:00:01", "ff:ee:dd:cc:bb:aa", "FF:FF:FF:FF:FF:FE", "FF:FF:FF:FF:FF:FF",
    "C0:00:00:00:00:00", "c0:00:00:00:00:10", "80:00:00:00:00:01", "BF:00:00:00:00:01",
    "C0:00:00:00:00", "C0:00:00:00:00:01:02", "C0-00-00-00-00-01", "C00:0:00:00:00:01",
    "+0:00:00:00:00:01", "C0:00:00:00:00:0g", "C0:00:00:00:00:1", " C0:00:00:00:00:01",
  ]

  @Test("Addresses and errors are those of eightball run", arguments: texts)
  func agrees(address: String) {
    let own: Result<AddressText, AddressTextError>
    do throws(AddressTextError) {
      own = .success(try AddressText(Array(address.utf8).span))
    } catch {
      own = .failure(error)
    }
    do throws(AddressChoiceError) {
      switch (try AddressChoice(address), own) {
      case (.public, .success(.public)), (.random, .success(.random)): break
      case (.fixed(let expected), .success(.fixed(let given))): #expect(given == expected)
      default: Issue.record("\(own)")
      }
    } catch {
      guard case .failure(let failure) = own else {
        Issue.record("\(own)")
        return
      }
      #expect(text { failure.write(to: &$0, of: lasting(address)) } == error.description)
    }
  }
}
