import BluetoothHost
import LinuxRadio
import VirtualRadio

/// The clock of a server's air, on simulated time: it jumps to the next event when all clients are
/// idle. One client acts at a time, in the order of their arrival, so that a run is the same as the one
/// before if the programs are. `AirTimePacket` says how the clients know.
///
/// A client that does not state when it is idle is disconnected: by real time the others could not
/// tell when it acts. A client that does not come to rest holds the clock, and the server says so.
final class SimulatedTime {
  /// A client on the clock.
  private final class Member {
    let client: AirClient
    /// What the random numbers of its program come from.
    let seed: UInt64
    /// Whether it has stated that it was idle.
    var hasStated = false
    /// Until when it is idle; `nil` for ever.
    var deadline: Instant?
    /// The last time that it was sent.
    var known: Instant?
    /// The number of the statement that is awaited.
    var number: UInt32 = 0
    /// Whether packets wait for it, or its deadline has come.
    var mustAct = true

    init(_ client: AirClient, seed: UInt64) {
      self.client = client
      self.seed = seed
    }

    /// The event with the time for it.
    func event(_ now: Instant, number: UInt32) -> [UInt8] {
      AirTimePacket.event(now, number: number, seed: seed)
    }
  }

  private unowned let server: AirServer
  /// How many clients must have stated when they are idle before time passes.
  private let radioCount: Int
  private var hasBegun = false
  /// When the server says that radios are missing, by the monotonic clock; `nil` if it has said so, or clients act.
  private var missingReport: Instant?
  /// Whether it has said so since a client joined or left.
  private var isMissingReported = false
  private var members: [Member] = []
  /// The client that acts; `nil` if all are idle.
  private var active: Member?
  /// When it began to act, by the monotonic clock.
  private var activeSince = Instant(rawValue: 0)
  private var lastNumber: UInt32 = 0

  /// How long a new client may take to state that it is idle, in milliseconds.
  private static let patience: UInt32 = 2_000
  /// How long the clock waits for a client before the server says so, in milliseconds.
  private static let silence: UInt32 = 5_000
  /// Whether the server has said that the clock waits for the active client.
  private var isReported = false

  init(of server: AirServer, from radioCount: Int) {
    self.server = server
    self.radioCount = radioCount
  }

  // MARK: Clients

  /// A client has joined. It must not act before the others have come to rest.
  func add(_ client: AirClient) {
    // An odd factor without a pattern separates the radios; the source mixes them.
    let number = UInt64(truncatingIfNeeded: client.controller.number) &* 0xD1B5_4A32_D192_ED03
    var seeds = SplitMix64(seed: server.air.seed ^ number)
    let member = Member(client, seed: seeds.next())
    members.append(member)
    client.controller.onPacket = { [unowned member] in member.mustAct = true }
    client.controller.onUnknownCommand = { [unowned self, unowned member] opcode, parameters in
      guard opcode == AirTimePacket.idle, let idle = AirTimePacket.read(idle: parameters) else {
        return false
      }
      note(idle.number, idle.deadline, from: member)
      return true
    }
    // By real time its host would give up while another client is busy or stopped. No answer to this number is awaited.
    _ = client.put(member.event(server.air.now, number: 0))
    _ = client.transmit(isPutOnly: true)
    isMissingReported = false
  }

  /// A client has left.
  func remove(_ client: AirClient) {
    client.controller.onUnknownCommand = nil
    members.removeAll { $0.client === client }
    isMissingReported = false
    if active?.client === client { active = nil }
  }

  private func note(_ number: UInt32, _ deadline: Instant?, from member: Member) {
    member.hasStated = true
    member.deadline = deadline
    if active === member, number == member.number { active = nil }
  }

  // MARK: Turns

  /// When `turn(at:)` must be called, by the monotonic clock; `nil` to wait for packets.
  var deadline: Instant? {
    guard let active else { return missingReport }
    return isReported
      ? nil : activeSince.advanced(by: active.hasStated ? Self.silence : Self.patience)
  }

  /// Lets clients act, and time pass, until a client has to be waited for.
  ///
  /// - Parameter real: The time by the monotonic clock.
  func turn(at real: Instant) {
    if let time = missingReport, time <= real {
      missingReport = nil
      isMissingReported = true
      let count = members.count(where: \.hasStated)
      server.onNotice?(.tooFewRadios(count, of: radioCount, seconds: Self.silence / 1_000))
    }
    if let active, let deadline, deadline <= real {
      let client = active.client
      if active.hasStated {
        isReported = true
        server.onNotice?(
          .waiting(
            client.controller.address, program: client.program, seconds: Self.silence / 1_000))
      } else {
        server.remove(
          client,
          .dropped(
            client.controller.address,
            why: "\(client.program ?? "it") does not know simulated time, as the commands of "
              + "eightball and apps on CoreBluetooth do"))
      }
    }
    while active == nil {
      if let member = members.first(where: \.mustAct) {
        activeSince = real
        isReported = false
        activate(member)
      } else if !pass() {
        let isMissing = !hasBegun && !members.isEmpty && !isMissingReported
        missingReport = isMissing ? missingReport ?? real.advanced(by: Self.silence) : nil
        return
      }
    }
  }

  /// Sends the time to a client, or if it knows the time, its packets.
  private func activate(_ member: Member) {
    lastNumber &+= 1
    member.number = lastNumber
    active = member
    let (client, now) = (member.client, server.air.now)
    let packet = member.event(now, number: lastNumber)
    if member.known == now {
      member.mustAct = false
      client.controller.add(packet.span)
      return server.transmit(client)
    }
    // The packets follow when it acts at this time: it handles all that it reads at once at one time.
    member.known = now
    member.mustAct = client.controller.hasPacket
    // It was idle, so everything before has been sent.
    _ = client.put(packet)
    if let departure = client.transmit(isPutOnly: true) { server.remove(client, departure) }
  }

  /// Moves to the next event; `false` if there is none, or clients are missing.
  private func pass() -> Bool {
    hasBegun = hasBegun || members.count(where: \.hasStated) >= radioCount
    if hasBegun { missingReport = nil }
    let air = server.air
    guard hasBegun,
      let next = members.reduce(air.deadline, { Instant.earlier($0, $1.deadline) })
    else { return false }
    // A client that states a time in the past gets its turn a moment later.
    let now = max(next, air.now.advanced(by: 1))
    air.advance(to: now)
    for member in members {
      if let deadline = member.deadline, deadline <= now { member.mustAct = true }
    }
    return true
  }
}
