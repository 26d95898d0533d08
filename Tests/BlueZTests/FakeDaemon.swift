import BluetoothHost
import Expectations
import Glibc
import Linux
import VirtualRadio

@testable import BlueZ

/// A call that a `FakeDaemon` has received.
struct DaemonCall: Equatable, CustomStringConvertible {
  var path: String
  var member: String
  /// The first argument: a text in quotes, bytes in hexadecimal; empty for anything else.
  var argument = ""

  var description: String { "\(path) \(member) \(argument)" }
}

/// What a `FakeDaemon` answers.
enum DaemonAnswer {
  /// A reply without values.
  case done
  case bytes([UInt8])
  case error(String, String)
  /// All objects.
  case objects
  /// The properties of an object's interface.
  case properties(of: String)
  /// The end of a socket for notifications.
  case socket
  /// Nothing, for now.
  case later
}

/// bluetoothd and the bus as a test: it has objects, answers calls, and sends signals. The other end of its socket is a
/// `BlueZRadio`'s, on which a host runs. Time passes only by `pass`.
final class FakeDaemon<Side: HostSide & ~Copyable> {
  /// A property, in D-Bus's types.
  enum Value {
    case text(String), flag(Bool), short(Int16), texts([String]), bytes([UInt8])
  }

  typealias Properties = [(name: String, value: Value)]

  var host: Side
  private var radio: BlueZRadio
  private let socket: PortDescriptor
  private var input: DBusInput
  private var output: DBusOutput
  private var descriptors = DBusDescriptors()
  private var hasGreeted = false
  private(set) var now = Instant(rawValue: 1_000)

  /// bluetoothd's objects, without the adapter: their path, their interface and its properties.
  var objects: [(path: String, interface: String, properties: Properties)] = []
  /// How calls of bluetoothd are answered, if not in the usual way.
  var script: (DaemonCall) -> DaemonAnswer? = { _ in nil }
  /// The calls of bluetoothd, without those for properties and objects.
  private(set) var calls: [DaemonCall] = []
  /// The test's end of the socket for notifications that was acquired last.
  private(set) var notifier: Int32 = -1
  private var lateCall: UInt32 = 0
  /// The program's answer to the last call of `ask`: bytes, the texts of a name and of a reason, or a signature.
  private(set) var answer: DaemonAnswer?
  /// The descriptor that came with it.
  private(set) var receivedSocket: Int32 = -1

  /// A host on a radio on this daemon's bus. It has not started.
  init?(_ host: consuming Side) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0, let input = DBusInput(),
      let output = DBusOutput()
    else { return nil }
    self.host = host
    socket = PortDescriptor(owning: ends[1])
    self.input = input
    self.output = output
    radio = try BlueZRadio(adapter: 0, on: PortDescriptor(owning: ends[0]), at: now)
    settle()
  }

  deinit { if notifier >= 0 { close(notifier) } }

  var failure: ErrorNumber? { radio.failure }
  var isOpen: Bool { radio.isOpen }
  /// Whether the radio pairs with each peripheral.
  var pairs: Bool {
    get { radio.pairs }
    set { radio.pairs = newValue }
  }

  func takeCalls() -> [DaemonCall] {
    defer { calls = [] }
    return calls
  }

  // MARK: Calls of bluetoothd

  /// Offers the services of the host, as a port does.
  func export(_ attributes: Span<Attribute>, protection: AttributeProtection = .none) {
    radio.export(attributes, protection: protection)
  }

  /// Ends the radio, as a port does.
  func end() {
    radio.end()
    settle()
  }

  /// Calls a method of the program, whose answer `answer` has then.
  ///
  /// - Parameter isRead: Whether the program reads the call now.
  func ask(
    _ path: String, _ interface: StaticString, _ member: StaticString,
    _ signature: StaticString = "",
    needsNoReply: Bool = false, isRead: Bool = true, _ body: (inout DBusWriter) -> Void = { _ in }
  ) {
    answer = nil
    output.call(
      DBusMember(interface, member), on: Array(path.utf8).span, of: Array(":1.9".utf8).span,
      tag: needsNoReply ? nil : 1, at: now, signature: signature, body)
    flush()
    if isRead { settle() }
  }

  private func note(_ message: borrowing DBusMessage) {
    guard output.takeCall(message.replySerial) != nil else { return }
    var body = message.body
    switch message.kind {
    case .error:
      guard let reason = body.readText() else { return }
      answer = .error(text(message.errorName), text(reason))
    case .reply where message.signature.equals("ay"):
      if let bytes = body.readBytes() { answer = .bytes(bytes.indices.map { bytes[$0] }) }
    case .reply where message.signature.equals("hq"):
      answer = .socket
      receivedSocket = descriptors.take(at: 0) ?? -1
    case .reply:
      answer = message.signature.isEmpty ? .done : .properties(of: text(message.signature))
    default: break
    }
  }

  // MARK: Time and packets

  func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    host.advance(to: now)
    settle()
  }

  /// Carries packets and messages until none is left.
  func settle() {
    var isBusy = true
    while isBusy {
      isBusy = false
      while let packet = received() {
        isBusy = true
        host.receive(packet.span, at: now)
      }
      while let packet = sent() {
        isBusy = true
        _ = radio.write(packet.span, at: now)
      }
      if serve() { isBusy = true }
    }
  }

  private func received() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: 1_024)
    var span = packet.mutableSpan
    guard case .bytes(let count) = radio.read(into: &span, at: now) else { return nil }
    return Array(packet.prefix(count))
  }

  private func sent() -> [UInt8]? {
    guard radio.isOpen else { return nil }
    var packet = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(packet.mutableSpan)
    guard host.nextPacket(into: &writer, at: now) else { return nil }
    let count = writer.count
    return Array(packet.prefix(count))
  }

  // MARK: The bus

  private func serve() -> Bool {
    if hasGreeted {
      guard case .bytes(1...) = input.receive(from: socket, &descriptors) else { return false }
    } else {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe Glibc.read(socket.number, &bytes, bytes.count)
      guard count > 0 else { return false }
      // The client's lines end with BEGIN; the lines of a server make the input begin with messages.
      let begin = Array("BEGIN\r\n".utf8)
      guard
        let start = (0...count - begin.count).first(where: {
          Array(bytes[$0..<$0 + begin.count]) == begin
        })
      else { return false }
      hasGreeted = true
      let lines = Array("OK 0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
      unsafe Glibc.write(socket.number, lines, lines.count)
      let received = lines + bytes[(start + begin.count)..<count]
      input.receive(received.span)
    }
    while let message = try? input.next() {
      answer(message)
      descriptors.drop(message.descriptorCount)
    }
    flush()
    return true
  }

  private func flush() {
    while output.hasBytes { guard case .bytes = output.send(to: socket) else { return } }
  }

  private func answer(_ message: borrowing DBusMessage) {
    guard message.kind == .call else { return note(message) }
    let serial = message.serial
    let member = text(message.member)
    let path = text(message.path)
    var body = message.body
    var argument = ""
    if message.signature.begins(with: "s"), let value = body.readText() {
      argument = "'\(text(value))'"
    } else if message.signature.begins(with: "ay"), let value = body.readBytes() {
      argument = value.indices.map { String(value[$0], radix: 16) }.joined(separator: " ")
    }
    let call = DaemonCall(path: path, member: member, argument: argument)
    if text(message.interface).hasPrefix("org.bluez") { calls.append(call) }
    let usual: DaemonAnswer
    switch member {
    // A bus adds the name of the sender to each message; without a bus it is empty.
    case "GetNameOwner": return reply(serial, "s") { $0.write("") }
    case "Hello": return reply(serial, "s") { $0.write(":1.9") }
    case "GetManagedObjects": usual = .objects
    case "GetAll": usual = .properties(of: path)
    case "AcquireNotify": usual = .socket
    default: usual = .done
    }
    send(script(call) ?? usual, to: serial, needsNoReply: message.needsNoReply)
  }

  /// Sends the answer that was `later`.
  func finishLateCall(_ answer: DaemonAnswer) {
    send(answer, to: lateCall, needsNoReply: false)
    flush()
    settle()
  }

  private func send(_ answer: DaemonAnswer, to serial: UInt32, needsNoReply: Bool) {
    guard !needsNoReply else { return }
    switch answer {
    case .later: lateCall = serial
    case .done: reply(serial, "") { _ in }
    case .bytes(let bytes): reply(serial, "ay") { $0.write(bytes: bytes.span) }
    case .error(let name, let text): refuse(serial, name, text)
    case .objects: reply(serial, "a{oa{sa{sv}}}") { [objects] in Self.write(objects, to: &$0) }
    case .properties(let path):
      let adapter: Properties = [("Powered", .flag(true)), ("Address", .text("F0:00:00:00:00:01"))]
      let known = objects.first { $0.path == path }?.properties ?? adapter
      reply(serial, "a{sv}") { Self.write(known, to: &$0) }
    case .socket:
      var number: Int32 = -1
      let own = unsafe clinux_open_packet_pair(&number)
      notifier = own
      _ = output.reply(
        to: serial, of: Array(":1.9".utf8).span, signature: "hq",
        with: number
      ) {
        $0.write(UInt32(0))
        $0.write(UInt16(517))
      }
    }
  }

  private func reply(
    _ serial: UInt32, _ signature: StaticString, _ body: (inout DBusWriter) -> Void
  ) {
    _ = output.reply(to: serial, of: Array(":1.9".utf8).span, signature: signature, body)
  }

  /// An error with a name that is no constant: the names of the tests are few.
  private func refuse(_ serial: UInt32, _ name: String, _ text: String) {
    let names: [StaticString] = [
      "org.bluez.Error.Failed", "org.bluez.Error.NotPermitted", "org.bluez.Error.NotReady",
      "org.bluez.Error.NotSupported", "org.bluez.Error.AlreadyConnected",
      "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.NotConnected",
    ]
    for known in names where known.description == name {
      output.reply(to: serial, of: Array(":1.9".utf8).span, error: known) { writer in
        for byte in text.utf8 { writer.write(byte) }
      }
      return
    }
    expect(false)
  }

  // MARK: Signals

  /// bluetoothd announces changed properties.
  func change(_ path: String, _ interface: StaticString, _ properties: Properties) {
    signal("org.freedesktop.DBus.Properties", "PropertiesChanged", from: path, "sa{sv}as") {
      $0.write(interface)
      Self.write(properties, to: &$0)
      $0.endArray($0.beginArray(alignedTo: 4))
    }
  }

  /// bluetoothd adds an object, and announces it.
  func add(_ path: String, _ interface: String, _ properties: Properties) {
    objects.append((path, interface, properties))
    signal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded", from: "/", "oa{sa{sv}}") {
      $0.write(Array(path.utf8).span)
      let mark = $0.beginArray(alignedTo: 8)
      $0.beginStructure()
      $0.write(Array(interface.utf8).span)
      Self.write(properties, to: &$0)
      $0.endArray(mark)
    }
  }

  /// bluetoothd removes an interface of an object, and announces it.
  func remove(_ path: String, _ interface: String) {
    objects.removeAll { $0.path == path && $0.interface == interface }
    signal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", from: "/", "oas") {
      $0.write(Array(path.utf8).span)
      let mark = $0.beginArray(alignedTo: 4)
      $0.write(Array(interface.utf8).span)
      $0.endArray(mark)
    }
  }

  private func signal(
    _ interface: StaticString, _ name: StaticString, from path: String, _ signature: StaticString,
    _ body: (inout DBusWriter) -> Void
  ) {
    output.signal(
      DBusMember(interface, name), from: Array(path.utf8).span, to: Array(":1.9".utf8).span,
      signature: signature, body)
    flush()
    settle()
  }

  // MARK: Values

  private static func write(
    _ objects: [(path: String, interface: String, properties: Properties)],
    to writer: inout DBusWriter
  ) {
    let mark = writer.beginArray(alignedTo: 8)
    for object in objects {
      writer.beginStructure()
      writer.write(Array(object.path.utf8).span)
      let interfaces = writer.beginArray(alignedTo: 8)
      writer.beginStructure()
      writer.write(Array(object.interface.utf8).span)
      write(object.properties, to: &writer)
      writer.endArray(interfaces)
    }
    writer.endArray(mark)
  }

  private static func write(_ properties: Properties, to writer: inout DBusWriter) {
    let mark = writer.beginArray(alignedTo: 8)
    for property in properties {
      writer.beginStructure()
      writer.write(Array(property.name.utf8).span)
      switch property.value {
      case .text(let text):
        writer.write(signature: "s")
        writer.write(Array(text.utf8).span)
      case .flag(let flag):
        writer.write(signature: "b")
        writer.write(flag)
      case .short(let number):
        // "n", or "q" for a number that has no sign.
        writer.write(signature: number < 0 ? "n" : "q")
        writer.write(UInt16(bitPattern: number))
      case .texts(let texts):
        writer.write(signature: "as")
        let array = writer.beginArray(alignedTo: 4)
        for text in texts { writer.write(Array(text.utf8).span) }
        writer.endArray(array)
      case .bytes(let bytes):
        writer.write(signature: "ay")
        writer.write(bytes: bytes.span)
      }
    }
    writer.endArray(mark)
  }

  private func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
