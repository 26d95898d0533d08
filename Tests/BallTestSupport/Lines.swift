import EightBall

extension LineName {
  /// The line's name on Raspberry Pis.
  package static func gpio(_ number: Int) -> LineName {
    LineName(Array("GPIO\(number)".utf8).span) ?? LineName()
  }
}

extension LineDescription {
  /// The line of a button: on the shipped boards it connects the line to ground, against the chip's pull-up.
  package static func button(
    _ name: LineName, _ offset: Int, activeLow: Bool = true, bias: Bias = .pullUp,
    debounce: Int = 20
  ) -> LineDescription {
    LineDescription(
      name: name, offset: offset, activeLow: activeLow, bias: bias, debounceMilliseconds: debounce)
  }

  /// The line of a light: on the shipped boards it feeds the light.
  package static func light(
    _ name: LineName, _ offset: Int, activeLow: Bool = false, bias: Bias = .none
  ) -> LineDescription {
    LineDescription(
      name: name, offset: offset, activeLow: activeLow, bias: bias, debounceMilliseconds: 0)
  }

  /// A button's line of a Raspberry Pi.
  package static func button(_ number: Int) -> LineDescription { button(.gpio(number), number) }

  /// A light's line of a Raspberry Pi.
  package static func light(_ number: Int) -> LineDescription { light(.gpio(number), number) }
}
