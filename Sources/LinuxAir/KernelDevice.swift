import BluetoothHost
import Glibc
import Linux
import LinuxRadio

/// The kernel's device for virtual controllers, of its module hci_vhci. Each open file is one adapter of this machine,
/// and the program that opened it is the controller: it reads the kernel's packets, and writes its own. Each read and
/// each write is one H4 packet.
enum KernelDevice {
  static let path = "/dev/vhci"
  /// The type of the packets about the adapter itself, which H4 has no meaning for.
  private static let vendorPacket: UInt8 = 0xFF

  /// Opens the device, which has no adapter yet.
  static func open() throws -> FileDescriptor {
    do throws(SystemError) {
      let number = try SystemCall.run("open", path) {
        unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      }
      return FileDescriptor(owning: number, name: path)
    } catch {
      throw accessError(error) ?? error
    }
  }

  /// Asks the kernel for an adapter: a primary controller.
  static func createAdapter(on device: borrowing FileDescriptor) throws(SystemError) {
    let request: [UInt8] = [vendorPacket, 0x00]
    _ = try device.write(request.span)
  }

  /// The number of the new adapter, if `packet` is the kernel's answer with it. The kernel may send the first
  /// commands before the answer.
  static func adapter(in packet: Span<UInt8>) -> UInt16? {
    var reader = ByteReader(packet)
    guard reader.readUInt8() == vendorPacket, reader.readUInt8() != nil else { return nil }
    return reader.readUInt16()
  }

  /// What the error means, and what to do; `nil` if its text is clear.
  static func accessError(_ error: SystemError) -> RadioError? {
    switch error.code {
    case .noSuchFile, .noSuchDevice:
      RadioError(
        "this kernel has no virtual adapters: there is no \(path)",
        remedy: "Load their module: sudo modprobe hci_vhci")
    case .accessDenied, .notPermitted:
      RadioError(
        "this user may not open \(path)",
        remedy: "Make it yours: sudo chown $USER \(path); or run with sudo")
    default: nil
    }
  }
}
