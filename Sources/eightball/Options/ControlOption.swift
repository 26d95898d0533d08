import ArgumentParser
import BallControl

/// Which ball, by its control socket.
struct ControlOption: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The control socket of the ball. Default: $EIGHTBALL_CONTROL, or else your own ball's, or "
        + "else the service's.", valueName: "path"),
    completion: .file())
  var control: String?

  /// Where to look for the ball.
  var paths: [String] { ControlPath.candidates(control) }
}
