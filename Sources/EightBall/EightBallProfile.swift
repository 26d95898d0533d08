import BluetoothHost

extension BluetoothUUID {
  /// The 8-ball's service.
  public static let ballService = BluetoothUUID(
    high: 0x8E38_140A_27BE_4090, low: 0x8955_4FC4_B569_8D1E)
  /// Where a central writes its question.
  public static let question = BluetoothUUID(
    high: 0xBDD3_7D7A_F66A_47B9, low: 0xA49C_FE29_FD23_5A77)
  /// Where a central reads the answer or is notified of it.
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
  /// The question is not UTF-8: application error 0x80 of this service.
  public static let notUTF8 = ATTErrorCode(rawValue: 0x80)
}

/// The GATT database of the ball.
///
/// Handles never change, since centrals cache them: add new characteristics at the end.
public enum EightBallProfile {
  /// The version of the ball and its programs, by Semantic Versioning. The PnP ID contains it as a
  /// number.
  public static var version: StaticString { "0.2.0" }

  /// The type of the whole database.
  public typealias Database = GATTDatabase<32>

  /// The hash of the whole database, as it goes on the wire.
  static var hash: DatabaseHash {
    DatabaseHash(bytes: [
      0x25, 0x11, 0x0A, 0x67, 0xBF, 0xAD, 0x5E, 0x64, 0x06, 0x8B, 0x26, 0xF1, 0x9C, 0x73, 0xD1,
      0x08,
    ])
  }

  /// Makes the whole database.
  public static func makeDatabase() -> Database {
    GATTDatabase(hash: hash) {
      Service(.genericAccessService) {  // 0x0001 to 0x0007
        Characteristic(.deviceName, .read, value: .deviceName)
        // No appearance value stands for a toy.
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

  /// Makes a database of the ball's service alone, for the smallest devices.
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

/// The ball with its whole host: `links` centrals at once.
public typealias BallHost<let links: Int> = Peripheral<
  links, EightBallProfile.Database, BallApplication<links>
>

/// The same, with a Security Manager and extended advertising, or `NoSecurity` and
/// `NoAdvertisingSets`.
public typealias ProtectedBallHost<
  let links: Int, Security: SecurityRole & ~Copyable, Sets: AdvertisingSetRole
> = Host<
  links, AdvertisingServer<links, EightBallProfile.Database, BallApplication<links>, Sets>,
  NoClient, Security, NoChannels
>
