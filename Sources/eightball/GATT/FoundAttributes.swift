import BallControl
import BluetoothHost
import LinuxRadio

/// The attributes of a peripheral, as far as a client has discovered them.
struct FoundAttributes {
  /// The services in the order of their handles, secondary ones included.
  var services: [RemoteService] = []
  var includes: [RemoteInclude] = []
  var characteristics: [RemoteCharacteristic] = []
  /// Every attribute and its type, in the order of the handles.
  var types: [RemoteDescriptor] = []

  /// What an attribute is.
  enum Role {
    case service(RemoteService, isPrimary: Bool)
    case include(RemoteInclude)
    case characteristic(RemoteCharacteristic)
    /// The value of a characteristic.
    case value(RemoteCharacteristic)
    /// A descriptor, or an attribute outside of every characteristic.
    case descriptor(RemoteDescriptor)
  }

  /// What `attribute` is.
  func role(of attribute: RemoteDescriptor) -> Role {
    let handle = attribute.handle
    if let service = services.first(where: { $0.range.start == handle }) {
      return .service(service, isPrimary: attribute.uuid == .primaryService)
    }
    if let include = includes.first(where: { $0.declaration == handle }) {
      return .include(include)
    }
    if let characteristic = characteristics.first(where: { $0.declaration == handle }) {
      return .characteristic(characteristic)
    }
    if let characteristic = characteristic(valueAt: handle) { return .value(characteristic) }
    return .descriptor(attribute)
  }

  /// The characteristic with its value at `handle`.
  func characteristic(valueAt handle: AttributeHandle) -> RemoteCharacteristic? {
    characteristics.first { $0.value == handle }
  }

  /// The type of the attribute at `handle`; `nil` if it is unknown.
  func type(at handle: AttributeHandle) -> BluetoothUUID? {
    types.first { $0.handle == handle }?.uuid
  }

  /// The handles of the secondary services' declarations.
  var secondaryServices: [AttributeHandle] {
    types.filter { $0.uuid == .secondaryService }.map(\.handle)
  }

  /// The last handle of the service that is declared at `start`: up to the next service.
  func end(ofServiceAt start: AttributeHandle) -> AttributeHandle {
    let rest = types.drop { $0.handle <= start }
    let next = rest.prefix { $0.uuid != .primaryService && $0.uuid != .secondaryService }
    return next.last?.handle ?? start
  }

  /// The descriptors of a characteristic.
  func descriptors(of characteristic: RemoteCharacteristic) -> [RemoteDescriptor] {
    // Declarations have the types 0x2800 to 0x2803.
    Array(
      types.drop { $0.handle <= characteristic.value }
        .prefix { $0.uuid.short.map { $0 & 0xFFFC != 0x2800 } ?? true })
  }

  /// Where the attributes named `reference` are: values of characteristics, or else descriptors.
  func handles(of reference: AttributeReference) -> [AttributeHandle] {
    switch reference {
    case .handle(let handle): return [handle]
    case .uuid(let uuid):
      let values = characteristics.filter { $0.uuid == uuid }.map(\.value)
      return values.isEmpty ? types.filter { $0.uuid == uuid }.map(\.handle) : values
    }
  }

  /// The names of characteristics, as `AttributeReference` reads them: a name, or else a UUID.
  func names(where isIncluded: (GATTProperties) -> Bool) -> [String] {
    characteristics.filter { isIncluded($0.properties) }.map { characteristic in
      guard let name = AttributeNames.known(characteristic.uuid) else {
        return characteristic.uuid.text
      }
      return String(name.lowercased().map { $0 == " " ? "-" : $0 })
    }
  }

  /// What people call the attribute at `handle`: `2A19 Battery Level, at 0x0012`.
  func name(at handle: AttributeHandle) -> String {
    guard let uuid = type(at: handle) else { return handleText(handle.rawValue) }
    return "\(uuid.textAndName), at \(handleText(handle.rawValue))"
  }
}

extension GATTProperties {
  /// Whether a client can subscribe.
  var isSubscribable: Bool { rawValue & 0x30 != 0 }
}

/// An attribute as a user names it.
enum AttributeReference: Equatable {
  case handle(AttributeHandle)
  case uuid(BluetoothUUID)

  /// Reads a handle such as `0x0012`, a UUID of 4 or 32 digits, or a known name such as
  /// `battery-level`; `nil` for other text.
  init?(_ text: Substring) {
    if text.hasPrefix("0x") {
      guard let number = digits(text.dropFirst(2), base: 16, upTo: 0xFFFF), number > 0 else {
        return nil
      }
      self = .handle(AttributeHandle(rawValue: UInt16(number)))
    } else {
      let own = [BluetoothUUID.question, .answer].first {
        AttributeNames.known($0)?.isAssignedName(text) ?? false
      }
      guard
        let uuid = own ?? BluetoothUUID(file: text, of: .characteristic)
          ?? BluetoothUUID(file: text, of: .descriptor)
      else { return nil }
      self = .uuid(uuid)
    }
  }

  /// The reference as text: `2A19 Battery Level`.
  var text: String {
    switch self {
    case .handle(let handle): handleText(handle.rawValue)
    case .uuid(let uuid): uuid.textAndName
    }
  }
}

extension BluetoothUUID {
  /// The UUID, and its name if it has one: `2A19 Battery Level`.
  var textAndName: String { AttributeNames.known(self).map { "\(text) \($0)" } ?? text }
}
