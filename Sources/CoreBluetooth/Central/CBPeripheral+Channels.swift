import BluetoothHost

extension CBPeripheral {
  /// Opens a channel, once what was asked before has been answered.
  func openChannel(_ psm: CBL2CAPPSM) {
    guard let manager else { return }
    let channels = manager.thread.centralEngine.channels
    let pipe = ChannelPipe { [weak thread = manager.thread, weak channels] pipe in
      thread?.performCentral { [weak channels] _ in channels?.attend(to: pipe) }
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
