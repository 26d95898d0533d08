import BluetoothHost
import Linux

/// What a client of this program requests of a peripheral, and bluetoothd's answer: the application behind a
/// `RemoteDatabase`. An attribute's number is its handle.
///
/// The server puts each request off, until bluetoothd has answered; then it calls again, and gets the answer. The
/// protocol has one request at a time. Requests with several values that need several answers are refused.
package struct RemoteApplication: GATTApplication, ~Copyable {
  /// What bluetoothd is asked to do.
  package enum Operation: Equatable {
    case read(UInt16)
    case write(UInt16)
    /// A write without response.
    case command(UInt16)
  }

  private enum Phase: Equatable {
    case idle
    /// The central has to call bluetoothd.
    case wanted(Operation)
    case called(Operation)
    /// The error of bluetoothd's answer; `nil` for success.
    case answered(Operation, ATTErrorCode?)
  }

  private var phase = Phase.idle
  /// The attribute whose value `value` is: its further parts are read from it.
  private var known: UInt16?
  /// The attribute that is to be written without response.
  private var command: UInt16?
  /// The value to write, or the value that was read.
  private var value = ByteBuffer<512>()
  /// Whether the request that is being handled is a command.
  package var isCommand = false

  /// Nothing is requested.
  package init() {}

  /// What the central has to call bluetoothd for now; `nil` for nothing.
  package mutating func takeOperation() -> Operation? {
    if let handle = command {
      command = nil
      return .command(handle)
    }
    guard case .wanted(let operation) = phase else { return nil }
    phase = .called(operation)
    return operation
  }

  /// The operation under way; `nil` for none.
  package var called: Operation? {
    if case .called(let operation) = phase { operation } else { nil }
  }

  /// Calls `body` with the value to write.
  package borrowing func withValue(_ body: (Span<UInt8>) -> Void) { body(value.span) }

  /// bluetoothd has answered. The server then calls again.
  ///
  /// - Parameter value: The value that was read. Its first 512 bytes count.
  package mutating func answer(_ error: ATTErrorCode?, value: Span<UInt8>) {
    guard case .called(let operation) = phase else { return }
    phase = .answered(operation, error)
    if case .read(let handle) = operation, error == nil {
      _ = self.value.assign(value.extracting(first: min(value.count, 512)))
      known = handle
    }
  }

  /// The request has ended: what the answer was for, if no call took it, is forgotten.
  package mutating func endRequest() {
    if case .answered = phase { phase = .idle }
  }

  // MARK: GATTApplication

  /// Writes the value, once bluetoothd has read it.
  package mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    let handle = attribute.rawValue
    switch phase {
    case .answered(.read(handle), let error):
      if let error { throw .error(error) }
    case .idle where offset > 0 && known == handle: break
    case .idle:
      known = nil
      phase = .wanted(.read(handle))
      throw .later
    default: throw .error(.unlikelyError)
    }
    value.write(self.value.span)
  }

  /// Accepts the value, once bluetoothd has written it.
  package mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    let handle = attribute.rawValue
    if isCommand {
      known = nil
      _ = self.value.assign(value)
      command = handle
      return
    }
    switch phase {
    case .answered(.write(handle), let error):
      if let error { throw .error(error) }
    case .idle:
      known = nil
      _ = self.value.assign(value)
      phase = .wanted(.write(handle))
      throw .later
    default: throw .error(.unlikelyError)
    }
  }

  /// None: bluetoothd's notifications go to the host directly.
  package var pendingConnections: ConnectionSet { .none }

  /// None.
  package func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? { nil }

  /// Writes nothing.
  package mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {}
}
