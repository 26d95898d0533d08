import BluetoothHost
import Expectations
import VirtualBoard

@testable import EightBall

@Suite("The driver of an HD44780")
struct HD44780Tests {
  @Test(
    "It keeps the display's times at 100 and at 400 kHz", arguments: [100_000, 400_000] as [UInt64])
  func times(frequency: UInt64) {
    let expander = VirtualPCF8574(frequency: frequency)
    var rig = DisplayRig(HD44780(), expander)
    for (_, screen) in TestScreens.all {
      rig.show(screen)
      rig.run()
    }
    expect(expander.display.lostCount, is: 0)
    expect(expander.display.timingErrorCount, is: 0)
    expect(rig.events.map(\.event), is: [.found])
    // Four instructions of five bytes, and the address: 1.9 ms at 100 kHz.
    expect(rig.longestCall, is: 21)
  }

  @Test("It is set up whatever half of a transfer it waits for", arguments: 0..<4)
  func halves(count: Int) {
    let expander = VirtualPCF8574()
    var rig = DisplayRig(HD44780(), expander)
    rig.show(.connected)
    rig.run(until: 61_000)
    // Halves of characters, which it takes as E falls.
    for _ in 0..<count {
      for byte in [0x49, 0x4D, 0x49] as [UInt8] { _ = expander.receive(byte, isFirst: true) }
    }
    rig.show(.refusal)
    rig.run()
    expect(expander.display.lines, is: [" Not a question ", "                "])
  }

  @Test("Only the characters that change are sent")
  func changes() {
    let expander = VirtualPCF8574()
    var rig = DisplayRig(HD44780(), expander)
    rig.show(.connected)
    rig.run()
    // The address, the place and one character, each of five bytes.
    rig.show(.advertising(TestScreens.name("Connectee")))
    expect(rig.run(), is: 1 + 2 * 5)
    expect(expander.display.lines, is: ["   Connectee    ", "     Ask me     "])
    rig.show(.advertising(TestScreens.name("Cornectee")))
    expect(rig.run(), is: 1 + 2 * 5)
    rig.show(.advertising(TestScreens.name("Kornhctze")))
    // Three cells apart, each with its place.
    expect(rig.run(), is: 3 * (1 + 2 * 5))
    expect(rig.run(), is: 0)
  }

  @Test("The second row follows a first row that is full")
  func fullRows() {
    // No screen has such a text; the panel has no driver here.
    var text = ScreenText()
    text.append("ABCDEFGHIJKLMNOP abcdefghijklmnop")
    let expander = VirtualPCF8574()
    var panel = HD44780()
    var now: UInt64 = 0
    var wait: UInt32? = 0
    while let time = wait {
      now += UInt64(time) + 1
      expander.advance(to: Instant(rawValue: now))
      var bytes = InlineArray<40, UInt8>(repeating: 0)
      var writer = ByteWriter(bytes.mutableSpan)
      wait = panel.writeNext(towards: text, .lit, to: &writer)
      let count = writer.count
      for index in 0..<count { _ = expander.receive(bytes[index], isFirst: index == 0) }
    }
    expect(expander.display.lines, is: ["ABCDEFGHIJKLMNOP", "abcdefghijklmnop"])
  }

  @Test("It is without backlight after a minute, off after five, and on again after a shake")
  func rest() {
    let expander = VirtualPCF8574()
    var rig = DisplayRig(HD44780(), expander)
    rig.show(.fault)
    rig.run(until: 59_000)
    expect(expander.isBacklit)
    rig.run(until: 61_000)
    expect(!expander.isBacklit)
    expect(expander.display.lines[0], is: "  Radio fault   ")
    rig.run(until: 301_000)
    expect(!expander.isBacklit)
    expect(!expander.display.isOn)
    expect(rig.driver.deadline, is: nil)
    rig.wake()
    rig.run()
    expect(expander.isBacklit)
    expect(expander.display.lines[0], is: "  Radio fault   ")
  }

  @Test("It is set up and drawn again when it returns")
  func unplugged() {
    for moment in 0..<24 {
      let expander = VirtualPCF8574()
      var rig = DisplayRig(HD44780(), expander)
      rig.show(.connected)
      var calls = 0
      while calls < moment, rig.step(until: 1_000) { calls += 1 }
      rig.unplug()
      rig.show(.pairing)
      rig.run(for: 1_000)
      expander.losePower()
      rig.plugIn()
      rig.run(for: 15_000)
      expect(rig.events.filter { $0.event == .lost(.bus(.notAcknowledged)) }.count, is: 1)
      expect(rig.events.last?.event, is: .found)
      expect(expander.display.lines, is: ["Open for pairing", "                "], "\(moment)")
      expect(expander.display.lostCount, is: 0)
    }
  }
}
