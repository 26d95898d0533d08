import BluetoothHost

// Channels that centrals open.
extension PeripheralEngine {
  /// Publishes a channel under a number of its own, which the delegate gets.
  func publishChannel(_ listener: DeviceChannels.Listener) {
    guard let spsm = nextFreeSPSM() else {
      return listener.client.tell { manager in
        manager.delegate?.peripheralManager(
          manager, didPublishL2CAPChannel: 0, error: CBError(.outOfSpace))
      }
    }
    lastSPSM = spsm
    device.channels.listeners[spsm] = listener
    listener.client.tell { manager in
      manager.delegate?.peripheralManager(
        manager, didPublishL2CAPChannel: spsm.rawValue, error: nil)
    }
  }

  /// A number that is not published. One that was is used again as late as possible.
  private func nextFreeSPSM() -> SPSM? {
    let first = SPSM.firstDynamic.rawValue
    let last = lastSPSM?.rawValue ?? 0x00FF
    for step in 1...0x80 as ClosedRange<UInt16> {
      let spsm = SPSM(first + (last - first + step) % 0x80)
      if let spsm, device.channels.listeners[spsm] == nil { return spsm }
    }
    return nil
  }

  /// Centrals can open this channel no more. Those that are open stay so.
  func unpublishChannel(_ psm: CBL2CAPPSM, of client: PeripheralClient) {
    var error: CBError?
    if let spsm = SPSM(psm), device.channels.listeners[spsm]?.client === client {
      device.channels.listeners[spsm] = nil
    } else {
      error = CBError(.invalidParameters)
    }
    client.tell { [error] manager in
      manager.delegate?.peripheralManager(
        manager, didUnpublishL2CAPChannel: psm, error: error)
    }
  }

  /// Hands over the channels that centrals have opened.
  func tellOfChannels() {
    for arrival in device.channels.takeArrivals() {
      // Without a place in the server the channel is closed, as nothing keeps it.
      guard let central = device.host.server.application.links[arrival.link]?.central else {
        continue
      }
      arrival.client.tell { manager in
        manager.delegate?.peripheralManager(
          manager,
          didOpen: CBL2CAPChannel(
            peer: central, psm: arrival.spsm.rawValue, arrival.keeper), error: nil)
      }
    }
  }
}
