import BluetoothHost
import LinuxPort
import LinuxRadio
import Testing

@testable import eightballd

@Suite("Radios of the Linux port")
struct RadioChoiceTests {
  /// Names that both programs read the same way, and texts that both refuse.
  static let texts = [
    "unix:/run/air.sock", "unix:a:b", "unix:/run/air.sock,user=1001", "unix:/run/air,1.sock,user=0",
    "unix", "unix:", "unix:,user=0", "unix:/x,user=0,user=0", "unix:/x,user=", "unix:/x,user",
    "tcp-client:localhost:9000", "tcp-client::9000", "tcp-client:[::1]:9000",
    "tcp-client:::1:9000", "tcp-client:127.0.0.1:1", "tcp-client:[]:1", "tcp-client",
    "tcp-client:localhost", "tcp-client:localhost:", "tcp-client:localhost:0",
    "tcp-client:localhost:65536", "tcp-client:localhost:+80", "tcp-client:localhost:8 0",
    "tcp-server:_:65535", "tcp-server:127.0.0.1:1", "tcp-server", "tcp-server:[::]:7",
    "serial:/dev/ttyACM0", "serial:/dev/ttyUSB0,115200", "serial:/dev/ttyUSB0,4000000",
    "serial", "serial:", "serial:,9600", "serial:/dev/ttyS0,9600,rtscts", "serial:/dev/ttyS0,9601",
    "serial:/dev/ttyS0,", "serial:/dev/ttyS0,99999999999999999999",
    "hci0", "hci12", "hci007", "hci65535", "hci65536", "hci", "hcix", "hci-socket:3", "hci-socket:",
    "hci-socket", "hci-socket:hci0", "", ":", "bluetooth", "usb:0", "virtual:2", "HCI0",
  ]

  @Test("Radio names are exactly those of eightball run", arguments: texts)
  func agrees(name: String) {
    let own = (try? RadioChoice(Array(name.utf8).span)).map { choice in
      text { choice.write(to: &$0) }
    }
    #expect(own == (try? RadioName(name))?.description)
  }

  @Test(
    "An error says what was expected, as in eightball run",
    arguments: texts.filter { !$0.isEmpty && !$0.contains(",user=") })
  func sameWords(name: String) {
    do throws(RadioNameError) {
      _ = try RadioName(name)
    } catch {
      // eightballd has the same names without the virtual air, and users by number.
      let expected = error.description
        .replacing("virtual, unix:PATH[,user=USER]", with: "unix:PATH[,user=NUMBER]")
      #expect(complaint(about: name) == expected)
    }
  }

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
    do throws(RadioChoiceError) {
      _ = try RadioChoice(bytes.span)
      return nil
    } catch {
      let failure = error
      return text { failure.write(to: &$0, of: bytes.span) }
    }
  }
}
