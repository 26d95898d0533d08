import BluetoothHost
import EightBall
import Expectations
import VirtualBoard

@Suite("The driver of a display")
struct DisplayDriverTests {
  private let display = VirtualSSD1306()
  private let affirmation = TestScreens.answers[0].screen
  private let denial = TestScreens.answers[19].screen

  private func makeRig() -> DisplayRig<SSD1306> { DisplayRig(SSD1306(), display) }

  @Test(
    "A screen dims after a minute and is off after five, with three transfers and no other call")
  func rest() {
    var rig = makeRig()
    rig.show(.connected)
    rig.run(until: 59_999)
    expect(display.isOn)
    expect(display.contrast, is: 0xCF)
    let calls = rig.wakeUps
    // Address, display on, contrast: 1 + 2 + 4 bytes; with a call that finds nothing left.
    expect(rig.run(for: 1), is: 7)
    expect(display.contrast, is: 0x01)
    expect(rig.wakeUps, is: calls + 2)
    rig.run(until: 299_999)
    expect(display.isOn)
    expect(rig.run(for: 1), is: 3)
    expect(!display.isOn)
    expect(rig.wakeUps, is: calls + 4)
    expect(rig.run(for: 10_000_000), is: 0)
    expect(rig.driver.deadline, is: nil)
    expect(rig.wakeUps, is: calls + 4)
  }

  @Test("A shake lights a dark display, which then rests again")
  func wake() {
    for darkTime in [UInt64(60_000), 400_000] {
      var rig = makeRig()
      rig.show(affirmation)
      rig.run()
      let picture = display.text
      rig.run(until: darkTime)
      rig.wake()
      rig.run(for: 100)
      expect(display.text, is: picture)
      expect(display.contrast, is: 0xCF)
      rig.run(for: 59_800)
      expect(display.contrast, is: 0xCF)
      rig.run(for: 200)
      expect(display.contrast, is: 0x01)
    }
  }

  @Test("A new screen lights a dark display; the same one, such as of a blinking light, does not")
  func sameScreen() {
    var rig = makeRig()
    rig.show(.pairing)
    for _ in 0..<400 {
      rig.run(for: 1_000)
      rig.show(.pairing)
    }
    expect(!display.isOn)
    expect(rig.driver.deadline, is: nil)
    rig.show(.connected)
    rig.run(for: 100)
    expect(display.isOn)
    expect(display.contrast, is: 0xCF)
  }

  @Test("The screen off is dark at once, and a shake does not light it")
  func off() {
    var rig = makeRig()
    rig.show(affirmation)
    rig.run()
    rig.show(.off)
    // Address and display off.
    expect(rig.run(for: 10), is: 3)
    rig.wake()
    expect(rig.run(), is: 0)
    expect(!display.isOn)
    expect(rig.driver.deadline, is: nil)
  }

  @Test("An absent display is reported once, tried each 10 s, and found when it is there")
  func absent() {
    var rig = makeRig()
    rig.unplug()
    rig.show(.starting)
    rig.run(until: 55_000)
    expect(rig.events, is: [.init(time: 0, event: .lost(.bus(.notAcknowledged)))])
    // At 0, 10, …, 50 s.
    expect(rig.wakeUps, is: 6)
    // Neither a screen nor a shake makes it try more often.
    rig.show(affirmation)
    rig.wake()
    rig.run(until: 59_999)
    expect(rig.wakeUps, is: 6)
    rig.plugIn()
    rig.run(until: 61_000)
    expect(rig.events.dropFirst(), is: [.init(time: 60_000, event: .found)])
    expect(display.text, is: picture(of: affirmation))
  }

  @Test(
    "A display that is unplugged at any moment is drawn completely when it returns",
    arguments: [VirtualI2CBus.Fault.stuck, .removed, nil])
  func unplugged(fault: VirtualI2CBus.Fault?) {
    let error: I2CError =
      switch fault {
      case .stuck: .stuck
      case .removed: .unavailable(code: 19)
      case nil: .notAcknowledged
      }
    // 13 settings, 8 × 4 transfers, and more.
    for moment in stride(from: 0, to: 70, by: 3) {
      var rig = makeRig()
      rig.show(affirmation)
      var calls = 0
      while calls < moment, rig.step(until: 1_000) { calls += 1 }
      rig.unplug()
      rig.bus.fault = fault
      rig.show(denial)
      rig.run(for: 25_000)
      expect(rig.events.filter { $0.event == .lost(.bus(error)) }.count, is: 1, "\(moment)")
      rig.bus.fault = nil
      display.losePower()
      rig.plugIn()
      rig.run(for: 10_000)
      expect(rig.events.last?.event, is: .found)
      expect(display.text, is: picture(of: denial), "\(moment)")
    }
  }

  @Test("A display that lost its supply while it was dark is whole after a shake")
  func lostSupply() {
    for time in [UInt64(61_000), 301_000] {
      var rig = makeRig()
      rig.show(affirmation)
      rig.run(until: time)
      display.losePower()
      rig.wake()
      rig.run(for: 100)
      expect(display.text, is: picture(of: affirmation))
      expect(rig.events.map(\.event), is: [.found])
    }
  }

  /// What a new display shows.
  private func picture(of screen: BallScreen) -> String {
    let display = VirtualSSD1306()
    var rig = DisplayRig(SSD1306(), display)
    rig.show(screen)
    rig.run()
    return display.text
  }
}
