import EightBall
import Linux

extension BoardTable {
  /// The boards of boards/shipped.conf, which is part of the program.
  public static var shipped: BoardTable {
    unsafe BoardTable(start: clinux_boards(), count: clinux_boards_size())
  }
}

/// The model of this machine.
public enum MachineModel {
  /// The model in the device tree, such as "Raspberry Pi 4 Model B Rev 1.4"; empty without a device
  /// tree. Read from /sys, because a service may have no access to /proc.
  public static var current: BoardText<127> {
    var bytes = InlineArray<127, UInt8>(repeating: 0)
    let path = ProgramText("/sys/firmware/devicetree/base/model")
    let count = (try? readFile(path, into: bytes.mutableSpan)) ?? 0
    return BoardText(ModelSearch.model(inProperty: bytes.span.extracting(first: count)))
      ?? BoardText()
  }
}
