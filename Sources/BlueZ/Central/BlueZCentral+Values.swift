import BluetoothHost
import Linux

/// A subscription to a value of a peripheral.
struct Subscription {
  /// The peripheral's index.
  let index: Int
  /// The handle of the value.
  let handle: UInt16
  /// Where bluetoothd sends the values; `nil` while it sends them as changes of a property.
  let socket: Int32?
}

// The values of peripherals.
extension BlueZCentral {
  /// Takes an ATT PDU of the host.
  package mutating func receive(
    _ pdu: Span<UInt8>, at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard peripherals[index].isOpen else { return controller.completePacket(at: index) }
    peripherals[index].receive(pdu)
    // bluetoothd's answer to a command completes its packet, so that a fast host does not flood the bus.
    if !proceed(at: index, &controller, &bus) { controller.completePacket(at: index) }
  }

  /// Passes the packets of the server at `index` to the host, and its operations to bluetoothd. Returns whether one of them
  /// is a command.
  @discardableResult
  private mutating func proceed(
    at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) -> Bool {
    var isCommand = false
    while let operation = peripherals[index].takeOperation() {
      if case .command = operation { isCommand = true }
      begin(operation, at: index, &controller, &bus)
    }
    var hasMore = true
    while hasMore {
      controller.sendPacket { writer in
        hasMore = peripherals[index].writePacket(at: bus.now, to: &writer)
      }
    }
    return isCommand
  }

  // MARK: Operations

  private mutating func begin(
    _ operation: RemoteApplication.Operation, at index: Int, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    switch operation {
    case .read(let handle):
      guard let object = object(of: handle, at: index) else {
        return refuse(index, &controller, &bus)
      }
      ask(.operate, at: index, &bus) { bus, tag in
        bus.call(
          object.isDescriptor ? .readDescriptor : .readCharacteristic, on: object.path.span,
          tag: tag,
          timeout: Self.responseTimeout, signature: "a{sv}"
        ) { $0.endArray($0.beginArray(alignedTo: 8)) }
      }
    case .write(let handle) where peripherals[index].isConfiguration(at: handle):
      configure(handle, at: index, &controller, &bus)
    case .write(let handle): write(handle, isCommand: false, at: index, &controller, &bus)
    case .command(let handle): write(handle, isCommand: true, at: index, &controller, &bus)
    }
  }

  private mutating func write(
    _ handle: UInt16, isCommand: Bool, at index: Int, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    guard let object = object(of: handle, at: index) else {
      return isCommand ? controller.completePacket(at: index) : refuse(index, &controller, &bus)
    }
    ask(isCommand ? .command : .operate, at: index, &bus) { bus, tag in
      bus.call(
        object.isDescriptor ? .writeDescriptor : .writeCharacteristic, on: object.path.span,
        tag: tag,
        timeout: Self.responseTimeout, signature: "aya{sv}"
      ) { writer in
        peripherals[index].withValue { writer.write(bytes: $0) }
        let mark = writer.beginArray(alignedTo: 8)
        if !object.isDescriptor {
          writer.beginProperty("type", "s")
          writer.write(isCommand ? "command" : "request")
        }
        writer.endArray(mark)
      }
    }
  }

  /// The object of the value or descriptor at `handle`; `nil` if there is none.
  private func object(of handle: UInt16, at index: Int) -> (path: ObjectPath, isDescriptor: Bool)? {
    guard peripherals[index].isOpen, let place = peripherals[index].place(of: handle) else {
      return nil
    }
    let device = peripherals[index].path
    let isDescriptor = handle != place.value
    let path = ObjectPath {
      $0.write(device.span)
      $0.write(text: "/service")
      $0.write(lowercase: place.service)
      $0.write(text: "/char")
      $0.write(lowercase: place.characteristic)
      if isDescriptor {
        $0.write(text: "/desc")
        $0.write(lowercase: handle)
      }
    }
    return (path, isDescriptor)
  }

  private mutating func refuse(
    _ index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) { answer(.invalidHandle, at: index, &controller, &bus) }

  /// The operation under way on the peripheral at `index` has ended.
  private mutating func answer(
    _ error: ATTErrorCode?, value: Span<UInt8> = Span(), at index: Int,
    _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    peripherals[index].answer(error, value: value)
    proceed(at: index, &controller, &bus)
  }

  // MARK: Answers

  /// Takes bluetoothd's answer about the peripheral at `index`.
  mutating func reply(
    _ question: Question, _ message: borrowing DBusMessage, _ descriptors: inout DBusDescriptors,
    at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    let error = message.kind == .error ? ATTErrorCode(of: message) : nil
    var body = message.body
    switch question {
    case .refresh where error == nil:
      let path = peripherals[index].path
      peripherals[index].fill { database in
        body.forEachManagedInterface { database.add($0, of: path.span) }
      }
    case .command: controller.completePacket(at: index)
    // The end of the link follows, or else the host's limit for an answer ends it.
    case .operate where message.kind == .error && message.isAboutLink: break
    case .operate:
      guard error == nil, message.signature.equals("ay"), let value = body.readBytes() else {
        return answer(error, at: index, &controller, &bus)
      }
      answer(nil, value: value, at: index, &controller, &bus)
    case .acquire:
      guard error == nil, let number = body.readUInt32(), let socket = descriptors.take(at: number)
      else { return startNotify(at: index, &bus) }
      finishSubscription(with: socket, at: index, &controller, &bus)
    case .startNotify:
      guard error == nil else { return answer(error, at: index, &controller, &bus) }
      finishSubscription(with: nil, at: index, &controller, &bus)
    default: break
    }
  }

  /// bluetoothd has not answered in time.
  mutating func giveUp(
    _ question: Question, at index: Int, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    switch question {
    case .command: controller.completePacket(at: index)
    case .operate, .acquire, .startNotify: answer(.unlikelyError, at: index, &controller, &bus)
    default: break
    }
  }

  // MARK: Subscriptions

  /// Writes the Client Characteristic Configuration at `handle`, which only bluetoothd may write.
  private mutating func configure(
    _ handle: UInt16, at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    var configuration: ClientConfiguration?
    peripherals[index].withValue {
      var reader = ByteReader($0)
      if $0.count == 2, let bits = reader.readUInt16() {
        configuration = ClientConfiguration(rawValue: bits)
      }
    }
    guard let configuration, let object = value(of: handle, at: index) else {
      return answer(.invalidAttributeValueLength, at: index, &controller, &bus)
    }
    let known = subscription(to: object.handle, at: index)
    if configuration == .none {
      if let known { endSubscription(known, object.path, &bus) }
      return answer(nil, at: index, &controller, &bus)
    }
    guard known == nil else { return answer(nil, at: index, &controller, &bus) }
    let properties = peripherals[index].properties(at: object.handle)
    if configuration.contains(.notification), properties.contains(.notify) {
      // A socket of its own has the values only, in their order, and no program between.
      ask(.acquire, at: index, &bus) { bus, tag in
        bus.call(
          .acquireNotify, on: object.path.span, tag: tag, timeout: Self.responseTimeout,
          signature: "a{sv}"
        ) { $0.endArray($0.beginArray(alignedTo: 8)) }
      }
    } else if configuration.contains(.indication), properties.contains(.indicate) {
      startNotify(at: index, &bus)
    } else {
      answer(.cccdImproperlyConfigured, at: index, &controller, &bus)
    }
  }

  /// The handle and the object of the value that a Client Characteristic Configuration belongs to.
  private func value(of configuration: UInt16, at index: Int) -> (handle: UInt16, path: ObjectPath)?
  {
    guard let place = peripherals[index].place(of: configuration),
      let object = object(of: place.value, at: index)
    else { return nil }
    return (place.value, object.path)
  }

  /// Subscribes by changes of a property: there are no sockets for indications, and one of two programs has the socket.
  private mutating func startNotify(at index: Int, _ bus: inout BlueZBus) {
    guard case .write(let handle)? = peripherals[index].called,
      let object = value(of: handle, at: index)
    else { return }
    ask(.startNotify, at: index, &bus) {
      $0.call(.startNotify, on: object.path.span, tag: $1, timeout: Self.responseTimeout)
    }
  }

  private mutating func finishSubscription(
    with socket: Int32?, at index: Int, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    guard case .write(let handle)? = peripherals[index].called,
      let object = value(of: handle, at: index)
    else {
      if let socket { clinux_close(socket) }
      return
    }
    var free: Int?
    for slot in 0..<Self.subscriptionLimit where subscriptions[slot] == nil { free = slot }
    guard let free else {
      if let socket {
        clinux_close(socket)
      } else {
        bus.call(.stopNotify, on: object.path.span, tag: nil)
      }
      return answer(.insufficientResources, at: index, &controller, &bus)
    }
    if let socket {
      let token = PollToken(rawValue: Self.firstToken &+ UInt32(truncatingIfNeeded: free))
      bus.sockets.add(socket, token, for: .readable)
    }
    subscriptions[free] = Subscription(index: index, handle: object.handle, socket: socket)
    answer(nil, at: index, &controller, &bus)
  }

  /// The slot of the subscription to the value at `handle`.
  private func subscription(to handle: UInt16, at index: Int) -> Int? {
    for slot in 0..<Self.subscriptionLimit {
      if let known = subscriptions[slot], known.index == index, known.handle == handle {
        return slot
      }
    }
    return nil
  }

  private mutating func endSubscription(_ slot: Int, _ path: ObjectPath, _ bus: inout BlueZBus) {
    if subscriptions[slot]?.socket != nil {
      closeSocket(slot, bus)
    } else {
      bus.call(.stopNotify, on: path.span, tag: nil)
      subscriptions[slot] = nil
    }
  }

  private mutating func closeSocket(_ slot: Int, _ bus: borrowing BlueZBus) {
    if let socket = subscriptions[slot]?.socket {
      bus.sockets.remove(socket)
      clinux_close(socket)
    }
    subscriptions[slot] = nil
  }

  /// Ends all subscriptions to the peripheral at `index`.
  mutating func unsubscribe(at index: Int, _ bus: inout BlueZBus) {
    for slot in 0..<Self.subscriptionLimit {
      guard let known = subscriptions[slot], known.index == index else { continue }
      if let object = object(of: known.handle, at: index) {
        endSubscription(slot, object.path, &bus)
      } else {
        closeSocket(slot, bus)
      }
    }
  }

  // MARK: Notifications

  /// Reads the sockets whose bits are set, counted from `firstToken`.
  package mutating func read(
    _ sockets: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    for slot in 0..<Self.subscriptionLimit where sockets & 1 &<< UInt32(slot) != 0 {
      read(slot, &controller, &bus)
    }
  }

  private mutating func read(
    _ slot: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    var packet = InlineArray<517, UInt8>(repeating: 0)
    // While the host has not read, the values stay in the socket.
    while controller.hasRoom, let known = subscriptions[slot], let socket = known.socket {
      var space = packet.mutableSpan
      let result = unsafe space.withUnsafeMutableBufferPointer {
        unsafe Transfer(clinux_read(socket, $0.baseAddress, $0.count))
      }
      switch result {
      case .bytes(let count) where count > 0:
        notify(
          packet.span.extracting(first: count), of: known.handle, at: known.index, &controller)
      case .wouldBlock: return
      // The link has ended, or bluetoothd has.
      default: return closeSocket(slot, bus)
      }
    }
  }

  /// A property of a characteristic has changed: a notification, if the host has subscribed by it and does not read it.
  mutating func valueChanged(
    _ change: borrowing ManagedInterface, _ controller: inout BlueZController
  ) {
    guard let index = index(at: change.path) else { return }
    let device = peripherals[index].path
    guard let path = AttributePath(change.path, of: device.span), path.kind == .characteristic
    else { return }
    let handle = path.handle &+ 1
    guard let slot = subscription(to: handle, at: index), subscriptions[slot]?.socket == nil,
      peripherals[index].called != .read(handle)
    else { return }
    change.forEachProperty { name, value in
      guard name.equals("Value"), let bytes = value.bytes else { return }
      notify(bytes, of: handle, at: index, &controller)
    }
  }

  private func notify(
    _ value: Span<UInt8>, of handle: UInt16, at index: Int, _ controller: inout BlueZController
  ) {
    // The rest of the queue is for answers.
    guard controller.hasRoom else { return }
    controller.send(to: index) {
      $0.write(ATTOpcode.handleValueNotification.rawValue, handle)
      $0.write(value.extracting(first: min(value.count, 512)))
    }
  }
}
