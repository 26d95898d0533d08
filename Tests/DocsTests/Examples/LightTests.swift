import Testing
import VirtualBoard

@Test("The light follows the button")
func lightFollowsButton() throws {
  let chip = VirtualChip(label: "test-chip", lineNames: ["BUTTON", "LIGHT"])
  let lines = try chip.request(
    [
      LineSettings(
        offset: 0, direction: .input, isActiveLow: true, bias: .pullUp, debounce: 5_000_000),
      LineSettings(offset: 1, direction: .output(isActive: false)),
    ], consumer: "the program")

  chip.advance(to: 1_000_000)  // 1 ms
  chip.drive(0, .low)  // the button connects its wire to ground
  chip.advance(to: 10_000_000)  // 9 ms later, it has not bounced for 5 ms
  let edge = try lines.nextEvent()
  #expect(edge?.isActive == true)
  #expect(edge?.time == 6_000_000)  // when it counted: 1 ms + 5 ms

  try lines.set(1, isActive: true)  // what the program does about it
  #expect(chip.isHigh(1) == true)
}
