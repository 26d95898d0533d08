import BluetoothHost

extension DeviceAddress {
  /// A static random address that nobody else is likely to have.
  package static func newStaticRandom() -> DeviceAddress {
    .staticRandom(InlineArray<6, UInt8> { _ in UInt8.random(in: .min ... .max) })
  }
}
