import BluetoothHost
import Linux

// What the errors of bluetoothd and of the bus mean, by their names.

extension DBusMessage {
  /// What this error of a call about the adapter means for a radio.
  var radioError: ErrorNumber {
    let name = errorName
    if name.equals("org.freedesktop.DBus.Error.AccessDenied") { return .accessDenied }
    if name.equals("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
      || name.equals("org.bluez.Error.NotAuthorized")
    {
      return .noKey
    }
    if name.equals("org.freedesktop.DBus.Error.NameHasNoOwner")
      || name.equals("org.freedesktop.DBus.Error.ServiceUnknown")
    {
      return .hostDown
    }
    if name.equals("org.freedesktop.DBus.Error.UnknownObject") { return .noSuchDevice }
    // bluetoothd answers so for an object without the interface, too: it knows no such adapter then.
    if name.equals("org.freedesktop.DBus.Error.UnknownMethod") { return .noSuchDevice }
    if name.equals("org.freedesktop.DBus.Error.NoReply") { return .timedOut }
    if name.equals("org.bluez.Error.NotPermitted") { return .noSpace }
    if name.equals("org.bluez.Error.NotReady") { return .networkDown }
    return .protocolError
  }

  /// What this refusal of services or of an advertisement means for a radio.
  var registrationError: ErrorNumber {
    if errorName.equals("org.bluez.Error.InvalidLength") { return .messageTooLong }
    if errorName.equals("org.bluez.Error.Failed") { return .inputOutput }
    if errorName.equals("org.freedesktop.DBus.Error.UnknownMethod") { return .notSupported }
    return radioError
  }

  /// Whether it is an error of bluetoothd for a request that it cannot send, or whose answer cannot come any more, because
  /// the link has ended or is ending.
  var isAboutLink: Bool {
    var body = self.body
    guard !errorName.equals("org.bluez.Error.NotConnected") else { return true }
    guard errorName.equals("org.bluez.Error.Failed"), let text = body.readText() else {
      return false
    }
    return text.equals("Not connected") || text.equals("Operation failed")
  }
}

extension ATTErrorCode {
  /// The ATT error behind an error of bluetoothd: `create_gatt_dbus_error` of its gatt-client.c. The text has the number
  /// of those without a name.
  init(of message: borrowing DBusMessage) {
    var body = message.body
    let name = message.errorName
    var text = name
    if message.signature.equals("s"), let detail = body.readText() { text = detail }
    if let number = text.firstIndex(of: "0x" as StaticString), text.count >= number &+ 4,
      let high = text[number &+ 2].hexadecimalValue, let low = text[number &+ 3].hexadecimalValue
    {
      self.init(rawValue: high &<< 4 | low)
    } else if name.equals("org.bluez.Error.NotPermitted") {
      self =
        text.equals("Not paired")
        ? .insufficientAuthentication
        : text.equals("Write not permitted") ? .writeNotPermitted : .readNotPermitted
    } else if name.equals("org.bluez.Error.NotAuthorized") {
      self = .insufficientAuthorization
    } else if name.equals("org.bluez.Error.NotSupported") {
      self = .requestNotSupported
    } else if name.equals("org.bluez.Error.InProgress") {
      self = .procedureAlreadyInProgress
    } else if name.equals("org.bluez.Error.ImproperlyConfigured") {
      self = .cccdImproperlyConfigured
    } else if name.equals("org.bluez.Error.InvalidOffset") || text.equals("Invalid offset") {
      self = .invalidOffset
    } else if name.equals("org.bluez.Error.InvalidValueLength") || text.equals("Invalid Length") {
      self = .invalidAttributeValueLength
    } else if name.equals("org.freedesktop.DBus.Error.UnknownObject")
      || name.equals("org.freedesktop.DBus.Error.UnknownMethod")
    {
      self = .invalidHandle
    } else {
      self = .unlikelyError
    }
  }

  /// The D-Bus error for which bluetoothd sends this ATT error: `dbus_error_to_att_ecode` of its gatt-database.c.
  var daemonErrorName: StaticString {
    switch self {
    case .requestNotSupported: return "org.bluez.Error.NotSupported"
    case .insufficientAuthorization, .insufficientAuthentication, .insufficientEncryption:
      return "org.bluez.Error.NotAuthorized"
    case .invalidAttributeValueLength: return "org.bluez.Error.InvalidValueLength"
    case .invalidOffset: return "org.bluez.Error.InvalidOffset"
    case .procedureAlreadyInProgress: return "org.bluez.Error.InProgress"
    case .readNotPermitted, .writeNotPermitted: return "org.bluez.Error.NotPermitted"
    default:
      // Only the application's own codes have a number.
      let isOwn = rawValue >= 0x80 && rawValue <= 0x9F
      return isOwn ? "org.bluez.Error.Failed" : "org.bluez.Error.InvalidArguments"
    }
  }
}
