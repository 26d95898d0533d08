import BluetoothHost
import Expectations

@testable import eightball

@Suite("The commands of eightball gatt")
struct GATTCommandTests {
  private static let battery = AttributeReference.uuid(BluetoothUUID(0x2A19))

  @Test(
    "Each form of a command",
    arguments: [
      ("discover", GATTCommand.discover),
      ("  read\t2a19 ", .read(battery)),
      ("read battery-level", .read(battery)),
      ("read 0x0012", .read(.handle(AttributeHandle(rawValue: 0x12)))),
      (
        "read 8e38140a27be40908955-4fc4b5698d1e",
        .read(.uuid(.ballService))
      ),
      ("write 2A19 uint8 100", .write(battery, [100])),
      ("write 2A19 text Hello, you", .write(battery, Array("Hello, you".utf8))),
      (
        #"write-command 2A19 text "a,b", hex 0001"#,
        .writeCommand(battery, [0x61, 0x2C, 0x62, 0, 1])
      ),
      ("subscribe 2A19", .subscribe(battery, .init())),
      ("subscribe 2A19 3 for 5 s", .subscribe(battery, .init(count: 3, time: 5_000))),
      ("subscribe 2A19 for 200ms", .subscribe(battery, .init(time: 200))),
      ("unsubscribe 2A19", .unsubscribe(battery)),
      ("channel 0x0080", .channel(.firstDynamic, nil, .init())),
      (
        #"channel 128 2 for 5 s text "a", hex 01"#,
        .channel(.firstDynamic, [0x61, 1], .init(count: 2, time: 5_000))
      ),
      ("channel 0x80 hex 00 01", .channel(.firstDynamic, [0, 1], .init())),
    ])
  func forms(line: String, command: GATTCommand) throws {
    expect(try GATTCommand(line), is: command)
  }

  @Test(
    "What is wrong with a command, and what to do",
    arguments: [
      ("dicover", "There is no command “dicover”. Did you mean discover?"),
      ("read", "read needs an attribute, such as read 2A19."),
      ("read 2A1", "“2A1” is not an attribute: give a UUID such as 2A19"),
      ("read 0x0000", "“0x0000” is not an attribute"),
      ("write 2A19", "The value “” is wrong: expected text"),
      (
        "write 2A19 uint8 256",
        "The value “uint8 256” is wrong: expected a whole number from 0 to 255"
      ),
      ("subscribe 2A19 soon", "subscribe takes how many values to wait for, and how long"),
      ("channel 0x0100", "“0x0100” is not a PSM: channel needs a number from 0x0001 to 0x00FF"),
      ("channel 0x80 soon", "The value “soon” is wrong: expected text"),
      ("channel 0x80 3 5", "channel takes how many values to wait for, and how long"),
      ("mtu 5", "mtu takes nothing after it: “5” is too much."),
    ])
  func mistakes(line: String, beginning: String) {
    do throws(UsageError) {
      expect(try GATTCommand(line), is: nil)
    } catch {
      expect(error.text.hasPrefix(beginning), "\(error.text)")
    }
  }

  @Test("A comma of its own separates the commands of a command line")
  func separator() throws {
    expect(
      try GATTCommand.commands(["read", "Battery Level", ",", "write", "2A19", "text", "a b, c"]),
      is: [.read(Self.battery), .write(Self.battery, Array("a b, c".utf8))])
    for wrong in [["mtu", ","], [",", "mtu"], ["disconnect", ",", "mtu"]] {
      do throws(UsageError) {
        expect(try GATTCommand.commands(wrong), is: [])
      } catch {
        expect(!error.text.isEmpty)
      }
    }
  }
}
