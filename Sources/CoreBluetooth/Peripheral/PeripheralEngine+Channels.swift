import BluetoothHost

// Channels that centrals open.
extension PeripheralEngine {
  /// Publishes a channel with a free PSM, which the delegate receives.
  func publishChannel(_ listener: DeviceChannels.Listener) {
    guard let spsm = nextFreeSPSM() else {
      return listener.client.callManager { manager in
        manager.delegate?.peripheralManager(
          manager, didPublishL2CAPChannel: 0, error: CBError(.outOfSpace))
      }
    }
    lastSPSM = spsm
    device.channels.listeners[spsm] = listener
    listener.client.callManager { manager in
      manager.delegate?.peripheralManager(
        manager, didPublishL2CAPChannel: spsm.rawValue, error: nil)
    }
  }

  /// A PSM that is not published. Earlier ones are reused as late as possible.
  private func nextFreeSPSM() -> SPSM? {
    let first = SPSM.firstDynamic.rawValue
    let last = lastSPSM?.rawValue ?? 0x00FF
    for step in 1...0x80 as ClosedRange<UInt16> {
      let spsm = SPSM(first + (last - first + step) % 0x80)
      if let spsm, device.channels.listeners[spsm] == nil { return spsm }
    }
    return nil
  }

  /// Stops publishing this channel. Open channels stay open.
  func unpublishChannel(_ psm: CBL2CAPPSM, of client: PeripheralHandle) {
    var error: CBError?
    if let spsm = SPSM(psm), device.channels.listeners[spsm]?.client === client {
      device.channels.listeners[spsm] = nil
    } else {
      error = CBError(.invalidParameters)
    }
    client.callManager { [error] manager in
      manager.delegate?.peripheralManager(
        manager, didUnpublishL2CAPChannel: psm, error: error)
    }
  }

  /// Reports the channels that centrals have opened.
  func reportChannels() {
    for arrival in device.channels.takeArrivals() {
      // Without a connection in the server, nothing keeps the channel, so it closes.
      guard let central = device.host.server.application.links[arrival.link]?.central else {
        continue
      }
      arrival.client.callManager { manager in
        manager.delegate?.peripheralManager(
          manager,
          didOpen: CBL2CAPChannel(
            peer: central, psm: arrival.spsm.rawValue, arrival.keeper), error: nil)
        withExtendedLifetime(arrival.delivery) {}
      }
    }
  }
}
