import BluetoothHost

extension BluetoothUUID {
  /// The 8-ball's service.
  public static let ballService = BluetoothUUID(
    high: 0x8E38_140A_27BE_4090, low: 0x8955_4FC4_B569_8D1E)
  /// Where a central writes its question.
  public static let question = BluetoothUUID(
    high: 0xBDD3_7D7A_F66A_47B9, low: 0xA49C_FE29_FD23_5A77)
  /// Where a central hears, or reads, the answer.
  public static let answer = BluetoothUUID(
    high: 0x349A_0D7B_6215_4E2C, low: 0xA095_AF07_8D73_7445)
}

extension ApplicationAttribute {
  /// The value of the Question characteristic.
  public static let question = ApplicationAttribute(rawValue: 0)
  /// The value of the Answer characteristic.
  public static let answer = ApplicationAttribute(rawValue: 1)
}

extension ATTErrorCode {
  /// The question is not UTF-8: an application error of the ball's own, 0x80.
  public static let notUTF8 = ATTErrorCode(rawValue: 0x80)
}

/// What the ball shows a central: its GATT database.
///
/// Handles never change, since centrals remember them: new characteristics go to the end.
public enum BallProfile {
  /// The version of the ball and of its programs, after Semantic Versioning. The PnP ID has it as a number.
  public static var version: StaticString { "0.2.0" }

  /// The type of the whole database.
  public typealias Database = GATTDatabase<32>

  /// Makes the whole database.
  public static func makeDatabase() -> Database {
    GATTDatabase {
      Service(.genericAccessService) {  // 0x0001 to 0x0007
        Characteristic(.deviceName, .read, value: .deviceName)
        // There is no number for a toy.
        Characteristic(.appearance, .read, value: .number(0x0000, byteCount: 2))
        Characteristic(
          .peripheralPreferredConnectionParameters, .read,
          value: .number(ConnectionParameters.responsive.number, byteCount: 8))
      }
      Service(.genericAttributeService) {  // 0x0008 to 0x0011
        Characteristic(.serviceChanged, .indicate, value: .none)
        Characteristic(.clientSupportedFeatures, .read | .write, value: .clientSupportedFeatures)
        Characteristic(.databaseHash, .read, value: .databaseHash)
        // No EATT.
        Characteristic(.serverSupportedFeatures, .read, value: .number(0x00, byteCount: 1))
      }
      Service(.deviceInformationService) {  // 0x0012 to 0x001A
        Characteristic(
          .manufacturerNameString, .read, value: .text(StaticText("The 8-Ball Project")))
        Characteristic(.modelNumberString, .read, value: .text(StaticText("Magic 8-Ball")))
        Characteristic(.firmwareRevisionString, .read, value: .text(StaticText(version)))
        // Source 0x01 (Bluetooth SIG), vendor 0xFFFF (none), product 8, version 0.2.0.
        Characteristic(.pnpID, .read, value: .number(0x0020_0008_FFFF_01, byteCount: 7))
      }
      service  // 0x001B to 0x0020
    }
  }

  /// Makes a database of the ball's own service alone, as the smallest device would have it.
  public static func makeServiceDatabase() -> GATTDatabase<6> {
    GATTDatabase { service }
  }

  private static var service: some GATTDeclaration {
    Service(.ballService) {
      Characteristic(
        .question, .write | .writeWithoutResponse, value: .application(.question))
      Characteristic(.answer, .read | .notify, value: .application(.answer))
    }
  }
}

/// The ball with its whole host: `places` centrals at once.
public typealias BallHost<let places: Int> = Peripheral<places, BallProfile.Database, Ball<places>>

/// The same, with a part that protects its links.
public typealias ProtectedBallHost<let places: Int, Security: SecurityRole & ~Copyable> = Host<
  places, GATTServer<places, BallProfile.Database, Ball<places>>, NoClient, Security, NoChannels
>
