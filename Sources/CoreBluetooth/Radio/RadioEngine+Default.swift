import LinuxRadio

extension RadioEngine {
  /// The engine of the default radio, which `name` names if it is set.
  static func `default`(named name: String?) -> RadioEngine {
    guard let name else {
      let choice = DefaultRadio.choose()
      Log.logger.debug("using \(choice.name.description): \(choice.reason)")
      return RadioEngine(choice.name, stopsWhenUnused: false)
    }
    do throws(RadioNameError) {
      return RadioEngine(try RadioName(name), stopsWhenUnused: false)
    } catch {
      Log.logger.error("EIGHTBALL_RADIO: \(error.description)")
      return RadioEngine(nil, stopsWhenUnused: false)
    }
  }
}
