import BluetoothHost
import Testing
import VirtualRadio

@Suite("What a controller computes for its host")
struct ComputingTests {
  @Test("LE Encrypt is AES-128: the example of FIPS 197, C.1, the least significant byte first")
  func encrypt() {
    let host = TestHost(on: VirtualAir())
    let key = (UInt8(0)..<16).map { $0 }
    let plaintext = (UInt8(0)..<16).map { $0 * 0x11 }
    let ciphertext: [UInt8] = [
      0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5,
      0x5A,
    ]
    #expect(
      host.ask(.leEncrypt, key.reversed() + plaintext.reversed())
        == [complete(.leEncrypt, .success, ciphertext.reversed())])
  }

  @Test("The P-256 commands are unknown, or listed and refused; never executed")
  func curve() {
    let commands: [(HCIOpcode, Int, Int, Int)] = [
      (.leReadLocalP256PublicKey, 0, 34, 1), (.leGenerateDHKey, 64, 34, 2),
      (.leGenerateDHKeyV2, 65, 41, 2),
    ]
    let air = VirtualAir()
    let unknowing = TestHost(on: air)
    let refusing = TestHost(
      on: air, configuration: .init(p256Commands: .refused(.unspecifiedError)))
    let honest = unknowing.ask(.readLocalSupportedCommands)[0]
    let claims = refusing.ask(.readLocalSupportedCommands)[0]
    for (command, length, octet, bit) in commands {
      #expect(unknowing.ask(command, .zeros(length)) == [status(command, .unknownCommand)])
      #expect(honest[7 + octet] & 1 << UInt8(bit) == 0)
      #expect(refusing.ask(command, .zeros(length)) == [status(command, .unspecifiedError)])
      #expect(claims[7 + octet] & 1 << UInt8(bit) != 0)
      for count in 0...70 where count != length {
        #expect(
          refusing.ask(command, .zeros(count)) == [status(command, .invalidCommandParameters)])
      }
    }
  }
}
