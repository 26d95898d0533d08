import BluetoothHost
import Linux

/// What a radio needs beyond `PortRadio`: a heap and a thread. The host of a radio is looked up by its
/// name, and the virtual air is hosted if no program hosts it.
package struct RadioOpener: ~Copyable {
  /// Finds the numeric addresses of a host. May block.
  package typealias Lookup = TCPOpening<[String]>.Work

  /// The radio as its user named it.
  package let name: RadioAddress
  /// The virtual air, if the radio is on it.
  package let air: (any AirHost)?

  private let loop: EventLoop
  private let lookup: Lookup
  private var call = TCPOpening<[String]>()
  /// The addresses of the host that are still to be tried; the first one is being used.
  private var candidates: [String] = []

  /// A radio that is not open.
  ///
  /// - Parameters:
  ///   - air: The virtual air, for the radio `virtual`, which cannot be opened without one.
  ///   - lookup: Finds the numeric addresses of a host.
  package init(
    _ name: RadioAddress, loop: EventLoop, air: (any AirHost)?,
    lookup: @escaping Lookup = { (host, port) throws(SystemError) in
      try HostAddresses.numeric(host: host, port: port)
    }
  ) {
    self.name = name
    self.loop = loop
    self.lookup = lookup
    self.air = name == .virtual ? air : nil
  }

  /// The radio in messages: the air by the path of its socket.
  package var shown: RadioAddress { air.map { .unix(path: $0.path) } ?? name }

  /// When the lookup of the host times out; `nil` without one. Then, or when the loop wakes, the radio
  /// must be opened again.
  package var deadline: Instant? { call.deadline }

  /// Opens the radio with `attempt`, at each of its host's addresses in turn.
  ///
  /// - Parameter attempt: Opens the radio at this address, or looks whether a pending attempt there has
  ///   ended; and why it failed.
  /// - Returns: `pending` while the controller has not connected, or its host is being looked up: the
  ///   loop wakes when that changes.
  package mutating func open(
    at now: Instant, _ attempt: (RadioAddress) -> (RadioOpening, SystemCallError?)
  ) throws(SystemError) -> RadioOpening {
    // Between two steps here, another program may begin or stop to host the air.
    for count in 1... {
      guard let address = try address(at: now) else { return .pending }
      let (opening, failure) = attempt(address)
      guard case .failed = opening, let failure else { return opening }
      if !candidates.isEmpty {
        candidates.removeFirst()
        if !candidates.isEmpty { continue }
      }
      guard let air, failure.isAbsence, count < 10 else { throw SystemError(failure, of: shown) }
      try air.host(afterAttempt: count)
    }
    return .failed
  }

  /// The address to try; `nil` while the host is being looked up.
  private mutating func address(at now: Instant) throws(SystemError) -> RadioAddress? {
    let port: UInt16
    switch name.way {
    case .tcpClient(let number) where name.needsLookup: port = number
    case .tcpServer(let number) where name.needsLookup: port = number
    default: return shown
    }
    if candidates.isEmpty {
      guard let found = try call.result(of: name.place, port, loop: loop, at: now, lookup) else {
        return nil
      }
      candidates = found
    }
    guard let host = candidates.first else {
      throw SystemError(.addressNotAvailable, "find the host", shown.controllerName)
    }
    return RadioAddress(name.way, at: Array(host.utf8).span)
  }

  /// The radio was closed. A host may have another address the next time, but not while this program
  /// listens there.
  package mutating func radioIsClosed() {
    if case .tcpClient = name.way { candidates = [] }
  }

  /// Stops looking up a host.
  package mutating func close() {
    call.abandon()
    candidates = []
  }
}

extension RadioAddress {
  /// The controller in messages: the path, HOST:PORT, the device or hciN.
  var controllerName: String { String(writing: { writeTarget(to: &$0) }) }
}

extension SystemError {
  /// A failed call on the radio at `address`.
  package init(_ failure: SystemCallError, of address: RadioAddress) {
    self.init(failure, of: address.controllerName)
  }
}

/// The virtual air, for radios with the name `virtual`: `SharedAir` of the module LinuxAir.
///
/// A program with real controllers only needs none, and does not contain the simulator.
public protocol AirHost: AnyObject {
  /// The path of the air's socket, which a radio connects to.
  var path: String { get }

  /// Hosts the air in this program, after a radio found no program that does.
  ///
  /// - Parameter attempt: How often the radio has tried to connect, from 1 on.
  func host(afterAttempt attempt: Int) throws(SystemError)

  /// When `advance(to:)` must be called next; `nil` to wait for packets, or if another program hosts
  /// the air.
  var deadline: Instant? { get }

  /// Sets the time of the air, if this program hosts it.
  func advance(to now: Instant)

  /// Stops hosting: connected programs must find another host.
  func close()
}
