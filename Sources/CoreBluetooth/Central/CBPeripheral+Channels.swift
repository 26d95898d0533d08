import BluetoothHost

extension CBPeripheral {
  /// Opens a channel once the earlier operations have ended.
  func openChannel(_ psm: CBL2CAPPSM) {
    guard let manager else { return }
    let channels = manager.thread.program.central.channels
    let pipe = ChannelPipe { [weak thread = manager.thread, weak channels] pipe in
      thread?.perform { [weak channels] _, _ in channels?.attend(to: pipe) }
    }
    let keeper = ChannelKeeper(pipe)
    ask { peripheral, outcome in
      let channel =
        outcome.error == nil ? CBL2CAPChannel(peer: peripheral, psm: psm, keeper) : nil
      peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: outcome.error)
    } _: { engine, client, address, completion in
      engine.openChannel(psm, keeper, client, address, completion)
    }
  }
}
