/// A central that asks: the program `eightball ask` on a radio that reaches the ball.
struct AskingCentral {
  /// The path of the program eightball.
  let program: String
  /// The radio, as for --radio.
  let radio: String
  /// The ball's name, if known: another ball may be on the same air.
  let name: String?

  /// The arguments of `eightball ask`, which stays and asks each line of its input.
  var arguments: [String] {
    [program, "ask", "--stay", "--json", "--radio", radio] + (name.map { ["--name=\($0)"] } ?? [])
  }
}
