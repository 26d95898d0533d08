import BluetoothHost

/// The search for a machine's board by its device tree model.
///
/// A board's models are prefixes of device tree models. The board with the longest matching prefix
/// is chosen. If two boards have that prefix, none is.
public struct ModelSearch: Sendable {
  /// What a search found.
  public enum Result: Equatable, Sendable {
    /// No board has this model.
    case none
    /// The board with this number has it.
    case board(Int)
    /// Several boards have it; `first` is the number of the first.
    case several(first: Int)
  }

  /// The result so far.
  public private(set) var result = Result.none
  /// The length of the longest matching prefix so far, in bytes.
  public private(set) var length = 0

  /// A search that has seen no board.
  public init() {}

  /// Compares one of the models of a board.
  ///
  /// - Parameters:
  ///   - board: a number of the caller's for the board.
  ///   - start: the prefix of a model.
  ///   - model: the model of this machine.
  public mutating func look(at board: Int, start: Span<UInt8>, model: Span<UInt8>) {
    guard Self.begins(model, with: start), start.count >= length else { return }
    if start.count > length {
      length = start.count
      result = .board(board)
    } else if case .board(let first) = result, first != board {
      result = .several(first: first)
    }
  }

  /// The model in the property `model` of a device tree: the bytes up to a zero byte or a line
  /// break. Empty without such a model.
  @_lifetime(copy property)
  public static func model(inProperty property: Span<UInt8>) -> Span<UInt8> {
    for index in property.indices where property[index] == 0 || property[index] == 0x0A {
      return property.extracting(first: index)
    }
    return property
  }

  /// Whether `start` is a prefix of `model` that ends at a space or at the model's end.
  public static func begins(_ model: Span<UInt8>, with start: Span<UInt8>) -> Bool {
    guard !start.isEmpty, start.count <= model.count,
      model.extracting(first: start.count).hasSameBytes(as: start)
    else { return false }
    return start.count == model.count || model[start.count] == UInt8(ascii: " ")
  }
}
