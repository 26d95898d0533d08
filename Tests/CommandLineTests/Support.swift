import BallTestSupport
import BluetoothHost
import LinuxPort
import LinuxTestSupport
import VirtualRadio

@testable import eightball

extension Launch {
  /// What these arguments ask for; `nil` is one that is not UTF-8.
  static func read(_ texts: [String?]) -> Launch { unsafe read(argumentVector(texts)) }

  /// What is wrong with these arguments; `nil` if nothing is.
  static func mistake(in texts: [String?]) -> String? {
    if case .mistake(let text) = read(texts) { text } else { nil }
  }

  /// The text that these arguments ask for; `nil` if they ask for none.
  static func text(for texts: [String]) -> String? {
    if case .text(let text) = read(texts) { text } else { nil }
  }
}

extension Command {
  /// The command with these arguments after its name.
  static func parse(_ texts: [String]) throws(UsageError) -> Self {
    guard let command = try unsafe Self(ArgumentList(argumentVector(texts)), asks: { _ in }) else {
      throw UsageError("It asks for the help or the version.")
    }
    return command
  }
}

extension PeripheralFile {
  /// The peripheral of a file; `nil`, and what is wrong, if a line is wrong.
  static func read(_ text: [UInt8]) -> (PeripheralDescription?, [PeripheralFileError]) {
    let file = PeripheralFile(text)
    return (file.errors.isEmpty ? file.peripheral : nil, file.errors)
  }
}

extension AirBench {
  /// A central with an open connection to the peripheral with this address.
  func connectedCentral(to address: DeviceAddress) throws -> AirDevice<Central<1, Collector>> {
    let central = add(Central<1, Collector>(configuration: .central, application: Collector()))
    central.host.start(at: now)
    try settle()
    _ = central.host.connect(to: address)
    try run(for: 1_000) { central.host.connectionCount == 1 }
    return central
  }
}
