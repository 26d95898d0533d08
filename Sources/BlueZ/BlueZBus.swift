import BluetoothHost
import Linux

/// bluetoothd, as the roles of a `BlueZRadio` reach it: calls, replies, and the sockets that it and this
/// program share.
package struct BlueZBus: ~Copyable {
  /// Which role made a call: the upper byte of its tag.
  package enum Caller: UInt32 {
    case radio
    case peripheral
    case central

    /// The tag of its call with a number of 24 bits.
    @inline(never)
    package func tag(_ number: UInt32) -> UInt32 { rawValue &<< 24 | number & 0xFF_FFFF }

    /// Whose call it is.
    init?(tag: UInt32) { self.init(rawValue: tag &>> 24) }
  }

  private let pin = Pinned()
  /// The messages to the bus.
  package var output: DBusOutput
  /// The sockets of this radio: the bus's, and those that the roles share with bluetoothd.
  package let sockets: PollQueue
  /// The number of the adapter, as in hciN.
  package let adapter: UInt16
  /// The path of the adapter.
  package let adapterPath: ObjectPath
  /// bluetoothd's unique name on the bus.
  package var owner = InlineCString<32>()
  /// The time of the present turn.
  package var now = Instant(rawValue: 0)
  /// Why the radio cannot be used any more; `nil` while it can.
  package private(set) var failure: ErrorNumber?

  /// A bus without messages; `nil` if the kernel refuses memory or a queue.
  init?(adapter: UInt16) {
    guard let output = DBusOutput(), let sockets = PollQueue() else { return nil }
    self.output = output
    self.sockets = sockets
    self.adapter = adapter
    adapterPath = ObjectPath(adapter: adapter)
  }

  /// The radio cannot be used for this reason: the first one counts.
  @inline(never)
  package mutating func fail(_ code: ErrorNumber) {
    if failure == nil { failure = code }
  }

  /// Calls a method of bluetoothd.
  @inline(never)
  package mutating func call(
    _ member: DBusMember, on path: Span<UInt8>, tag: UInt32?,
    timeout: UInt32 = DBusOutput.usualTimeout,
    signature: StaticString = "", _ body: (inout DBusWriter) -> Void = { _ in }
  ) {
    if !output.call(
      member, on: path, of: ProgramText("org.bluez").span, tag: tag, at: now, timeout: timeout,
      signature: signature, body)
    {
      fail(.tooManyUsers)
    }
  }

  /// Calls a method of the adapter.
  @inline(never)
  package mutating func callAdapter(
    _ member: DBusMember, tag: UInt32?, timeout: UInt32 = DBusOutput.usualTimeout,
    signature: StaticString,
    _ body: (inout DBusWriter) -> Void
  ) {
    let path = adapterPath
    call(member, on: path.span, tag: tag, timeout: timeout, signature: signature, body)
  }

  /// Subscribes to the signals of bluetoothd that match a rule, or ends that. D-Bus Specification, "Match Rules".
  @inline(never)
  package mutating func match(_ isWanted: Bool = true, _ rule: (inout ByteWriter) -> Void) {
    output.match(isWanted, at: now) {
      $0.write(text: "type='signal',sender='org.bluez',")
      rule(&$0)
    }
  }

  /// Subscribes to changes of the properties of `interface` of the object at `path`, or ends that.
  @inline(never)
  package mutating func watch(
    _ interface: StaticString, at path: Span<UInt8>, _ isWanted: Bool = true
  ) {
    match(isWanted) {
      $0.write(
        text: "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='")
      $0.write(text: interface)
      $0.write(text: "',path='")
      $0.write(start: path)
      $0.write(text: "'")
    }
  }

  /// Replies to a call of bluetoothd.
  @inline(never)
  package mutating func reply(
    to call: UInt32, signature: StaticString = "", with descriptor: Int32? = nil,
    _ body: (inout DBusWriter) -> Void = { _ in }
  ) {
    guard call != 0 || descriptor != nil else { return }
    output.reply(to: call, of: owner.span, signature: signature, with: descriptor, body)
  }

  /// Refuses a call of bluetoothd with the D-Bus error for which it sends this ATT error.
  @inline(never)
  package mutating func reply(to call: UInt32, error code: ATTErrorCode) {
    guard call != 0 else { return }
    output.reply(to: call, of: owner.span, error: code.daemonErrorName) {
      $0.write(text: "0x")
      $0.write(hexadecimal: code.rawValue)
    }
  }
}
