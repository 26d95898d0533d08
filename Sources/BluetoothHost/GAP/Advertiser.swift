/// What a peripheral advertises, and what its controller is known to do of it.
public struct Advertiser {
  /// What is advertised while a connection is free; `nil` if nothing.
  var advertisement: Advertisement?

  var isAdvertising = false
  /// What the last advertising command asked for.
  var requestedAdvertising = false
  /// Whether advertising may not be on although it is thought to be.
  var doubtsAdvertising = false
  /// Whether the controller has yet to get the advertising data.
  var owesAdvertisingData = false
  /// Whether the controller has yet to get the scan response data.
  var owesScanResponseData = false
  /// Whether the controller refused to advertise while it has links, scans or connects. It is asked
  /// again when one of these has ended.
  var refusesAdvertising = false

  /// Whether the controller shall be asked if it still advertises.
  var owesCheck = false
  /// What its answer to that question means.
  var check = AdvertisingCheck.untried
  /// Whether it answered as one that does not advertise.
  var seemsSilent = false

  /// Nothing is advertised.
  init() {}

  /// The controller is reset. What shall be advertised stays, and what is known of the controller's
  /// answers.
  mutating func reset() {
    let old = self
    self = Advertiser()
    advertisement = old.advertisement
    check = old.check
  }
}

/// What it means that a controller takes new advertising parameters.
///
/// One that advertises has to refuse them, so one that takes them does not advertise any more. Some
/// take them at any time. Core Specification, Vol 4, Part E, 7.8.5.
enum AdvertisingCheck {
  /// The controller has not been asked.
  case untried
  /// It refuses them while it advertises: one that takes them has lost its state.
  case reliable
  /// It took them, and was set up again: if it takes them now, it always does.
  case doubtful
  /// It takes them at any time: the answer says only that it is there.
  case unreliable
}
