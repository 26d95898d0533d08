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
      close(end, telling: HCIErrorCode(rawValue: reason))
    case .readRemoteVersionInformation:
      accept(command)
      // Out of reach, the answer never comes; the end of the link does.
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

  /// Ends a link from this side, and tells both hosts; the other one `reason`.
  func close(_ end: LinkEnd, telling reason: HCIErrorCode) {
    let peer = end.peer
    finish(end, .connectionTerminatedByLocalHost)
    if let peer { peer.controller?.finish(peer, reason) }
  }

  /// Forgets a link, and tells this side's host.
  func finish(_ end: LinkEnd, _ reason: HCIErrorCode) {
    guard let index = links.firstIndex(where: { $0 === end }) else { return }
    links.remove(at: index)
    air?.linkEnded(of: self)
    end.peer?.peer = nil
    end.peer = nil
    emit(DisconnectionComplete(status: .success, handle: end.handle, reason: reason))
  }

  /// Ends every link from this side, and tells the peers' hosts.
  func closeLinks(telling reason: HCIErrorCode) {
    for end in links { close(end, telling: reason) }
  }

  /// Forgets every link without a word: the peers find out by their supervision time-outs.
  func loseLinks() {
    guard let air else { return }
    for end in links { end.breakContact(at: air.now) }
    links.removeAll()
    air.linkEnded(of: self)
  }
}
