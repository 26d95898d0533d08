import BluetoothHost

extension VirtualController {
  func performLink(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    switch opcode {
    case .disconnect:
      guard let reason = reader.readUInt8(), Self.disconnectReasons.contains(reason) else {
        return .invalidCommandParameters
      }
      accept(command)
      close(end, reason: HCIErrorCode(rawValue: reason))
    case .readRemoteVersionInformation:
      accept(command)
      // Out of range, only the end of the link follows.
      guard end.peer != nil else { return nil }
      emitEvent(.readRemoteVersionInformationComplete) { writer in
        writer.write(HCIErrorCode.success.rawValue)
        writer.write(handle.rawValue)
        writer.write(Self.coreVersion)
        writer.write(Self.company)
        writer.write(UInt16(0))
      }
    default:
      accept(command)
      guard let peer = end.peer?.controller else { return nil }
      emitLEEvent(.readRemoteFeaturesComplete) { writer in
        writer.write(HCIErrorCode.success.rawValue)
        writer.write(handle.rawValue)
        writer.write(peer.configuration.features)
      }
    }
    return nil
  }

  /// The reasons that a host may give. Core Specification, Vol 4, Part E, 7.1.6.
  private static let disconnectReasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]

  // MARK: Ends

  /// Ends a link from this side. Reports it to both hosts, to the other one with `reason`.
  func close(_ end: LinkEnd, reason: HCIErrorCode) {
    let peer = end.peer
    finish(end, .connectionTerminatedByLocalHost)
    if let peer { peer.controller?.finish(peer, reason) }
  }

  /// Removes a link, and reports its end to this side's host.
  func finish(_ end: LinkEnd, _ reason: HCIErrorCode) {
    guard let index = links.firstIndex(where: { $0 === end }) else { return }
    links.remove(at: index)
    air?.linkEnded(of: self)
    end.peer?.peer = nil
    end.peer = nil
    emit(DisconnectionComplete(status: .success, handle: end.handle, reason: reason))
  }

  /// Ends every link from this side, with `reason` for the peers' hosts.
  func closeLinks(reason: HCIErrorCode) {
    for end in links { close(end, reason: reason) }
  }

  /// Removes every link without a report: the peers' links end by supervision timeout.
  func loseLinks() {
    guard let air else { return }
    for end in links { end.breakContact(at: air.now) }
    links.removeAll()
    air.linkEnded(of: self)
  }
}
