import BluetoothHost
import LinuxAir
import LinuxSystem

/// Opens one radio, as often as needed.
final class RadioSource {
  let name: RadioAddress
  /// The virtual air, if the radio is on it.
  let air: SharedAir?
  /// Whether other radios of this program use the same `air`, which its owner closes.
  private let isAirShared: Bool
  private weak var watcher: (any RadioWatcher)?

  private let loop: EventLoop
  private let connect: TCPOpening<FileDescriptor>.Work
  private var call = TCPOpening<FileDescriptor>()
  private var opening = TCPOpening<StreamListener>()
  private var listener: ControllerListener?
  /// The adapter as it was first found: the state to restore, and the address to look for when it
  /// returns with another number.
  private var adapter: Adapter?

  /// - Parameters:
  ///   - airPath: The path of the virtual air's socket, for the radio `virtual`.
  ///   - connect: Connects to a host's port. May block.
  init(
    _ name: RadioAddress, loop: EventLoop, airPath: String,
    connect: @escaping TCPOpening<FileDescriptor>.Work = {
      (host, port) throws(SystemError) in try StreamSocket.connect(host: host, port: port)
    }
  ) {
    self.name = name
    self.loop = loop
    self.connect = connect
    air = name == .virtual ? SharedAir(path: airPath, loop: loop) : nil
    isAirShared = false
  }

  /// One of many radios of this program.
  ///
  /// - Parameters:
  ///   - air: The air for the radio `virtual`. Its owner closes it.
  ///   - watcher: Is notified when the radio is ready.
  init(_ name: RadioAddress, loop: EventLoop, sharing air: SharedAir, watcher: any RadioWatcher) {
    self.name = name
    self.loop = loop
    self.watcher = watcher
    self.air = name == .virtual ? air : nil
    isAirShared = true
    connect = { (host, port) throws(SystemError) in
      try StreamSocket.connect(host: host, port: port)
    }
  }

  /// Opens a connection to the controller; `nil` while the controller has not connected, or its
  /// host is being looked up: the loop wakes when that changes.
  func open(at now: Instant) throws(SystemError) -> RadioConnection? {
    switch name.way {
    case .virtual:
      guard let air else { return nil }
      return try RadioConnection(try air.join(), loop: loop, watcher: watcher)
    case .unix(let user):
      return try RadioConnection(
        try StreamSocket.connect(path: name.place, trusting: user), loop: loop, watcher: watcher)
    case .tcpClient(let port):
      let host = name.place
      let connect = self.connect
      switch try call.result(of: host, port, loop: loop, at: now, connect) {
      case nil: return nil
      case let connection?:
        return try RadioConnection(connection, loop: loop, watcher: watcher)
      }
    case .tcpServer(let port):
      return try accept(host: name.place, port: port, at: now)
    case .serial(let speed):
      return try RadioConnection(try SerialPort.open(name.place, speed: speed), loop: loop)
    case .adapter(let number):
      return try openAdapter(number)
    }
  }

  /// When the lookup of a host times out; `nil` without a lookup. From then on, `open(at:)` throws.
  var deadline: Instant? { Instant.earlier(call.deadline, opening.deadline) }

  /// Stops listening, looking up a host and hosting an air.
  func close() {
    call.abandon()
    opening.abandon()
    listener?.close()
    listener = nil
    if !isAirShared { air?.close() }
  }

  private func accept(
    host: String, port: UInt16, at now: Instant
  ) throws(SystemError) -> RadioConnection? {
    let listener: ControllerListener
    if let present = self.listener {
      listener = present
    } else {
      let listen: TCPOpening<StreamListener>.Work = { (host, port) throws(SystemError) in
        try StreamListener(host: host, port: port)
      }
      switch try opening.result(of: host, port, loop: loop, at: now, listen) {
      case nil: return nil
      case let socket?: listener = ControllerListener(socket, loop: loop)
      }
      self.listener = listener
    }
    switch try listener.controller() {
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

  /// The adapter that was used before, whatever its number is now, or else the one with the number.
  private func find(_ number: UInt16) throws(SystemError) -> Adapter {
    if let adapter, adapter.address != .zero,
      let moved = try Adapter.all().first(where: { $0.address == adapter.address })
    {
      return moved
    }
    return try Adapter.find(number)
  }
}
