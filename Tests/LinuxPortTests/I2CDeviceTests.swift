import EightBall
import Expectations
import Glibc

@testable import Linux
@testable import LinuxPort

/// No machine that runs these tests needs a bus.
@Suite("The I2C buses of Linux", .serialized)
struct I2CDeviceTests {
  /// Why a write, a read of a register, and a read of a byte fail, which is the same.
  private func failure(_ bus: I2CDevice) -> I2CError? {
    var bus = bus
    var errors: [I2CError] = []
    do throws(I2CError) { try bus.write([0x20, 0x57].span, to: 0x18) } catch {
      errors.append(error)
    }
    do throws(I2CError) {
      let _: InlineArray<6, UInt8> = try bus.read(from: 0x28, of: 0x18)
    } catch {
      errors.append(error)
    }
    do throws(I2CError) { _ = try bus.readByte(of: 0x3C) } catch { errors.append(error) }
    expect(errors.count, is: 3)
    expect(errors.allSatisfy { $0 == errors.first })
    return errors.first
  }

  @Test("A missing bus is unavailable, and each transfer looks for it again")
  func missing() throws {
    expect(failure(I2CDevice(255)), is: .unavailable(code: ENOENT))
    // In the folder in which the tests run: the prefix must be a literal.
    _ = unsafe mkdir(".build", 0o755)
    let bus = I2CDevice(7, prefix: ".build/test-i2c-")
    _ = unsafe unlink(".build/test-i2c-7")
    expect(failure(bus), is: .unavailable(code: ENOENT))
    close(unsafe creat(".build/test-i2c-7", 0o600))
    defer { _ = unsafe unlink(".build/test-i2c-7") }
    // A file is found, and is not a bus.
    expect(failure(bus), is: .unavailable(code: ENOTTY))
  }

  @Test(
    "The kernel's error numbers for a transfer",
    arguments: [
      (ENXIO, .notAcknowledged), (EREMOTEIO, .notAcknowledged), (EIO, .notAcknowledged),
      (ENODEV, .notAcknowledged), (ETIMEDOUT, .stuck), (EAGAIN, .stuck), (EBUSY, .stuck),
      (EMSGSIZE, .unavailable(code: EMSGSIZE)), (ENOTTY, .unavailable(code: ENOTTY)),
      (EACCES, .unavailable(code: EACCES)),
    ] as [(Int32, I2CError)])
  func codes(code: Int32, expected: I2CError) {
    expect(I2CError(ErrorNumber(rawValue: code)), is: expected)
  }

  @Test(
    "Each error of a part has its cause and its remedy",
    arguments: [
      (
        .bus(.unavailable(code: ENOENT)),
        "/dev/i2c-254 is missing. Enable I2C: sudo raspi-config; on other systems: sudo modprobe i2c-dev"
      ),
      (.bus(.unavailable(code: EACCES)), "/dev/i2c-254 may not be opened. Run with sudo"),
      (.bus(.unavailable(code: EPERM)), "/dev/i2c-254 may not be opened. Run with sudo"),
      (
        .bus(.unavailable(code: EMSGSIZE)), "/dev/i2c-254 cannot be used: Message too long"
      ),
      (
        .bus(.notAcknowledged),
        "the motion sensor lis3dh at 0x19 on i2c-254 does not answer. Check its wires and its address. "
          + "See what answers: i2cdetect -y 254"
      ),
      (
        .bus(.stuck),
        "/dev/i2c-254 is stuck: a line is held low, or a transfer does not end. Check the wires of SDA and SCL"
      ),
      (
        .wrongIdentity(0x0A),
        "the motion sensor lis3dh at 0x19 on i2c-254 is something else: its identity is 0x0A. Name the part "
          + "that is there, or its address, with --set"
      ),
      (
        .lostSettings,
        "the motion sensor lis3dh at 0x19 on i2c-254 has lost its settings. It gets them again. Check its "
          + "supply if it goes on"
      ),
    ] as [(PartError, String)])
  func messages(error: PartError, expected: String) {
    let part = BusPart(.lis3dh, bus: 254, address: 0x19)
    expect(text { PartMessage(part, error).write(to: &$0) }, is: expected)
  }

  @Test("A display is called a display")
  func display() {
    let message = PartMessage(
      BusPart(.hd44780, bus: 1, address: 0x27), .bus(.notAcknowledged))
    expect(
      text { message.write(message.cause.reason, to: &$0) },
      is: "the display hd44780 at 0x27 on i2c-1 does not answer")
  }
}
