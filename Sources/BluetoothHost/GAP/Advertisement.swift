/// What a peripheral says of itself: in every advertisement, and to those who ask for more.
///
/// Core Specification, Vol 3, Part C, 9.2 and 11.
public struct Advertisement: Equatable, Sendable {
  /// What every advertisement says.
  public private(set) var data = AdvertisingData()
  /// What a scan response adds.
  public private(set) var scanResponse = AdvertisingData()

  /// Generally discoverable, with one 128-bit or 16-bit service.
  ///
  /// Flags take 3 of 31 bytes and a 128-bit UUID 18: a name of at most 8 bytes fits beside them.
  /// A longer one goes into the scan response, where there is room for 29.
  public init(service: BluetoothUUID, name: DeviceName) {
    // LE General Discoverable, BR/EDR not supported. Supplement, Part A, 1.3.
    let flags: InlineArray<1, UInt8> = [0x06]
    _ = data.append(.flags, flags.span)
    var uuid = InlineArray<16, UInt8>(repeating: 0)
    var writer = ByteWriter(uuid.mutableSpan)
    service.write(to: &writer)
    let length = writer.count
    _ = data.append(
      length == 2 ? .completeServiceUUIDs16 : .completeServiceUUIDs128,
      uuid.span.extracting(first: length))
    if !data.append(.completeLocalName, name.span) {
      _ = scanResponse.append(.completeLocalName, name.span)
    }
  }
}
