import BluetoothHost
import Foundation

/// The bytes of one channel, between the radio's thread and the two streams. Any thread may use the
/// streams.
final class ChannelPipe: @unchecked Sendable {
  /// How many bytes from the peer wait to be read at most: 64 frames of 498 bytes.
  static let inputCapacity = 64 * ChannelMPS.twoPackets.byteCount
  /// How many bytes wait to be sent at most.
  static let outputCapacity = 32_768

  /// What the radio's thread has to do for a channel.
  enum Action {
    /// There is room for more input, or more output.
    case resume
    /// Both streams are closed. Close the channel once its output is sent: at once if there is
    /// none.
    case close(isDrained: Bool)
  }

  // Unchecked: `condition` guards all of these.
  private let condition = NSCondition()
  private var input = ByteRing(capacity: ChannelPipe.inputCapacity)
  private var output = ByteRing(capacity: ChannelPipe.outputCapacity)
  private var isInputClosed = false
  private var isOutputClosed = false
  private var channelEnd: ChannelEnd?
  /// How many bytes of the current SDU have been handed over.
  private var handedOver = 0
  /// How many bytes have been read since the radio's thread was last asked for attention.
  private var unreported = 0
  /// Whether the radio's thread is about to take an action.
  private var isActionPending = false
  private var inputObserver: (@Sendable () -> Void)?
  private var outputObserver: (@Sendable () -> Void)?

  private let requestAttention: @Sendable (ChannelPipe) -> Void

  /// - Parameter requestAttention: Makes the radio's thread call `DeviceChannels.attend(to:)`.
  init(_ requestAttention: @escaping @Sendable (ChannelPipe) -> Void) {
    self.requestAttention = requestAttention
  }

  /// The pipe of a channel of this radio's device.
  static func served(by radio: CBRadio?) -> ChannelPipe {
    ChannelPipe { [weak radio] pipe in radio?.perform { $0.channels.attend(to: pipe) } }
  }

  /// Calls these, on any thread, after a change that concerns the stream.
  func observe(input: @escaping @Sendable () -> Void, output: @escaping @Sendable () -> Void) {
    condition.withLock {
      inputObserver = input
      outputObserver = output
    }
  }

  // MARK: For the streams

  /// Whether a byte can be read.
  var hasBytes: Bool { condition.withLock { !input.isEmpty } }
  /// Whether a byte can be written.
  var hasRoom: Bool { condition.withLock { canWrite } }
  /// Why the channel has ended; `nil` while it is open.
  var end: ChannelEnd? { condition.withLock { channelEnd } }

  private var canWrite: Bool { channelEnd == nil && !isOutputClosed && output.freeCapacity > 0 }

  /// Moves bytes into `target`, and returns their number. Waits until there is one, or the channel
  /// has ended.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    let (count, isNew) = condition.withLock {
      while input.isEmpty, channelEnd == nil, !isInputClosed { condition.wait() }
      let count = unsafe input.remove(into: target)
      unreported += count
      // Credits are returned for a quarter of the capacity at once, or when the buffer is empty.
      let isDue = unreported >= Self.inputCapacity / 4 || input.isEmpty
      if isDue { unreported = 0 }
      return (count, isDue && beginAction())
    }
    if isNew { requestAttention(self) }
    return count
  }

  /// Takes the first bytes, as many as there is room for, and returns their number. Waits until
  /// there is room for one. Returns `nil` if the channel has ended.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let (count, isNew): (Int?, Bool) = condition.withLock {
      while output.freeCapacity == 0, channelEnd == nil, !isOutputClosed { condition.wait() }
      guard canWrite else { return (nil, false) }
      let wasEmpty = output.isEmpty
      return (unsafe output.append(bytes), wasEmpty && beginAction())
    }
    if isNew { requestAttention(self) }
    return count
  }

  /// Ends reading. What the peer still sends is dropped.
  func closeInput() {
    close {
      isInputClosed = true
      input.removeAll()
    }
  }

  /// Ends writing. What has been written is sent.
  func closeOutput() { close { isOutputClosed = true } }

  /// Closes both.
  func close() {
    closeInput()
    closeOutput()
  }

  private func close(_ body: () -> Void) {
    let isNew = condition.withLock {
      body()
      condition.broadcast()
      return channelEnd == nil && beginAction()
    }
    if isNew { requestAttention(self) }
  }

  /// Returns whether the radio's thread has to be asked for attention.
  private func beginAction() -> Bool {
    defer { isActionPending = true }
    return !isActionPending
  }

  // MARK: For the radio's thread

  /// What the radio's thread has to do now.
  func takeAction() -> Action {
    condition.withLock {
      isActionPending = false
      return action
    }
  }

  private var action: Action {
    isInputClosed && isOutputClosed ? .close(isDrained: output.isEmpty) : .resume
  }

  /// How many more bytes the peer may send.
  var room: Int { condition.withLock { input.freeCapacity } }

  /// The peer has sent bytes, at most as many as there was room for.
  func receive(_ bytes: Span<UInt8>) {
    let observer = condition.withLock {
      guard !isInputClosed else { return inputObserver }
      unsafe bytes.withUnsafeBytes { bytes in _ = unsafe input.append(bytes) }
      condition.broadcast()
      return inputObserver
    }
    observer?()
  }

  /// How much memory its buffers occupy, in bytes.
  var size: Int { condition.withLock { input.size + output.size } }

  /// How many bytes wait to be sent.
  var outputCount: Int { condition.withLock { output.count } }

  /// Writes the bytes to send, from `offset` on.
  func writeOutput(from offset: Int, into writer: inout ByteWriter) {
    condition.lock()
    defer { condition.unlock() }
    let start = writer.count
    output.write(from: offset, into: &writer)
    handedOver = offset + writer.count - start
  }

  /// The written bytes have been sent. Returns what to do now.
  func noteSent() -> Action {
    let (observer, action) = condition.withLock {
      output.removeFirst(handedOver)
      handedOver = 0
      condition.broadcast()
      return (outputObserver, self.action)
    }
    observer?()
    return action
  }

  /// The channel has ended. Received bytes can still be read; the rest of the memory is released.
  func finish(_ end: ChannelEnd) {
    let observers = condition.withLock {
      channelEnd = channelEnd ?? end
      output.removeAll()
      output.close()
      input.close()
      handedOver = 0
      condition.broadcast()
      return [inputObserver, outputObserver]
    }
    for observer in observers { observer?() }
  }
}

/// Closes a channel when it is released.
final class ChannelKeeper: Sendable {
  let pipe: ChannelPipe

  init(_ pipe: ChannelPipe) { self.pipe = pipe }

  deinit { pipe.close() }
}
