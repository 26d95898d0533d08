import BluetoothHost

extension ATTMTU {
  /// The longest value in one command, notification or indication: the MTU less the header of 3
  /// bytes, and at most the maximum length of a value (Core Specification, Vol 3, Part F, 3.2.9).
  var maximumUpdateLength: Int { min(byteCount - 3, maximumAttributeValueLength) }
}
