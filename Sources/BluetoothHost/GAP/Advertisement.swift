/// The advertising data and the scan response data of a peripheral.
///
/// Core Specification, Vol 3, Part C, 9.2 and 11.
public struct Advertisement: Equatable, Sendable {
  /// The data of each advertisement.
  public private(set) var data = AdvertisingData()
  /// The additional data of a scan response.
  public private(set) var scanResponse = AdvertisingData()

  /// Creates the advertisement of a generally discoverable device with one service.
  ///
  /// Flags take 3 of 31 bytes and a 128-bit UUID 18, which leaves room for a name of at most 8
  /// bytes. A longer one goes into the scan response, which has room for 29.
  public init(service: BluetoothUUID, name: DeviceName) {
    let services = InlineArray<1, BluetoothUUID>(repeating: service)
    self.init(services: services.span, name: name.span)
  }

  /// Creates the advertisement of a generally discoverable device with any number of services, and
  /// a name in UTF-8 of any length; empty for none.
  ///
  /// The advertisement contains the services in order, as many as fit, and then the name if it
  /// fits. Otherwise the scan response contains the name, or the characters that fit into its 29
  /// bytes. Further services follow in the scan response as long as they fit; the rest are not
  /// advertised. An incomplete list has the type for that.
  public init(services: Span<BluetoothUUID>, name: Span<UInt8>) {
    // LE General Discoverable, BR/EDR not supported. Supplement, Part A, 1.3.
    let flags: InlineArray<1, UInt8> = [0x06]
    _ = data.append(.flags, flags.span)
    let count = data.append(services, from: 0)
    if !name.isEmpty, !data.append(.completeLocalName, name),
      !scanResponse.append(.completeLocalName, name)
    {
      _ = scanResponse.append(.shortenedLocalName, name.prefixOfUTF8(DeviceName.capacity))
    }
    _ = scanResponse.append(services, from: count)
  }
}

extension AdvertisingData {
  /// Appends the services from index `start` on, as many as fit: the 16-bit UUIDs in one list, the
  /// others in another.
  ///
  /// - Returns: The index of the first that did not fit.
  fileprivate mutating func append(_ services: Span<BluetoothUUID>, from start: Int) -> Int {
    var end = start
    var size = (short: 0, long: 0)
    while end < services.count {
      let byteCount = services[end].byteCount
      // A list has a length and a type before its UUIDs.
      var new = size
      if byteCount == 2 {
        new.short += new.short == 0 ? 4 : 2
      } else {
        new.long += new.long == 0 ? 18 : 16
      }
      guard new.short + new.long <= Self.capacity - count else { break }
      size = new
      end += 1
    }
    appendList(of: services, from: start, to: end, byteCount: 2)
    appendList(of: services, from: start, to: end, byteCount: 16)
    return end
  }

  /// Appends the list of the services from index `start` to `end` whose UUIDs have `byteCount`
  /// bytes.
  @inline(never)
  private mutating func appendList(
    of services: Span<BluetoothUUID>, from start: Int, to end: Int, byteCount: Int
  ) {
    var list = InlineArray<31, UInt8>(repeating: 0)
    var writer = ByteWriter(list.mutableSpan)
    var isWhole = true
    for index in services.indices where services[index].byteCount == byteCount {
      if index >= start, index < end {
        services[index].write(to: &writer)
      } else {
        isWhole = false
      }
    }
    let length = writer.count
    guard length > 0 else { return }
    let type: AdvertisingDataType =
      if byteCount == 2 {
        isWhole ? .completeServiceUUIDs16 : .incompleteServiceUUIDs16
      } else {
        isWhole ? .completeServiceUUIDs128 : .incompleteServiceUUIDs128
      }
    _ = append(type, list.span.extracting(first: length))
  }
}
