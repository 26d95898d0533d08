import BluetoothHost
import Linux

/// A peripheral, as its file describes it: its advertising, and its database with every handle.
struct PeripheralDescription: Sendable {
  /// The name of its advertising and of its GAP service: 1 to 29 bytes.
  var name = "Peripheral"
  /// The address; `automatic` if the file names none.
  var address = AddressChoice.automatic
  /// The kind of device, for an icon: Assigned Numbers, 2.6.
  var appearance: UInt16 = 0
  /// The services in its advertising.
  var advertised: [BluetoothUUID] = []
  /// The manufacturer's data in its advertising, from the company identifier on; empty for none.
  var manufacturer: [UInt8] = []
  /// The bytes of the advertisement, instead of those that the fields above give.
  var advertisement: [UInt8]?
  /// The bytes of the scan response, instead of those that the fields above give.
  var scanResponse: [UInt8]?
  /// The time between two advertisements, in milliseconds: 20 to 10,240.
  var interval: UInt32 = 100
  /// How many centrals it serves at once: 1 to `mostConnections`.
  var connections = mostConnections
  /// The values that it broadcasts in a periodic advertising train; `nil` for none.
  var train: PeripheralTrain?
  var faults = PeripheralFaults()
  /// In the order of their handles.
  var services: [PeripheralService] = []
  /// A session with a central that `eightball replay` replays, in the order of time.
  var steps: [SessionStep] = []

  /// Whether centrals may open enhanced bearers: the file has the EATT bit of the characteristic Server
  /// Supported Features. Core Specification, Vol 3, Part G, 7.4.
  var hasEnhancedBearers: Bool {
    services.flatMap(\.characteristics).contains { characteristic in
      characteristic.uuid == .serverSupportedFeatures
        && (ValueField.bytes(of: characteristic.value).first ?? 0) & 1 != 0
    }
  }

  /// The most centrals at once.
  static let mostConnections = 4
}

/// A service of a description.
struct PeripheralService: Sendable {
  /// Its name in the file, one word.
  var label: String
  var uuid: BluetoothUUID
  var isPrimary = true
  /// The handle of its declaration.
  var handle: UInt16 = 0
  /// The handle of its end, if that is after its last attribute; `nil` for the last attribute.
  var end: UInt16?
  var includes: [PeripheralInclude] = []
  var characteristics: [PeripheralCharacteristic] = []
}

/// A service that another one includes.
struct PeripheralInclude: Sendable {
  /// The label of the included service.
  var label: String
  /// The handle of the declaration.
  var handle: UInt16 = 0
}

/// A characteristic of a description.
struct PeripheralCharacteristic: Sendable {
  /// Its name in the file, after that of its service.
  var label: String
  var uuid: BluetoothUUID
  var properties: GATTProperties
  /// The handle of its declaration. Its value has the next.
  var handle: UInt16 = 0
  /// The security that a link needs to use its value.
  var security = AttributeProtection.none
  /// Its value at the start. Without one the host gives those of GAP and GATT that it knows, such as Device Name.
  var value: [ValueField] = []
  var timeline: Timeline?
  /// What follows a write; `nil` for `WriteAnswer.usual`.
  var answer: WriteAnswer?
  var faults = PeripheralFaults()
  /// In the order of their handles, with the Client Characteristic Configuration.
  var descriptors: [PeripheralDescriptor] = []

  /// Whether centrals can subscribe to it.
  var isSubscribable: Bool { properties.isSubscribable }
  /// The handle of its value.
  var valueHandle: UInt16 { handle &+ 1 }
}

/// A descriptor of a description.
struct PeripheralDescriptor: Sendable {
  /// Its name in the file, after those of its service and its characteristic.
  var label: String
  var uuid: BluetoothUUID
  /// `read`, `write` or both.
  var properties = GATTProperties.read
  var handle: UInt16 = 0
  /// The security that a link needs to use it.
  var security = AttributeProtection.none
  var value: [ValueField] = []

  /// The Client Characteristic Configuration at a handle.
  static func configuration(at handle: UInt16) -> PeripheralDescriptor {
    PeripheralDescriptor(
      label: "configuration", uuid: .clientCharacteristicConfiguration, properties: .read | .write,
      handle: handle)
  }

  /// Whether it is as the one that no line has to declare, at any handle.
  var isUsualConfiguration: Bool {
    isConfiguration && label == "configuration" && properties == .read | .write
      && security == .none && value.isEmpty
  }

  /// Whether it is a Client Characteristic Configuration.
  var isConfiguration: Bool { uuid == .clientCharacteristicConfiguration }
}

extension PeripheralDescription {
  /// The GAP and GATT services that a file does not have to declare: Core Specification, Vol 3, Part C, 12, and
  /// Part G, 7. Those that `services` has already are left out.
  static func implied(beside services: [PeripheralService]) -> [PeripheralService] {
    func declares(_ uuid: BluetoothUUID) -> Bool { services.contains { $0.uuid == uuid } }
    var implied: [PeripheralService] = []
    if !declares(.genericAccessService) {
      var service = PeripheralService(label: "generic-access", uuid: .genericAccessService)
      service.characteristics = [
        PeripheralCharacteristic(label: "name", uuid: .deviceName, properties: .read),
        PeripheralCharacteristic(label: "appearance", uuid: .appearance, properties: .read),
      ]
      implied.append(service)
    }
    if !declares(.genericAttributeService) {
      var service = PeripheralService(label: "generic-attribute", uuid: .genericAttributeService)
      var changed = PeripheralCharacteristic(
        label: "changed", uuid: .serviceChanged, properties: .indicate)
      changed.descriptors = [.configuration(at: 0)]
      service.characteristics = [
        changed,
        PeripheralCharacteristic(
          label: "features", uuid: .clientSupportedFeatures, properties: .read | .write),
        PeripheralCharacteristic(label: "hash", uuid: .databaseHash, properties: .read),
      ]
      implied.append(service)
    }
    return implied
  }

  /// Gives each attribute the handle after the one before it, or the one that `explicit` names.
  ///
  /// - Parameters:
  ///   - explicit: The handle of the file for an attribute with this label, as `heart.rate`; `nil` for the next one.
  ///   - report: Takes the label of an attribute whose handle is not after the one before it, and the lowest handle that
  ///     it can have; `nil` for the first attribute whose handles are above 0xFFFF, after which it takes nothing.
  mutating func assignHandles(
    explicit: (String) -> UInt16?, report: (_ label: String, _ lowest: UInt16?) -> Void
  ) {
    var next = 1
    func take(_ label: String, _ given: UInt16?, count: Int = 1) -> UInt16 {
      let wanted = given.map(Int.init) ?? next
      if next <= 0xFFFF + 1 {
        if max(next, wanted) + count - 1 > 0xFFFF {
          report(label, nil)
          // No other attribute has a handle.
          next = 0xFFFF + 1
        } else if wanted < next {
          report(label, UInt16(next))
        }
      }
      next = max(next, wanted) + count
      return UInt16(clamping: wanted)
    }
    for index in services.indices {
      let service = services[index].label
      services[index].handle = take(service, explicit(service))
      for include in services[index].includes.indices {
        let given = services[index].includes[include].handle
        services[index].includes[include].handle = take(service, given == 0 ? nil : given)
      }
      for number in services[index].characteristics.indices {
        let label = service + "." + services[index].characteristics[number].label
        services[index].characteristics[number].handle = take(
          label, explicit(label), count: 2)
        for descriptor in services[index].characteristics[number].descriptors.indices {
          let name = services[index].characteristics[number].descriptors[descriptor].label
          services[index].characteristics[number].descriptors[descriptor].handle =
            take(label + "." + name, explicit(label + "." + name))
        }
      }
      guard let end = services[index].end else { continue }
      if Int(end) < next - 1, next <= 0xFFFF + 1 { report(service + ".end", UInt16(next - 1)) }
      next = max(next, Int(end) + 1)
    }
  }
}

extension PeripheralDescription {
  /// What it advertises: the flags, the services, then the name, the manufacturer's data and the appearance where they
  /// fit; `nil` if one of them fits neither the advertisement nor the scan response.
  var advertising: Advertisement? {
    let base = Advertisement(services: advertised.span, name: Array(name.utf8).span)
    var data = base.data
    var response = base.scanResponse
    func append(_ type: AdvertisingDataType, _ value: [UInt8]) -> Bool {
      value.isEmpty || data.append(type, value.span) || response.append(type, value.span)
    }
    let code = [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]
    let fits = append(.manufacturerSpecificData, manufacturer)
    // The appearance is left out where it does not fit.
    _ = appearance == 0 || append(.appearance, code)
    guard fits || advertisement != nil else { return nil }
    if let advertisement, let own = AdvertisingData(advertisement.span) {
      data = own
      response = AdvertisingData()
    }
    if let scanResponse, let own = AdvertisingData(scanResponse.span) { response = own }
    return Advertisement(data: data, scanResponse: response)
  }
}

extension Advertisement {
  /// How many services it and its scan response name.
  var serviceCount: Int {
    let lists: [(AdvertisingDataType, byteCount: Int)] = [
      (.incompleteServiceUUIDs16, 2), (.completeServiceUUIDs16, 2),
      (.incompleteServiceUUIDs128, 16), (.completeServiceUUIDs128, 16),
    ]
    return lists.reduce(0) { sum, list in
      sum + ((data.value(of: list.0)?.count ?? 0) + (scanResponse.value(of: list.0)?.count ?? 0))
        / list.byteCount
    }
  }
}
