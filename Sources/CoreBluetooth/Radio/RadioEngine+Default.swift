import LinuxRadio

extension RadioEngine {
  /// The engine of the default radio, with this name, address and file of bonds if they are set.
  static func `default`(
    named name: String?, address: String? = nil, bonds: String? = nil
  ) -> RadioEngine {
    do {
      let address = try address.map { try AddressChoice($0) } ?? .automatic
      return RadioEngine(
        try name.map { try RadioName($0) } ?? chosen(), address: address,
        bonds: .kept(at: bonds), stopsWhenUnused: false)
    } catch let error as AddressChoiceError {
      Log.logger.error("EIGHTBALL_ADDRESS: \(error.description)")
    } catch {
      Log.logger.error("EIGHTBALL_RADIO: \(error)")
    }
    return RadioEngine(nil, stopsWhenUnused: false)
  }

  private static func chosen() -> RadioName {
    let choice = DefaultRadio.choose()
    Log.logger.debug("using \(choice.name.description): \(choice.reason)")
    return choice.name
  }
}
