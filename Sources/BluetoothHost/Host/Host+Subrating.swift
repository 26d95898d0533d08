// Connection subrating: Core Specification, Vol 6, Part B, 5.1.19 and 5.1.20.
//
// A host with the commands of Bluetooth 5 lets its peers change the subrate of a link; one whose client
// is there can request it.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Whether the peers can change the subrate of a link.
  var supportsSubrating: Bool {
    @inline(__always) get { Self.isExtended && controller.supportsSubrating }
  }

  /// Requests another subrate of the link at `index`: its devices use one connection event in so many,
  /// which saves energy, and more of them after data. The application is called once, with
  /// `subrateChanged` or `subrateFailed`, unless the link ends before.
  ///
  /// - Returns: False if there is no link, if the parameters are outside their ranges, if the
  ///   controller has no subrating, or while another request waits for its command.
  public mutating func requestSubrate(_ parameters: SubrateParameters, at index: Int) -> Bool {
    guard Client.isPresent, Client.Scanner.isExtended, supportsSubrating, isOpen(index),
      parameters.areValid, let handle = connections[index].handle,
      clientRole.scanner.subrateRequest == nil
    else { return false }
    clientRole.scanner.subrateRequest = SubrateRequest(
      command: LESubrateRequest(handle: handle, parameters: parameters))
    controller.mayHaveCommands = true
    return true
  }

  /// Writes the command for a request; `nil` if there is none that was not sent.
  mutating func writeSubrateCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    guard var request = clientRole.scanner.subrateRequest, !request.isSent else { return nil }
    guard table.index(of: request.command.handle) != nil else {
      clientRole.scanner.subrateRequest = nil
      return nil
    }
    // Assigned as a whole: the core has no coroutines.
    request.isSent = true
    clientRole.scanner.subrateRequest = request
    return write(request.command, into: &writer)
  }

  /// Takes the result of the command. An unanswered one has the status `unspecifiedError`.
  mutating func finishSubrateCommand(_ status: HCIErrorCode) {
    guard let request = clientRole.scanner.subrateRequest else { return }
    clientRole.scanner.subrateRequest = nil
    guard status != .success, let index = table.index(of: request.command.handle) else { return }
    clientRole.subrateFailed(status, of: connections[index])
  }

  /// Takes an event: the subrate of a link changed, or a request failed.
  mutating func receiveSubrateChange(_ reader: inout ByteReader) {
    guard let event = LESubrateChange(&reader), let index = table.index(of: event.handle) else {
      return
    }
    if event.status == .success {
      connections[index].supervisionTimeout = UInt32(event.supervisionTimeout) * 10
    }
    guard Client.isPresent else { return }
    if event.status == .success {
      clientRole.subrateChanged(event, of: connections[index])
    } else {
      clientRole.subrateFailed(event.status, of: connections[index])
    }
  }
}

/// A request for another subrate of a link, until its command has an answer.
public struct SubrateRequest: Equatable, Sendable {
  /// The command.
  var command: LESubrateRequest
  /// Whether the controller has it.
  var isSent = false
}
