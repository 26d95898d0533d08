import CoreBluetooth

func meaning(of code: CBError.Code) -> String {
  switch code {
  case .connectionTimeout, .peripheralDisconnected: "the link was lost"
  default: "\(code.rawValue)"
  }
}

func isOn(_ state: CBManagerState) -> Bool {
  switch state {
  case .poweredOn: true
  case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: false
  @unknown default: false
  }
}
