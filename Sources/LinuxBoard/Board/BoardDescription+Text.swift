import BluetoothHost
import Boards
import EightBall
import LinuxRadio

extension BoardText: CustomStringConvertible {
  /// `text`; `nil` if it does not fit.
  public init?(_ text: String) {
    self.init(text.utf8.span)
  }

  /// The text.
  public var description: String { String(writing: { $0.writePrefix(of: span) }) }
}

extension BoardPart: CaseIterable, CustomStringConvertible {
  /// All parts, in the order of a board's file.
  public static var allCases: [BoardPart] { all.indices.map { all[$0] } }

  /// Its name in a board's file.
  public var description: String { name.description }
}

extension BoardDescription {
  /// The radio to use if the command line names none; `nil` for the first usable one.
  public var radioName: RadioAddress? { radio.flatMap { try? RadioAddress($0.description) } }

  /// The line of a button; `nil` if the board has none.
  public func line(_ button: ButtonName) -> LineDescription? {
    switch button {
    case .shake: shake
    case .clear: clear
    }
  }

  /// The line of a light; `nil` if the board has none.
  public func line(_ light: LightName) -> LineDescription? {
    switch light {
    case .status: status
    case .answer: answer
    }
  }
}
