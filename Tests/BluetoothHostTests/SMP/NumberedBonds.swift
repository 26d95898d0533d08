import BluetoothHost

/// The static random address whose first byte is `number`.
func address(_ number: UInt8) -> DeviceAddress { .staticRandom([number, 0, 0, 0, 0, 0]) }

/// A bond with the device of `address`.
func numberedBond(
  _ number: UInt8, key: UInt32 = 1, irk: UInt32? = nil, diversifier: UInt16 = 0,
  randomNumber: UInt64 = 0, isSecureConnections: Bool = true, role: PairingRole = .responder
) -> Bond {
  Bond(
    identityAddress: address(number), longTermKey: Number128(words: [key, 0, 0, 0]),
    encryptedDiversifier: diversifier, randomNumber: randomNumber,
    identityResolvingKey: irk.map { Number128(words: [$0, 0, 0, 0]) }, isAuthenticated: false,
    isSecureConnections: isSecureConnections, role: role)
}
