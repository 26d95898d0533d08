/// A model of a display of 2×16 characters with the controller HD44780U of Hitachi, ROM code A00, by its four upper
/// data lines. ADE-207-272(Z).
///
/// It is strict: an instruction that comes while another is being executed is lost, and counted.
public final class VirtualHD44780 {
  /// The instructions and characters that came too early.
  public private(set) var lostCount = 0
  /// The edges of E at which another line of the interface changed: its setup or hold time was not kept. Table of bus
  /// timing characteristics, write operation.
  public private(set) var timingErrorCount = 0
  /// The time, in nanoseconds since a start that the caller chooses.
  public private(set) var now: UInt64 = 0

  /// The display data RAM, by addresses: 00h to 27h, and 40h to 67h for the second row. Figure 4.
  private var memory = [UInt8](repeating: 0, count: 128)
  /// The character generator RAM: eight characters of eight rows. Table 5.
  private var characters = [UInt8](repeating: 0, count: 64)
  private var registers = Registers()
  private var busyTime: UInt64

  /// What a reset by the supply sets. Reset function.
  private struct Registers {
    var isOn = false
    var isEightBits = true
    var hasTwoRows = false
    var isIncrementing = true
    var address: UInt8 = 0
    var isCharacterAddress = false
    var shift = 0
    /// The upper half of a byte in 4-bit mode.
    var upperHalf: UInt8?
    /// How many times the function was set since the supply came.
    var functionSetCount = 0
  }

  /// A display that has just been supplied.
  init() {
    busyTime = Self.resetTime
    fillMemory()
  }

  /// The internal reset takes 10 ms.
  private static let resetTime: UInt64 = 10_000_000

  func losePower() {
    registers = Registers()
    busyTime = now + Self.resetTime
    fillMemory()
  }

  /// The internal reset may fail if the supply rises slowly: the memory has any content.
  private func fillMemory() {
    for address in memory.indices {
      memory[address] = UInt8(truncatingIfNeeded: 0x21 + address * 7)
    }
  }

  // MARK: For tests and pictures

  /// Whether the display is on.
  public var isOn: Bool { registers.isOn }

  /// Both rows as the glass shows them: blanks if the display is off.
  ///
  /// A character of the ROM that is not in ASCII is `¥`, `→`, `←`, `█` or else `¤`, and one of the RAM is `▒`.
  public var lines: [String] {
    [0x00, 0x40].map { start in
      String(
        (0..<16).map { column -> Character in
          guard isOn, start == 0 || registers.hasTwoRows else { return " " }
          return Self.character(memory[start + (column + registers.shift + 40) % 40])
        })
    }
  }

  private static func character(_ code: UInt8) -> Character {
    switch code {
    case 0x00...0x0F: "▒"
    case 0x5C: "¥"
    case 0x7E: "→"
    case 0x7F: "←"
    case 0x20...0x7D: Character(Unicode.Scalar(code))
    case 0xFF: "█"
    default: "¤"
    }
  }

  // MARK: The interface

  func advance(to time: UInt64) { now = max(now, time) }

  /// The lines change: RS, R/W and E in bits 0 to 2, DB4 to DB7 in bits 4 to 7. The display takes what they were until
  /// E falls.
  func change(from old: UInt8, to new: UInt8) {
    let changed = old ^ new
    guard changed & 0x04 != 0 else { return }
    let isFalling = old & 0x04 != 0
    // Between two reads the lines may do what they like.
    if (isFalling ? old : new) & 0x02 != 0 { return }
    if changed & (isFalling ? 0xF3 : 0x03) != 0 { timingErrorCount += 1 }
    if isFalling { receive(old & 0xF0, isData: old & 0x01 != 0) }
  }

  /// The upper half of the busy flag and the address, or of data. A read does not move the address, and gives no lower
  /// half.
  func read(isData: Bool) -> UInt8 {
    if isData { return memory[Int(registers.address & 0x7F)] >> 4 }
    return (now < busyTime ? 0x08 : 0x00) | registers.address >> 4 & 0x07
  }

  private func receive(_ half: UInt8, isData: Bool) {
    // Four lines are not connected; their pull-ups make them high.
    if registers.isEightBits { return execute(half | 0x0F, isData: isData) }
    guard let upper = registers.upperHalf else {
      registers.upperHalf = half
      return
    }
    registers.upperHalf = nil
    execute(upper | half >> 4, isData: isData)
  }

  // MARK: Instructions

  /// Executes an instruction or writes data. Table 6, whose times these are, in nanoseconds.
  private func execute(_ byte: UInt8, isData: Bool) {
    guard now >= busyTime else {
      lostCount += 1
      return
    }
    busyTime = now + 37_000
    if isData {
      write(byte)
      // tADD: the address moves later.
      busyTime = now + 41_000
      return
    }
    switch byte {
    case 0x80...0xFF: setAddress(byte & 0x7F, isCharacter: false)
    case 0x40...0x7F: setAddress(byte & 0x3F, isCharacter: true)
    case 0x20...0x3F: setFunction(byte)
    case 0x10...0x1F: move(isDisplay: byte & 0x08 != 0, isRight: byte & 0x04 != 0)
    case 0x08...0x0F: registers.isOn = byte & 0x04 != 0
    case 0x04...0x07: registers.isIncrementing = byte & 0x02 != 0
    case 0x01...0x03:
      setAddress(0, isCharacter: false)
      registers.shift = 0
      busyTime = now + 1_520_000
      if byte == 0x01 {
        for address in memory.indices { memory[address] = 0x20 }
        registers.isIncrementing = true
      }
    default: break
    }
  }

  /// Initialisation by instruction has longer waits. Figures 23 and 24.
  private func setFunction(_ byte: UInt8) {
    registers.functionSetCount += 1
    if registers.functionSetCount == 1 { busyTime = now + 4_100_000 }
    if registers.functionSetCount == 2 { busyTime = now + 100_000 }
    registers.isEightBits = byte & 0x10 != 0
    registers.hasTwoRows = byte & 0x08 != 0
    registers.upperHalf = nil
  }

  private func setAddress(_ address: UInt8, isCharacter: Bool) {
    registers.address = address
    registers.isCharacterAddress = isCharacter
  }

  private func move(isDisplay: Bool, isRight: Bool) {
    if isDisplay {
      registers.shift = (registers.shift + (isRight ? -1 : 1)) % 40
    } else {
      step(isRight: isRight)
    }
  }

  private func write(_ byte: UInt8) {
    if registers.isCharacterAddress {
      characters[Int(registers.address & 0x3F)] = byte
    } else {
      memory[Int(registers.address & 0x7F)] = byte
    }
    step(isRight: registers.isIncrementing)
  }

  /// Moves the address; each row has 40.
  private func step(isRight: Bool) {
    guard !registers.isCharacterAddress else {
      registers.address = (registers.address &+ (isRight ? 1 : 63)) & 0x3F
      return
    }
    switch (registers.address, isRight) {
    case (0x27, true): registers.address = 0x40
    case (0x67, true): registers.address = 0x00
    case (0x00, false): registers.address = 0x67
    case (0x40, false): registers.address = 0x27
    default: registers.address = (registers.address &+ (isRight ? 1 : 0x7F)) & 0x7F
    }
  }
}
