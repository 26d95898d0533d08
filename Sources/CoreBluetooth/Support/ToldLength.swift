import BluetoothHost

extension ATTMTU {
  /// How many bytes of a value go into one command, notification or indication: what its header of 3
  /// leaves, and never more than a value has (Core Specification, Vol 3, Part F, 3.2.9).
  var maximumToldLength: Int { min(byteCount - 3, maximumAttributeValueLength) }
}
