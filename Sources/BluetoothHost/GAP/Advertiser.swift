/// What a peripheral advertises, and the known state of its controller.
public struct Advertiser {
  /// The advertisement while a connection is free; `nil` for none.
  var advertisement: Advertisement?

  var isAdvertising = false
  /// The state in the last advertising command.
  var requestedAdvertising = false
  /// Whether the controller's advertising state is unknown.
  var isAdvertisingUncertain = false
  /// Whether the advertising data has yet to be sent to the controller.
  var isAdvertisingDataPending = false
  /// Whether the scan response data has yet to be sent to the controller.
  var isScanResponseDataPending = false
  /// Whether the controller refused to advertise while it has links, scans or connects. The host
  /// tries again when one of these has ended.
  var isAdvertisingRefused = false

  /// Whether to check that the controller still advertises.
  var isCheckPending = false
  /// Whether the check is reliable with this controller.
  var check = AdvertisingCheck.untried
  /// Whether the last check indicates that the controller does not advertise.
  var seemsStopped = false

  /// Nothing to advertise.
  init() {}

  /// The controller is reset. The advertisement and the reliability of the check stay.
  mutating func reset() {
    let old = self
    self = Advertiser()
    advertisement = old.advertisement
    check = old.check
  }
}

/// What it means that a controller accepts new advertising parameters.
///
/// A controller that advertises must refuse them, so acceptance means that advertising has ended.
/// But some accept them at any time. Core Specification, Vol 4, Part E, 7.8.5.
enum AdvertisingCheck {
  /// The controller has not been checked.
  case untried
  /// It refuses them during advertising, so acceptance means that it has lost its state.
  case reliable
  /// It accepted them and was set up again. If it accepts them again, it always does.
  case uncertain
  /// It always accepts them: the answer only shows that it works.
  case unreliable
}
