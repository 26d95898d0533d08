import BluetoothHost

/// What a central knows of a peripheral after it has read all that it may read.
struct DeviceCopy {
  /// Its address and its advertising; `nil` before the first advertisement.
  var device: NearbyDevice?
  /// Its attributes.
  var found = FoundAttributes()
  /// The values that were read, by handle.
  var values: [UInt16: [UInt8]] = [:]
  /// Why attributes could not be read, by handle.
  var refusals: [UInt16: ATTErrorCode] = [:]

  /// The attributes that were refused on a link without encryption; `authenticated` for those that
  /// were refused again once it had some.
  var protected: [UInt16: LinkSecurity] = [:]

  /// Nothing is known.
  init() {}

  /// What a program has read.
  init(_ program: borrowing GATTProgram) {
    device = program.session.candidates.first
    found = program.found
    values = program.values
    refusals = program.refusals
    protected = program.protected
  }
}
