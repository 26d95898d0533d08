import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("L2CAP channels: wrong and repeated calls of streams")
struct ChannelEdgeTests {
  @Test("calls with no bytes, and those that a stream does not support")
  func calls() throws {
    let it = try ChannelStage()
    let (own, other) = try it.open()
    var byte: UInt8 = 0
    #expect(unsafe own.input.read(&byte, maxLength: 0) == 0)
    #expect(unsafe own.input.read(&byte, maxLength: -1) == -1)
    #expect(unsafe own.output.write([1], maxLength: 0) == 0)
    #expect(unsafe own.output.write([1], maxLength: -1) == -1)
    var pointer: UnsafeMutablePointer<UInt8>?
    var count = 0
    #expect(unsafe !own.input.getBuffer(&pointer, length: &count))
    for stream in [own.input, own.output] as [Stream] {
      #expect(stream.property(forKey: .networkServiceType) == nil)
      #expect(!stream.setProperty(nil, forKey: .networkServiceType))
      #expect(stream.streamStatus == .open && stream.streamError == nil)
    }
    it.settle()
    #expect(own.log.take() == [] && other.log.take() == [])
    // Everything still works.
    own.write([1, 2, 3])
    it.settle()
    #expect(other.read() == [1, 2, 3])
  }

  @Test("a stream opens and closes once")
  func openedOnce() throws {
    let it = try ChannelStage()
    let (own, other) = try it.open()
    for stream in [own.input, own.output] as [Stream] { stream.open() }
    it.settle()
    #expect(own.log.take() == [])
    own.output.close()
    own.output.close()
    own.output.open()
    it.settle()
    #expect(own.log.take() == [])
    #expect(own.output.streamStatus == .closed && own.input.streamStatus == .open)
    #expect(!own.output.hasSpaceAvailable)
    #expect(unsafe own.output.write([1], maxLength: 1) == -1)
    // The input is still usable: a channel ends with both.
    other.write([7])
    it.settle()
    #expect(own.read() == [7])
    own.input.close()
    it.settle()
    #expect(other.log.take().suffix(2) == ["in end", "out end"])
    var byte: UInt8 = 0
    #expect(unsafe own.input.read(&byte, maxLength: 1) == -1)
    #expect(!own.input.hasBytesAvailable)
  }

  @Test("a closed channel may send the rest for exactly 10 s")
  func drainTime() throws {
    let it = try ChannelStage()
    let (own, other) = try it.open()
    // More than both sides hold: the other does not read.
    for _ in 0..<20 {
      own.write([UInt8](repeating: 1, count: 10_000))
      it.settle()
    }
    let channels = it.stage.radio.device.channels
    #expect(channels.deadline == nil)
    own.output.close()
    it.settle()
    #expect(channels.deadline == nil)
    own.input.close()
    it.settle()
    #expect(channels.deadline == it.stage.now.advanced(by: 10_000))
    withExtendedLifetime(other) {}
  }

  @Test("an own channel is not taken for one that this device publishes with the same PSM")
  func samePSM() throws {
    let it = try ChannelStage()
    let recorder = PeripheralRecorder()
    let manager = CBPeripheralManager(
      delegate: recorder, queue: it.stage.queue, thread: it.stage.radio)
    it.stage.queue.sync {}
    manager.stateForTests(.poweredOn)
    manager.publishL2CAPChannel(withEncryption: false)
    it.stage.settle()
    #expect(recorder.take() == ["published 128"])
    let (own, other) = try it.open()
    own.write([1])
    it.settle()
    #expect(other.read() == [1])
    #expect(recorder.take() == [])
  }
}

extension CBManager {
  /// Sets the state that the stage's radio does not report to peripheral managers.
  fileprivate func stateForTests(_ state: CBManagerState) { self.state = state }
}
