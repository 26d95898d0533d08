import LinuxRadio

/// Which radio, and where to record its packets.
struct RadioOptions {
  /// The radio; `nil` for the default one.
  var radio: RadioAddress?
  /// Whether to print every packet.
  var verbose = false
  /// The file to record every packet in; `nil` for none.
  var capture: String?
}

/// The program's own Bluetooth address.
struct AddressOptions {
  /// The address of the command line; `nil` if it names none.
  var address: AddressChoice?

  /// - Throws: What is wrong with EIGHTBALL_ADDRESS.
  func validate() throws(UsageError) { _ = try choice }

  /// The address that the command line or the environment names.
  var choice: AddressChoice {
    get throws(UsageError) {
      if let address { return address }
      do throws(AddressTextError) {
        return try .fromEnvironment()
      } catch {
        throw UsageError("EIGHTBALL_ADDRESS: \(error.description).")
      }
    }
  }
}

extension OptionValue {
  /// The value as the name of a radio.
  func radio() throws(UsageError) -> RadioAddress {
    do throws(RadioTextError) {
      return try RadioAddress(text)
    } catch {
      throw invalid(": \(error.description)")
    }
  }

  /// The value as an address.
  func address() throws(UsageError) -> AddressChoice {
    do throws(AddressTextError) {
      return try AddressChoice(text)
    } catch {
      throw invalid(": \(error.description)")
    }
  }
}
