import BluetoothHost
import LinuxSystem

/// Opens one radio, again and again if need be.
final class RadioSource {
  let name: RadioName
  /// The virtual air, if the radio is on it.
  let air: SharedAir?

  private let loop: EventLoop
  private let connect: HostCall<FileDescriptor>.Work
  private var call = HostCall<FileDescriptor>()
  private var opening = HostCall<StreamListener>()
  private var door: RadioDoor?
  /// The adapter as it was first found: what it is given back as, and whom to look for when it
  /// comes back under another number.
  private var adapter: Adapter?

  /// - Parameters:
  ///   - airPath: Where the virtual air is, if the radio is on it.
  ///   - connect: Connects to a host's port. May wait.
  init(
    _ name: RadioName, loop: EventLoop, airPath: String,
    connect: @escaping HostCall<FileDescriptor>.Work = {
      (host, port) throws(SystemError) in try StreamSocket.connect(host: host, port: port)
    }
  ) {
    self.name = name
    self.loop = loop
    self.connect = connect
    air = name == .virtual ? SharedAir(path: airPath, loop: loop) : nil
  }

  /// A way to the controller; `nil` if the controller has to come, or its host is being looked for:
  /// the loop wakes then when there is one.
  func open(at now: Instant) throws(SystemError) -> RadioConnection? {
    switch name {
    case .virtual:
      guard let air else { return nil }
      return try RadioConnection(try air.join(), loop: loop)
    case .unix(let path):
      return try RadioConnection(try StreamSocket.connect(path: path), loop: loop)
    case .unixOfUser(let user, let path):
      return try RadioConnection(
        try StreamSocket.connect(path: path, trusting: user), loop: loop)
    case .tcpClient(let host, let port):
      let connect = self.connect
      switch try call.result(of: host, port, loop: loop, at: now, connect) {
      case nil: return nil
      case let connection?: return try RadioConnection(connection, loop: loop)
      }
    case .tcpServer(let host, let port):
      return try answerDoor(host: host, port: port, at: now)
    case .serial(let device, let speed):
      return try RadioConnection(try SerialPort.open(device, speed: speed), loop: loop)
    case .adapter(let number):
      return try openAdapter(number)
    }
  }

  /// Until when a host is looked for; `nil` if none is. From then on, `open(at:)` throws.
  var deadline: Instant? { Instant.earlier(call.deadline, opening.deadline) }

  /// Takes no more controllers, looks for no host, and hosts no air.
  func close() {
    call.abandon()
    opening.abandon()
    door?.close()
    door = nil
    air?.close()
  }

  private func answerDoor(
    host: String, port: UInt16, at now: Instant
  ) throws(SystemError) -> RadioConnection? {
    let door: RadioDoor
    if let present = self.door {
      door = present
    } else {
      let listen: HostCall<StreamListener>.Work = { (host, port) throws(SystemError) in
        try StreamListener(host: host, port: port)
      }
      switch try opening.result(of: host, port, loop: loop, at: now, listen) {
      case nil: return nil
      case let listener?: door = RadioDoor(listener, loop: loop)
      }
      self.door = door
    }
    switch try door.controller() {
    case nil: return nil
    case let controller?: return try RadioConnection(controller, loop: loop)
    }
  }

  private func openAdapter(_ number: UInt16) throws(SystemError) -> RadioConnection {
    var present = try find(number)
    let channel = try present.open()
    if let adapter, adapter.address == present.address { present.isUp = adapter.isUp }
    adapter = present
    return try RadioConnection(channel, loop: loop, adapter: present)
  }

  /// The adapter that was used before, wherever it is now, or else the one with the number.
  private func find(_ number: UInt16) throws(SystemError) -> Adapter {
    if let adapter, adapter.address != .zero,
      let moved = try Adapter.all().first(where: { $0.address == adapter.address })
    {
      return moved
    }
    return try Adapter.find(number)
  }
}
