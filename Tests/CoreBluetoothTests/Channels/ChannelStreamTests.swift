import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("L2CAP channels: streams")
struct ChannelStreamTests {
  private let it: ChannelScene

  init() throws { it = try ChannelScene() }

  /// Bytes that each differ from the one 256 before.
  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  }

  @Test("bytes go both ways, and a delegate is called once until it reads")
  func events() throws {
    let (own, other) = try it.open()
    expect(own.write([1, 2, 3]), is: 3)
    expect(it.take(own), is: ["out space"])
    expect(other.log.take(), is: ["in bytes"])
    own.write([4, 5])
    expect(it.take(other), is: [])
    expect(other.read(limit: 1), is: [1])
    expect(it.take(other), is: ["in bytes"])
    expect(other.read(), is: [2, 3, 4, 5])
    expect(it.take(other), is: [])
    expect(other.input.hasBytesAvailable, is: false)

    other.write(bytes(5_000))
    expect(it.take(own).last, is: "in bytes")
    expect(own.read(), is: bytes(5_000))
  }

  @Test("a reader that does not read stops the writer, and nothing is lost")
  func backPressure() throws {
    let (own, other) = try it.open()
    let sent = bytes(200_000)
    var position = 0
    func write() {
      while position < sent.count {
        let count = own.write(Array(sent[position...]))
        if count == 0 { return }
        position += count
        it.settle()
      }
    }
    write()
    // The bytes that wait at both ends. The current SDU, of at most 8,192 bytes, waits at both.
    let most = ChannelPipe.inputCapacity + ChannelPipe.outputCapacity
    expect(position <= most && position > most - 10_000)
    expect(own.output.hasSpaceAvailable, is: false)
    _ = own.log.take()
    // Another channel continues meanwhile.
    let (second, third) = try it.open()
    second.write([1])
    it.settle()
    expect(third.read(), is: [1])
    expect(own.log.take(), is: [])

    var received: [UInt8] = []
    for _ in 0..<100 where received.count < sent.count {
      received += other.read()
      it.settle()
      if received.count < 50_000 { expect(own.log.take().contains("out space")) }
      write()
    }
    expect(received, is: sent)
  }

  @Test("a stream that the other side closes ends after its last byte is read")
  func closedByPeer() throws {
    for closesCentral in [true, false] {
      let (own, other) = try it.open()
      let (closing, staying) = closesCentral ? (own, other) : (other, own)
      closing.write([1, 2, 3])
      closing.input.close()
      closing.output.close()
      it.settle()
      expect(closing.input.streamStatus, is: .closed)
      expect(unsafe closing.output.write([1], maxLength: 1), is: -1)
      expect(staying.log.take(), is: ["in bytes", "out end"])
      expect(staying.input.streamStatus, is: .open)
      expect(staying.output.streamStatus, is: .atEnd)
      expect(staying.read(), is: [1, 2, 3])
      expect(it.take(staying), is: ["in end"])
      expect(staying.input.streamStatus, is: .atEnd)
      expect(staying.input.streamError == nil)
      var byte: UInt8 = 0
      expect(unsafe staying.input.read(&byte, maxLength: 1), is: 0)
      expect(unsafe staying.output.write([1], maxLength: 1), is: -1)
      expect((staying.output.streamError as NSError?)?.code, is: Int(EPIPE))
      expect(it.openChannels, is: 0)
    }
  }

  @Test("bytes written before closing are sent, even to a slow reader")
  func drain() throws {
    let (own, other) = try it.open()
    let sent = bytes(50_000)
    var position = 0
    while position < sent.count {
      let count = own.write(Array(sent[position...]))
      try #require(count > 0)
      position += count
      it.settle()
    }
    own.input.close()
    own.output.close()
    it.settle()
    expect(it.openChannels, is: 1)
    var received: [UInt8] = []
    for _ in 0..<10 {
      received += other.read()
      it.settle()
    }
    expect(received, is: sent)
    expect(it.openChannels, is: 0)
    expect(other.input.streamStatus, is: .atEnd)
  }

  @Test("a closed channel may send the rest for exactly 10 s, even if its reader has stopped")
  func undrained() throws {
    let (own, other) = try it.open()
    for _ in 0..<100 where own.output.hasSpaceAvailable {
      own.write(bytes(1_000))
      it.settle()
    }
    let channels = it.scene.radio.device.channels
    own.output.close()
    it.settle()
    expect(channels.deadline, is: nil)
    own.input.close()
    it.settle()
    expect(channels.deadline, is: it.scene.now.advanced(by: 10_000))
    it.scene.pass(9_000)
    expect(it.openChannels, is: 1)
    it.scene.pass(2_000)
    it.settle()
    expect(it.openChannels, is: 0)
    expect(other.log.take().contains("out end"))
  }

  @Test("the loss of the link is an error of both streams; earlier bytes can be read")
  func linkLoss() throws {
    let (own, other) = try it.open()
    other.write([1, 2, 3])
    it.settle()
    _ = own.log.take()
    it.peer.device.host.disconnectAll()
    expect(it.take(own), is: ["out error"])
    expect(own.output.streamStatus, is: .error)
    expect((own.output.streamError as? CBError)?.code, is: .peripheralDisconnected)
    expect(own.input.streamStatus == .open && own.input.streamError == nil)
    expect(own.read(), is: [1, 2, 3])
    expect(it.take(own), is: ["in error"])
    var byte: UInt8 = 0
    expect(unsafe own.input.read(&byte, maxLength: 1), is: -1)
    expect((own.input.streamError as? CBError)?.code, is: .peripheralDisconnected)
    // On the side that ended the link, the streams end without an error.
    expect(other.log.take().suffix(2), is: ["in end", "out end"])
  }

  @Test("a manager that ends its link or releases a channel closes it")
  func released() throws {
    let (own, other) = try it.open()
    own.release()
    expect(it.take(other), is: ["in end", "out end"])
    expect(own.input.streamStatus, is: .atEnd)

    let (second, third) = try it.open()
    it.manager.cancelPeripheralConnection(it.peripheral)
    expect(it.take(second), is: ["in end", "out end"])
    expect(third.log.take(), is: ["in error", "out error"])
  }

  @Test("a manager that leaves a link closes its channels, and those of another continue")
  func leaves() throws {
    let (own, other) = try it.open()
    let log = Log()
    let (manager, peripheral) = it.scene.manager(log, connectedTo: 0xBE)
    peripheral.openL2CAPChannel(128)
    it.settle()
    expect(log.take(), is: ["channel true"])
    let second = try ChannelSide(try #require(log.takeChannels().first))
    let third = try ChannelSide(try #require(it.recorder.takeChannels().first))
    it.settle()
    manager.cancelPeripheralConnection(peripheral)
    it.settle()
    expect(second.input.streamStatus, is: .atEnd)
    expect(third.input.streamStatus, is: .atEnd)
    own.write([1])
    it.settle()
    expect(other.read(), is: [1])
  }

  @Test("a channel that has ended is not closed again: the next one may have its number")
  func nextChannel() throws {
    let (own, other) = try it.open()
    let channels = it.scene.radio.device.channels
    let pipe = own.input.state.pipe
    pipe.close()
    channels.attend(to: pipe)
    channels.closed(0, with: .closedByPeer)
    channels.begin(0, ChannelPipe { _ in }, at: 0) { _ in }
    it.settle()
    expect(it.openChannels, is: 1)
    withExtendedLifetime(other) {}
  }

  @Test("events are delivered in each mode of a run loop in which a stream is scheduled")
  func modes() throws {
    let (own, other) = try it.open()
    let mode = RunLoop.Mode("other")
    own.input.schedule(in: .current, forMode: mode)
    own.input.remove(from: .current, forMode: mode)
    other.write([1])
    expect(it.take(own), is: ["in bytes"])
    expect(own.read(), is: [1])
    // An event that waits in one mode is delivered in another that is added.
    own.input.remove(from: .current, forMode: .default)
    own.input.schedule(in: .current, forMode: mode)
    other.write([2])
    it.scene.settle()
    expect(own.input.state.isDue)
    own.input.schedule(in: .current, forMode: .default)
    expect(it.take(own), is: ["in bytes"])
    expect(own.read(), is: [2])
    // Without a mode there is none.
    for stream in [own.input, own.output] {
      stream.remove(from: .current, forMode: .default)
      stream.remove(from: .current, forMode: mode)
    }
    other.write([3])
    expect(it.take(own), is: [])
    expect(own.input.hasBytesAvailable)
    own.input.schedule(in: .current, forMode: .default)
    expect(it.take(own), is: ["in bytes"])
  }

  @Test("a channel that a delegate does not keep is closed")
  func notKept() throws {
    it.peripheral.openL2CAPChannel(128)
    it.scene.settle()
    expect(it.openChannels, is: 1)
    _ = it.recorder.takeChannels()
    it.settle()
    expect(it.openChannels, is: 0)
    expect(it.log.takeChannels().first?.inputStream.streamStatus, is: .notOpen)
  }

  @Test("a stream that is not open reports nothing, and keeps the bytes that arrive")
  func notOpen() throws {
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    let channel = try #require(it.log.takeChannels().first)
    let closed = try #require(channel.outputStream)
    expect(closed.streamStatus, is: .notOpen)
    expect(unsafe closed.write([1], maxLength: 1), is: -1)
    expect(!closed.hasSpaceAvailable)
    // The bytes that arrive before the opening can be read after it.
    let sender = try ChannelSide(try #require(it.recorder.takeChannels().first))
    sender.write([7])
    it.settle()
    let input = try #require(channel.inputStream)
    var byte: UInt8 = 0
    expect(unsafe input.read(&byte, maxLength: 1), is: -1)
    expect(!input.hasBytesAvailable)
    input.open()
    expect(unsafe input.read(&byte, maxLength: 1), is: 1)
    expect(byte, is: 7)
  }

  // MARK: Wrong and repeated calls

  @Test("calls with no bytes, and those that a stream does not support")
  func calls() throws {
    let (own, other) = try it.open()
    var byte: UInt8 = 0
    expect(unsafe own.input.read(&byte, maxLength: 0), is: 0)
    expect(unsafe own.input.read(&byte, maxLength: -1), is: -1)
    expect(unsafe own.output.write([1], maxLength: 0), is: 0)
    expect(unsafe own.output.write([1], maxLength: -1), is: -1)
    var pointer: UnsafeMutablePointer<UInt8>?
    var count = 0
    expect(unsafe !own.input.getBuffer(&pointer, length: &count))
    for stream in [own.input, own.output] as [Stream] {
      expect(stream.property(forKey: .networkServiceType) == nil)
      expect(!stream.setProperty(nil, forKey: .networkServiceType))
      expect(stream.streamStatus == .open && stream.streamError == nil)
    }
    expect(it.take(own) == [] && other.log.take() == [])
    // Everything still works.
    own.write([1, 2, 3])
    it.settle()
    expect(other.read(), is: [1, 2, 3])
  }

  @Test("a stream opens and closes once")
  func openedOnce() throws {
    let (own, other) = try it.open()
    for stream in [own.input, own.output] as [Stream] { stream.open() }
    expect(it.take(own), is: [])
    own.output.close()
    own.output.close()
    own.output.open()
    expect(it.take(own), is: [])
    expect(own.output.streamStatus == .closed && own.input.streamStatus == .open)
    expect(!own.output.hasSpaceAvailable)
    expect(unsafe own.output.write([1], maxLength: 1), is: -1)
    // The input is still usable: a channel ends with both.
    other.write([7])
    it.settle()
    expect(own.read(), is: [7])
    own.input.close()
    expect(it.take(other).suffix(2), is: ["in end", "out end"])
    var byte: UInt8 = 0
    expect(unsafe own.input.read(&byte, maxLength: 1), is: -1)
    expect(!own.input.hasBytesAvailable)
  }

  @Test("an own channel is not taken for one that this device publishes with the same PSM")
  func samePSM() throws {
    let recorder = Log()
    let manager = CBPeripheralManager(
      delegate: recorder, queue: it.scene.queue, radio: it.scene.radio.radio)
    it.scene.settle()
    manager.stateForTests(.poweredOn)
    manager.publishL2CAPChannel(withEncryption: false)
    it.scene.settle()
    expect(recorder.take(), is: ["published 128"])
    let (own, other) = try it.open()
    own.write([1])
    it.settle()
    expect(other.read(), is: [1])
    expect(recorder.take(), is: [])
  }
}

extension CBManager {
  /// Sets the state that the scene's radio does not report to peripheral managers.
  fileprivate func stateForTests(_ state: CBManagerState) { self.state = state }
}
