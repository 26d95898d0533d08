extension BallCentral.Event: CustomStringConvertible {
  /// The event in English.
  public var description: String {
    switch self {
    case .stateUpdated(let isPoweredOn): bluetoothState(isPoweredOn)
    case .found(let ball): "Found “\(ball.name)”."
    case .connected(let ball): "Connected to “\(ball.name)”."
    case .discovered(let ball): "“\(ball.name)” can be asked."
    case .asked(let ball, let question): "“\(ball.name)” accepted the question: \(question)"
    case .answered(let ball, let answer): "“\(ball.name)” answers: \(answer)"
    case .lost(let ball): "Lost “\(ball.name)”."
    case .failed(let error, let ball): failure(error, of: ball)
    }
  }
}

extension BallPeripheral.Event: CustomStringConvertible {
  /// The event in English.
  public var description: String {
    switch self {
    case .stateUpdated(let isPoweredOn): bluetoothState(isPoweredOn)
    case .advertising: "Advertising."
    case .asked(let asker, let question): "“\(asker.name)” asks: \(question)"
    case .answered(let asker, let answer, let question):
      "“\(asker.name)” has the answer to “\(question)”: \(answer)"
    case .failed(let error, let asker): failure(error, of: asker)
    }
  }
}

extension NearbyDevices.Event: CustomStringConvertible {
  /// The event in English.
  public var description: String {
    switch self {
    case .stateUpdated(let isPoweredOn): bluetoothState(isPoweredOn)
    case .heard(let device): "Heard \(device)."
    }
  }
}

extension NearbyDevice: CustomStringConvertible {
  /// Its name, whether it is a ball, and the RSSI.
  public var description: String {
    (name.map { "“\($0)”" } ?? "a device without a name") + (isBall ? ", a ball" : "")
      + (rssi.map { ", at \($0) dBm" } ?? "")
  }
}

private func bluetoothState(_ isPoweredOn: Bool) -> String {
  isPoweredOn ? "Bluetooth can be used." : "Bluetooth cannot be used."
}

private func failure(_ error: BallError, of device: (any BallDevice)?) -> String {
  (device.map { "“\($0.name)”: " } ?? "") + error.description
}
