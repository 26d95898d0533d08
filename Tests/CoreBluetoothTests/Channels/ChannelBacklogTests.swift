import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// A central that opens and closes a published channel while the program does not take its channels.
@Suite("L2CAP channels: a program that lags")
struct ChannelBacklogTests {
  private let it: ChannelScene

  init() throws { it = try ChannelScene(isSeparate: true) }

  /// Opens and closes a channel this often, from the first device. Returns how often it opened.
  private func cycle(_ count: Int) -> Int {
    var opened = 0
    for _ in 0..<count {
      it.peripheral.openL2CAPChannel(128)
      it.settle()
      opened += it.log.takeChannels().count
      // The channel was released, which closes it.
      it.settle()
    }
    return opened
  }

  /// Symptom: about 63 kB for each channel, 3.5 GB after 75,000 of them.
  @Test("closed channels that the delegate has not received count against the limit")
  func closed() {
    it.suspend()
    // As for open channels: one is reserved for each of the 31 other links, 40 − 31 = 9.
    expect(cycle(30), is: 9)
    expect(
      it.log.take(),
      is: [String](repeating: "channel true", count: 9)
        + [String](repeating: "channel false: CBError.connectionLimitReached", count: 21))
    it.resume()
    expect(it.recorder.take(), is: [String](repeating: "01 opened 128", count: 9))
    expect(cycle(2), is: 2)
    expect(it.recorder.take(), is: ["01 opened 128", "01 opened 128"])
  }

  @Test("they leave room for another link, also after the first has ended")
  func otherLink() throws {
    it.suspend()
    expect(cycle(12), is: 9)
    let second = it.scene.add(Seat(state: .poweredOn), number: 0x02)
    let log = Log()
    let (manager, peripheral) = it.scene.manager(log, of: second, connectedTo: 0xBE)
    peripheral.openL2CAPChannel(128)
    it.settle()
    expect(log.take(), is: ["channel true"])
    // A central that connects again has no more room than before.
    it.manager.cancelPeripheralConnection(it.peripheral)
    it.scene.pass(1_000)
    it.manager.connect(it.peripheral)
    it.scene.pass(1_000)
    expect(it.peripheral.state, is: .connected)
    expect(cycle(3), is: 0)
    it.resume()
    expect(cycle(1), is: 1)
    withExtendedLifetime(manager) {}
  }

  @Test("what the peer sent before it closed the channel is still received")
  func content() throws {
    it.suspend()
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    _ = it.log.take()
    do {
      let own = try ChannelSide(try #require(it.log.takeChannels().first))
      own.write([1, 2, 3])
      it.settle()
      own.input.close()
      own.output.close()
    }
    it.settle()
    it.resume()
    let other = try ChannelSide(try #require(it.recorder.takeChannels().first))
    expect(other.read(), is: [1, 2, 3])
    expect(other.input.streamStatus, is: .atEnd)
  }
}
