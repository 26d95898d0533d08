import EightBall

/// One step of a script. A number names a ball or a central. A step that cannot be done does nothing, so a script
/// stays valid when steps are removed from it.
enum Step: Equatable, Sendable {
  /// Lets time pass, in milliseconds.
  case wait(UInt32)

  // Centrals.
  /// Connects to a ball, and again whenever the link ends.
  case connect(Int, to: Int)
  case disconnect(Int)
  case subscribe(Int, Bool)
  /// Asks one question after the other.
  case ask(Int, times: Int)
  /// Asks without a response.
  case command(Int)
  /// Writes what is not a question.
  case state(Int)
  case read(Int)
  /// Scans for three seconds.
  case scan(Int)
  case discover(Int)
  case pair(Int)
  /// Deletes its bonds.
  case forget(Int)
  /// Its program ends, and starts with its bonds.
  case restart(Int)
  /// Random bytes on a channel.
  case noise(Int, UInt64)

  // Balls.
  case press(Int, ButtonName, milliseconds: UInt32)
  /// The contact bounces for so many edges.
  case bounce(Int, ButtonName, edges: Int)
  case removeChip(Int)
  case restoreChip(Int)
  /// Asks the program to end; it starts again.
  case end(Int)
  /// Ends the program at once; it starts again.
  case kill(Int)
  /// Cuts the power during a write of the bonds, before the call after so many calls.
  case cutPower(Int, afterCalls: Int)
  /// Cuts the power now.
  case powerCut(Int)
  case fail(Int, DiskFailure)
  /// The machine sleeps: its clock jumps.
  case sleep(Int, UInt32)
  /// Packets reach the program late.
  case stall(Int, UInt32)
  /// Nothing reads the output.
  case block(Int, UInt32)
  case unplug(Int)
  case plugIn(Int)

  // Controllers and the air.
  case fault(ControllerFault, of: Device)
  /// How many of 100 packets on the air are lost and sent again; 0 for an air without a link layer.
  case loss(Int)
  case separate(Int, from: Int)
  case join(Int, to: Int)

  /// Ends all faults. Then every ball must advertise, and answer.
  case recover
}

/// A device with a controller.
enum Device: Equatable, Sendable {
  case ball(Int)
  case central(Int)
}

/// What a controller does wrong.
enum ControllerFault: Equatable, Sendable {
  case losePacket, loseData, repeatPacket, repeatData
  case cut(to: Int)
  case misstate(by: Int)
  case loseCompletions(Int)
  /// Leaves so many commands unanswered.
  case ignore(Int)
  /// Refuses a command, by its number in `refusals`.
  case refuse(Int)
  /// Reports a failure, and has lost its state.
  case fail
  /// Loses its state without a word.
  case reset
  /// Reports a failure that it does not have.
  case complain
  case changeKey
  case delayKey(UInt32)
  case loseLink(afterPackets: Int)
  /// An event of random bytes.
  case event(UInt64)
}

extension Step {
  /// The step as Swift.
  var source: String {
    var text = ""
    var word = ""
    for character in "\(self) " {
      if character.isLetter || character.isNumber || character == "." || character == "_" {
        word.append(character)
      } else {
        // Without the types before the name of a case.
        text += word.lastIndex(of: ".").map { String(word[$0...]) } ?? word
        text.append(character)
        word = ""
      }
    }
    return "." + text.dropLast()
  }
}
