import Expectations
import Glibc
import Linux
import LinuxTestSupport

@testable import LinuxRadio

@Suite("Radio errors")
struct RadioErrorTests {
  @Test(
    "What is wrong, and what to do",
    arguments: [
      (.adapter(0), EPERM, "right to configure adapters", "sudo setcap cap_net_admin+ep /"),
      (.adapter(0), EBUSY, "hci0 is in use by the system", "systemctl stop bluetooth"),
      (.adapter(0), ENOMEDIUM, "the kernel has not set up hci0", "dmesg"),
      (.adapter(0), EUSERS, "another program holds hci0", "End that program"),
      (.adapter(0), ENODEV, "there is no adapter hci0", "--radio virtual"),
      (.adapter(0), ERFKILL, "hci0 is switched off", "rfkill unblock bluetooth"),
      (.adapter(0), EAFNOSUPPORT, "kernel has no Bluetooth", "modprobe bluetooth"),
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
  func texts(radio: RadioAddress, code: CInt, reason: String, remedy: String) {
    let error = RadioError(radio, SystemError(ErrorNumber(rawValue: code), "use", "subject"))
    expect(error.reason.contains(reason))
    expect(error.remedy?.contains(remedy), is: true)
  }

  // Symptom: after a failed set-up, the message said that the system's Bluetooth service used the adapter.
  @Test(
    "An adapter that is busy is in use, unless it is down and the kernel has not read its address",
    arguments: [
      (true, 1, .busy, .busy), (true, 0, .busy, .busy), (false, 1, .busy, .busy),
      (false, 0, .busy, .notSetUp), (false, 0, .notPermitted, .notPermitted),
    ] as [(Bool, UInt64, ErrorNumber, ErrorNumber)])
  func busy(isUp: Bool, address: UInt64, code: ErrorNumber, meaning: ErrorNumber) {
    let adapter = Linux.Adapter(
      number: 0, isUp: isUp, isRaw: false, isHeld: false, bus: 3, address: address, block: .none)
    expect(adapter.meaning(of: code), is: meaning)
  }

  @Test("A removed adapter has no remedy, and an unknown error has the system's text")
  func withoutRemedy() {
    let gone = RadioError(.adapter(0), SystemError(.brokenPipe, "read from", "hci0"))
    expect(gone, is: RadioError("hci0 is gone"))
    let unknown = RadioError(
      .adapter(0), SystemError(ErrorNumber(rawValue: EIO), "take over", "hci0"))
    expect(unknown.description, is: "cannot take over hci0: Input/output error")
    expect(RadioError("It is so", remedy: "Do that").description, is: "It is so. Do that.")
  }

  @Test(
    "It has a kind for programs, and says whether another program has the radio, which may be a ball",
    arguments: [
      (.adapter(0), .noSuchDevice, .absent, false),
      (.adapter(0), .addressFamilyNotSupported, .absent, false),
      (.adapter(0), .notPermitted, .notAllowed, false),
      (.adapter(0), .blockedByRfkill, .switchedOff, false), (.adapter(0), .busy, .other, nil),
      (.line("/dev/ttyUSB0"), .noSuchFile, .absent, false),
      (.line("/dev/ttyUSB0"), .busy, nil, true),
      (.unix(path: "/run/air"), .noSuchFile, .other, false),
      (.unix(path: "/run/air"), .accessDenied, .notAllowed, false),
      (.unix(path: "/run/air"), .connectionRefused, nil, false),
      (.tcpServer(host: "_", port: 7_300), .addressInUse, nil, true),
      (.tcpServer(host: "_", port: 7_300), .accessDenied, nil, false),
    ] as [(RadioAddress, ErrorNumber, RadioError.Kind?, Bool?)])
  func kind(radio: RadioAddress, code: ErrorNumber, kind: RadioError.Kind?, isInUse: Bool?) {
    let error = RadioError(radio, SystemError(code, "open", "it"))
    if let kind { expect(error.kind, is: kind) }
    if let isInUse { expect(error.isInUse, is: isInUse) }
  }
}

@Suite("The default radio")
struct DefaultRadioTests {
  @Test("Is the first usable adapter")
  func first() {
    let adapters = [
      adapter(0, isRaw: true), adapter(1, block: .soft), adapter(2, isUp: true), adapter(3),
    ]
    expect(DefaultRadio.choose(from: adapters, mayConfigure: true).name, is: .adapter(2))
  }

  @Test("Is the virtual air without an adapter, and says why")
  func none() {
    let radio = DefaultRadio.choose(from: [], mayConfigure: true)
    expect(radio, is: DefaultRadio(name: .virtual, reason: "there is no Bluetooth adapter"))
  }

  @Test("Is the virtual air if no adapter is usable, and says why for each")
  func unusable() {
    let radio = DefaultRadio.choose(
      from: [adapter(0, block: .soft), adapter(1, block: .hard), adapter(2)], mayConfigure: false)
    expect(radio.name, is: .virtual)
    expect(
      radio.reason,
      is: "hci0 is switched off (rfkill unblock bluetooth), and hci1 is switched off by a switch, "
        + "and hci2 needs CAP_NET_ADMIN (sudo)")
  }

  @Test("Whether an adapter is blocked is read from its rfkill files")
  func block() throws {
    let directory = try TemporaryDirectory()
    for (name, soft, hard) in [
      ("hci0/rfkill3", 0, 0), ("hci1/rfkill4", 1, 0), ("hci2/rfkill5", 1, 1),
    ] {
      try directory.write("\(soft)\n", to: name + "/soft")
      try directory.write("\(hard)\n", to: name + "/hard")
    }
    let blocks = [0, 1, 2, 3].map { Adapter.block(of: $0, under: directory.path) }
    expect(blocks, is: [.none, .soft, .hard, .none])
  }

  private func adapter(
    _ number: UInt16, isUp: Bool = false, isRaw: Bool = false, block: Adapter.Block = .none
  ) -> Adapter {
    Adapter(number: number, isUp: isUp, isRaw: isRaw, address: .zero, block: block)
  }
}
