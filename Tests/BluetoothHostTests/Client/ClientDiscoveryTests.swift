import BluetoothHost
import Testing

@Suite("Discovery by a GATT client")
struct ClientDiscoveryTests {
  @Test("finds all services, in several requests")
  func allServices() {
    let (requests, events) = perform(
      .discoverServices,
      [
        [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x06, 0x00, 0x09, 0x00, 0x01, 0x18],
        [0x11, 20, 0x10, 0x00, 0xFF, 0xFF] + testServiceBytes,
      ])
    #expect(
      requests == [
        [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], [0x10, 0x0A, 0x00, 0xFF, 0xFF, 0x00, 0x28],
      ])
    #expect(
      events == [
        .service(RemoteService(uuid: .genericAccessService, range: range(1, 5))),
        .service(RemoteService(uuid: .genericAttributeService, range: range(6, 9))),
        .service(RemoteService(uuid: .testService, range: range(0x10, 0xFFFF))),
        .ended(.discoverServices, nil),
      ])
  }

  @Test("finds services by a UUID of 16 or 128 bits")
  func servicesByUUID() {
    let (requests, events) = perform(
      .discoverServicesByUUID(BluetoothUUID(0x180A)),
      [[0x07, 0x10, 0x00, 0x15, 0x00], [0x01, 0x06, 0x16, 0x00, 0x0A]])
    #expect(
      requests == [
        [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
        [0x06, 0x16, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
      ])
    #expect(
      events.services == [RemoteService(uuid: BluetoothUUID(0x180A), range: range(0x10, 0x15))])
    #expect(events.endings == [nil])

    let long = perform(.discoverServicesByUUID(.testService), [[0x07, 0x10, 0x00, 0xFF, 0xFF]])
    #expect(long.requests == [[0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + testServiceBytes])
    #expect(long.events.endings == [nil])
  }

  @Test("finds included services, without their UUID if it has 128 bits")
  func includes() {
    let (requests, events) = perform(
      .discoverIncludedServices(range(0x10, 0x20)),
      [
        [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0A, 0x18],
        [0x09, 6, 0x12, 0x00, 0x40, 0x00, 0x45, 0x00],
        [0x01, 0x08, 0x13, 0x00, 0x0A],
      ])
    #expect(
      requests == [
        [0x08, 0x10, 0x00, 0x20, 0x00, 0x02, 0x28], [0x08, 0x12, 0x00, 0x20, 0x00, 0x02, 0x28],
        [0x08, 0x13, 0x00, 0x20, 0x00, 0x02, 0x28],
      ])
    #expect(
      events == [
        .include(
          RemoteInclude(
            declaration: handle(0x11), range: range(0x30, 0x35), uuid: BluetoothUUID(0x180A))),
        .include(
          RemoteInclude(declaration: handle(0x12), range: range(0x40, 0x45), uuid: nil)),
        .ended(.discoverIncludedServices(range(0x10, 0x20)), nil),
      ])
  }

  @Test("finds characteristics, up to the end of the range")
  func characteristics() {
    let (requests, events) = perform(
      .discoverCharacteristics(range(0x10, 0x16)),
      [
        [0x09, 7, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A],
        [0x09, 7, 0x14, 0x00, 0x12, 0x15, 0x00, 0x01, 0x2A],
        [0x01, 0x08, 0x16, 0x00, 0x0A],
      ])
    #expect(
      requests.map { Array($0[1...4]) } == [
        [0x10, 0x00, 0x16, 0x00], [0x13, 0x00, 0x16, 0x00], [0x16, 0x00, 0x16, 0x00],
      ])
    #expect(
      events.characteristics == [
        RemoteCharacteristic(
          uuid: .deviceName, properties: .read, declaration: handle(0x11), value: handle(0x12)),
        RemoteCharacteristic(
          uuid: .appearance, properties: .read | .notify, declaration: handle(0x14),
          value: handle(0x15)),
      ])
    #expect(events.endings == [nil])
    // The last handle of the range is a value: no request is left.
    let last = perform(
      .discoverCharacteristics(range(0x10, 0x12)),
      [[0x09, 21, 0x11, 0x00, 0x02, 0x12, 0x00] + testTextBytes])
    #expect(last.requests.count == 1)
    #expect(last.events.characteristics.map(\.uuid) == [.testText])
    #expect(last.events.endings == [nil])
  }

  @Test("finds descriptors; an empty range takes no request")
  func descriptors() {
    let (requests, events) = perform(
      .discoverDescriptors(range(0x13, 0x14)),
      [[0x05, 1, 0x13, 0x00, 0x02, 0x29, 0x14, 0x00, 0x01, 0x29]])
    #expect(requests == [[0x04, 0x13, 0x00, 0x14, 0x00]])
    #expect(
      events.descriptors == [
        RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: handle(0x13)),
        RemoteDescriptor(uuid: .characteristicUserDescription, handle: handle(0x14)),
      ])
    #expect(events.endings == [nil])
    for empty in [range(5, 4), range(0, 4)] {
      let none = perform(.discoverDescriptors(empty), [])
      #expect(none.requests == [])
      #expect(none.events == [.ended(.discoverDescriptors(empty), nil)])
    }
  }
}
