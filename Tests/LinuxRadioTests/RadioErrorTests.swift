import Glibc
import Linux
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import LinuxRadio

@Suite("Radio errors")
struct RadioErrorTests {
  @Test(
    "Adapters: what is wrong, and what to do",
    arguments: [
      (EPERM, "right to configure adapters", "sudo setcap cap_net_admin+ep /"),
      (EBUSY, "hci0 is in use by the system", "systemctl stop bluetooth"),
      (EUSERS, "another program holds hci0", "End that program"),
      (ENODEV, "there is no adapter hci0", "--radio virtual"),
      (ERFKILL, "hci0 is switched off", "rfkill unblock bluetooth"),
      (EAFNOSUPPORT, "kernel has no Bluetooth", "modprobe bluetooth"),
    ])
  func adapter(code: CInt, reason: String, remedy: String) {
    expect(.adapter(0), code, reason, remedy)
  }

  @Test(
    "Other radios: what is wrong, and what to do",
    arguments: [
      (.unix(path: "/x"), ENOENT, "no controller listens at /x", "radio --listen unix:/x"),
      (.unix(path: "/x"), ECONNREFUSED, "no controller listens at /x", "radio --listen unix:/x"),
      (.unix(path: "/x"), EACCES, "another user's", "as that user"),
      (.unix(path: "/x"), EPERM, "cannot use", "unix:/x,user=USER"),
      (.unix(path: "/x", trusting: 1), ENOENT, "no controller listens at /x", "unix:/x"),
      (
        .tcpClient(host: "h", port: 1), ECONNREFUSED, "no controller listens at subject",
        "radio --listen"
      ),
      (.tcpServer(host: "h", port: 1), EADDRINUSE, "another program listens", "another port"),
      (.line("/dev/x"), ENOENT, "no serial port /dev/x", "plugged in"),
      (.line("/dev/x"), EACCES, "may not be opened", "dialout"),
      (.line("/dev/x"), EBUSY, "another program holds", "End that"),
      (.virtual, EACCES, "Permission denied", "EIGHTBALL_AIR"),
      (.virtual, EPERM, "cannot use", "XDG_RUNTIME_DIR"),
      (.virtual, EEXIST, "File exists", "XDG_RUNTIME_DIR"),
    ] as [(RadioAddress, CInt, String, String)])
  func others(radio: RadioAddress, code: CInt, reason: String, remedy: String) {
    expect(radio, code, reason, remedy)
  }

  @Test("A removed adapter has no remedy, since the program waits for it")
  func gone() {
    let error = RadioError(.adapter(0), SystemError(.brokenPipe, "read from", "hci0"))
    #expect(error == RadioError("hci0 is gone"))
  }

  @Test("Unknown errors have the system's text")
  func unknown() {
    let error = RadioError(
      .adapter(0), SystemError(ErrorNumber(rawValue: EIO), "take over", "hci0"))
    #expect(error.description == "cannot take over hci0: Input/output error")
  }

  @Test("End with the remedy")
  func description() {
    #expect(RadioError("It is so", remedy: "Do that").description == "It is so. Do that.")
  }

  private func expect(
    _ radio: RadioAddress, _ code: CInt, _ reason: String, _ remedy: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = RadioError(
      radio, SystemError(ErrorNumber(rawValue: code), "use", "subject"))
    #expect(error.reason.contains(reason), sourceLocation: location)
    #expect(error.remedy?.contains(remedy) == true, sourceLocation: location)
  }
}

@Suite("The default radio")
struct DefaultRadioTests {
  @Test("Is the first usable adapter")
  func first() {
    let adapters = [
      adapter(0, isRaw: true), adapter(1, block: .soft), adapter(2, isUp: true), adapter(3),
    ]
    #expect(DefaultRadio.choose(from: adapters, mayConfigure: true).name == .adapter(2))
  }

  @Test("Is the virtual air without an adapter, and says why")
  func none() {
    let radio = DefaultRadio.choose(from: [], mayConfigure: true)
    #expect(radio == DefaultRadio(name: .virtual, reason: "there is no Bluetooth adapter"))
  }

  @Test("Is the virtual air if no adapter is usable, and says why for each")
  func unusable() {
    let radio = DefaultRadio.choose(
      from: [adapter(0, block: .soft), adapter(1, block: .hard), adapter(2)], mayConfigure: false)
    #expect(radio.name == .virtual)
    #expect(
      radio.reason
        == "hci0 is switched off (rfkill unblock bluetooth), and hci1 is switched off by a switch, "
        + "and hci2 needs CAP_NET_ADMIN (sudo)")
  }

  @Test("Whether an adapter is blocked is read from its rfkill files")
  func block() throws {
    let directory = try TemporaryDirectory()
    try directory.write("0\n", to: "hci0/rfkill3/soft")
    try directory.write("0\n", to: "hci0/rfkill3/hard")
    try directory.write("1\n", to: "hci1/rfkill4/soft")
    try directory.write("0\n", to: "hci1/rfkill4/hard")
    try directory.write("1\n", to: "hci2/rfkill5/soft")
    try directory.write("1\n", to: "hci2/rfkill5/hard")
    let blocks = [0, 1, 2, 3].map { Adapter.block(of: $0, under: directory.path) }
    #expect(blocks == [.none, .soft, .hard, .none])
  }

  private func adapter(
    _ number: UInt16, isUp: Bool = false, isRaw: Bool = false, block: Adapter.Block = .none
  ) -> Adapter {
    Adapter(number: number, isUp: isUp, isRaw: isRaw, address: .zero, block: block)
  }

  @Test(
    "has a kind for programs",
    arguments: [
      (RadioAddress.adapter(0), ErrorNumber.noSuchDevice, RadioError.Kind.absent),
      (.adapter(0), .addressFamilyNotSupported, .absent),
      (.adapter(0), .notPermitted, .notAllowed),
      (.adapter(0), .blockedByRfkill, .switchedOff),
      (.adapter(0), .busy, .other),
      (.line("/dev/ttyUSB0"), .noSuchFile, .absent),
      (.unix(path: "/run/air"), .noSuchFile, .other),
      (.unix(path: "/run/air"), .accessDenied, .notAllowed),
    ])
  func kind(radio: RadioAddress, code: ErrorNumber, kind: RadioError.Kind) {
    #expect(RadioError(radio, SystemError(code, "open", "it")).kind == kind)
  }

  @Test(
    "says whether another program has it, which may be a ball",
    arguments: [
      (RadioAddress.tcpServer(host: "_", port: 7_300), ErrorNumber.addressInUse, true),
      (.tcpServer(host: "_", port: 7_300), .accessDenied, false),
      (.line("/dev/ttyUSB0"), .busy, true),
      (.unix(path: "/run/air"), .connectionRefused, false),
    ])
  func inUse(radio: RadioAddress, code: ErrorNumber, isInUse: Bool) {
    #expect(RadioError(radio, SystemError(code, "open", "it")).isInUse == isInUse)
  }
}

extension RadioAddress {
  /// A serial line.
  fileprivate static func line(_ device: String) -> RadioAddress {
    RadioAddress(.serial(speed: 9_600), at: Array(device.utf8).span)
  }
}
