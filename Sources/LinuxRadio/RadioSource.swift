import BluetoothHost
import LinuxSystem

/// Opens one radio, again and again if need be.
final class RadioSource {
  let name: RadioName
  /// The virtual air, if the radio is on it.
  let air: SharedAir?

  private let loop: EventLoop
  private var door: RadioDoor?
  /// The adapter as it was first found: what it is given back as, and whom to look for when it
  /// comes back under another number.
  private var adapter: Adapter?

  /// - Parameter airPath: Where the virtual air is, if the radio is on it.
  init(_ name: RadioName, loop: EventLoop, airPath: String) {
    self.name = name
    self.loop = loop
    air = name == .virtual ? SharedAir(path: airPath, loop: loop) : nil
  }

  /// A way to the controller; `nil` if it is the controller that has to come.
  func open() throws(SystemError) -> RadioConnection? {
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
      return try RadioConnection(try StreamSocket.connect(host: host, port: port), loop: loop)
    case .tcpServer(let host, let port):
      return try answerDoor(host: host, port: port)
    case .serial(let device, let speed):
      return try RadioConnection(try SerialPort.open(device, speed: speed), loop: loop)
    case .adapter(let number):
      return try openAdapter(number)
    }
  }

  /// Takes no more controllers, and hosts no air.
  func close() {
    door?.close()
    door = nil
    air?.close()
  }

  private func answerDoor(host: String, port: UInt16) throws(SystemError) -> RadioConnection? {
    let door: RadioDoor
    if let present = self.door {
      door = present
    } else {
      door = RadioDoor(try StreamListener(host: host, port: port), loop: loop)
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
