import BallRunner
import BluetoothHost
import LinuxRadio

/// A peripheral of a file, as a member of a swarm.
final class SwarmPeripheral: SwarmMember {
  private var program: PeripheralProgram
  private var port: SwarmPort
  private var link = RadioLink<526>()
  private unowned let context: SwarmContext
  /// How many requests to end it knows of.
  private var interruptions = 0

  private init(
    _ index: Int, of configuration: SwarmConfiguration, _ file: LoadedPeripheral,
    context: SwarmContext
  ) {
    let seed = configuration.seed
    let isSilent = configuration.lines == .none
    let print: (String) -> Void = { [unowned context] line in
      guard !isSilent else { return }
      context.lines.add(
        Array((line + "\n").utf8).span, of: index + 1, to: .output, at: context.now)
    }
    port = SwarmPort(index, context: context)
    program = PeripheralProgram(
      file, address: .fixed(seed.address(of: index + 1)), seed: seed.answers(of: index + 1),
      printer: PeripheralPrinter(isJSON: configuration.lines == .json, print: print),
      name: configuration.names.name(of: index + 1), connections: configuration.connections,
      time: port.time)
    self.context = context
  }

  func turn() -> Bool? {
    port.turnBegins()
    let now = port.now
    while interruptions < context.endRequests {
      interruptions += 1
      program.interrupt(at: now)
    }
    guard program.wantsRadio else {
      link.close(&port)
      program.advance(to: now)
      return false
    }
    if link.open(&port, at: now) == .failed, program.host.radio == .starting { return nil }
    let turn = link.serve(&port, for: &program, at: now)
    if case .lost = turn {
      var reason = ByteBuffer<384>()
      reason.write { port.writeRadioError(to: &$0) }
      program.radioFailed(
        RadioError(String(decoding: [UInt8](reason.span), as: UTF8.self)), at: now)
    }
    program.turnEnded(at: now)
    return turn == .unfinished || !program.wantsRadio
  }

  var now: Instant { port.now }
  func sleep(until end: Instant?) -> Instant? {
    let deadline = Instant.earlier(
      program.deadline, program.wantsRadio ? .earlier(link.deadline, port.deadline) : nil)
    return port.sleep(until: .earlier(deadline, end))
  }
  var isAdvertising: Bool { program.host.radio == .advertising }
  /// It counts nothing.
  var figures: BallFigures { BallFigures() }
  var connectionCount: Int { program.host.connectionCount }
  func disconnectAll() { program.disconnectAll() }
  var openError: RadioError? { port.openError }
  var isFinished: Bool { program.isFinished || !link.isOpen }
  func close() { link.close(&port) }

  /// A peripheral of the configuration's file.
  static func make(
    _ index: Int, of configuration: SwarmConfiguration, context: SwarmContext
  ) -> any SwarmMember {
    guard let file = configuration.file else {
      return SwarmBall<1>(index, of: configuration, context: context)
    }
    return SwarmPeripheral(index, of: configuration, file, context: context)
  }
}
