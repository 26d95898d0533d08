import BluetoothHost

extension CentralEngine {
  /// Opens a channel for a manager, after the operations that wait.
  func openChannel(
    _ psm: CBL2CAPPSM, _ keeper: ChannelKeeper, _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    // An operation that sends nothing. When it ends, the operations before it have ended too.
    perform([.configure(.nowhere, .none)], client, peer) { [weak self] outcome in
      if let error = outcome.error { return completion(.failure(error)) }
      guard let self, let (link, member, id) = openLink(client, peer) else {
        return completion(.failure(CBError(.notConnected)))
      }
      guard let spsm = SPSM(psm) else { return completion(.failure(CBError(.invalidParameters))) }
      let operation = central.openChannel(spsm, keeper.pipe, on: id)
      member.keep(keeper.pipe)
      link.wait(for: [operation], of: member) { outcome in
        guard case .success(let outputs) = outcome, case .channel(let end?)? = outputs.first else {
          return completion(outcome)
        }
        completion(.failure(end.publicError))
      }
    }
  }
}
