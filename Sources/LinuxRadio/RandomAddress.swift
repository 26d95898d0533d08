import BluetoothHost

extension DeviceAddress {
  /// A new static random address.
  package static func newStaticRandom() -> DeviceAddress {
    .staticRandom(InlineArray<6, UInt8> { _ in UInt8.random(in: .min ... .max) })
  }
}
