import LinuxRadio

extension RadioEngine {
  /// The engine of the default radio, which `name` names if it is set; `address` names its address.
  static func `default`(named name: String?, address: String? = nil) -> RadioEngine {
    do {
      let address = try address.map { try AddressChoice($0) } ?? .automatic
      guard let name else {
        let choice = DefaultRadio.choose()
        Log.logger.debug("using \(choice.name.description): \(choice.reason)")
        return RadioEngine(choice.name, address: address, stopsWhenUnused: false)
      }
      return RadioEngine(try RadioName(name), address: address, stopsWhenUnused: false)
    } catch let error as AddressChoiceError {
      Log.logger.error("EIGHTBALL_ADDRESS: \(error.description)")
    } catch {
      Log.logger.error("EIGHTBALL_RADIO: \(error)")
    }
    return RadioEngine(nil, stopsWhenUnused: false)
  }
}
