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
/// A line's number, from 1, is its handle, which never changes: centrals remember handles.
public enum BallProfile {
  /// The whole database.
  public static var table: InlineArray<32, Attribute> {
    [
      .primaryService(.genericAccessService),  // 0x0001
      .characteristic(.deviceName, .read),
      .value(.deviceName),  // 0x0003
      .characteristic(.appearance, .read),
      .value(.number(0x0000, byteCount: 2)),  // 0x0005: unknown, for want of a toy
      .characteristic(.peripheralPreferredConnectionParameters, .read),
      .value(.number(ConnectionParameters.responsive.number, byteCount: 8)),  // 0x0007

      .primaryService(.genericAttributeService),  // 0x0008
      .characteristic(.serviceChanged, .indicate),
      .value(.none),  // 0x000A
      .clientCharacteristicConfiguration,
      .characteristic(.clientSupportedFeatures, .read | .write),
      .value(.clientSupportedFeatures),  // 0x000D
      .characteristic(.databaseHash, .read),
      .value(.databaseHash),  // 0x000F
      .characteristic(.serverSupportedFeatures, .read),
      .value(.number(0x00, byteCount: 1)),  // 0x0011: no EATT

      .primaryService(.deviceInformationService),  // 0x0012
      .characteristic(.manufacturerNameString, .read),
      .value(.text(StaticText("The 8-Ball Project"))),  // 0x0014
      .characteristic(.modelNumberString, .read),
      .value(.text(StaticText("Magic 8-Ball"))),  // 0x0016
      .characteristic(.firmwareRevisionString, .read),
      .value(.text(StaticText("0.1.0"))),  // 0x0018
      .characteristic(.pnpID, .read),
      // 0x001A: source 0x01 (Bluetooth SIG), vendor 0xFFFF (none), product 8, version 0.1.0.
      .value(.number(0x0010_0008_FFFF_01, byteCount: 7)),

      .primaryService(.ballService),  // 0x001B
      .characteristic(.question, .write | .writeWithoutResponse),
      .value(.application(.question)),  // 0x001D
      .characteristic(.answer, .read | .notify),
      .value(.application(.answer)),  // 0x001F
      .clientCharacteristicConfiguration,  // 0x0020
    ]
  }

  /// The ball's own service alone, as the smallest device would have it.
  public static var serviceTable: InlineArray<6, Attribute> {
    [
      .primaryService(.ballService),
      .characteristic(.question, .write | .writeWithoutResponse),
      .value(.application(.question)),
      .characteristic(.answer, .read | .notify),
      .value(.application(.answer)),
      .clientCharacteristicConfiguration,
    ]
  }
}

/// The ball with its whole host: `places` centrals at once.
public typealias BallHost<let places: Int> = Host<places, GATTDatabase<32>, Ball<places>>
