// All fuzzers in one program, so that the core is compiled once for them. Its file name chooses the
// fuzzer; scripts/fuzz makes a link for each.

import Glibc

private enum Fuzzer: String {
  case hci = "HCI"
  case att = "ATT"
  case l2cap = "L2CAP"
  case client = "Client"
  case roles = "Roles"
  case channels = "Channels"
  case pairing = "Pairing"
  case advertising = "Advertising"
  case air = "Air"
  case dbus = "DBus"
}

private let fuzzer: Fuzzer = {
  let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  guard let fuzzer = Fuzzer(rawValue: name) else {
    print(
      """
      There is no fuzzer \(name). The program's file name must be HCI, ATT, L2CAP, Channels, Client, Roles, \
      Pairing, Advertising, Air or DBus.
      """
    )
    exit(2)
  }
  return fuzzer
}()

// The start of every input, made at its first use.
private let balls = StartingGround<BallGround> {
  fuzzer == .hci ? .started(followsLinks: false) : .withFourLinks()
}
private let clients = StartingGround<ClientGround> { .asking(server: NoServer()) }
private let channels = StartingGround<ChannelGround> { .withFourLinks() }
private let roles = StartingGround<RolesGround> { .asking(server: .hesitant) }
private let advertisers = StartingGround<AdvertisingGround> { .started }
private let pairings = StartingGround<PairingGround> { PairingGround() }

/// Runs one input of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe UnsafeBufferPointer(start: bytes, count: count)
  switch fuzzer {
  case .hci:
    let ground = unsafe balls.restored()
    unsafe playHCI(Pieces(input.span), on: &ground.pointee)
  case .att:
    let ground = unsafe balls.restored()
    unsafe playATT(Pieces(input.span), on: &ground.pointee)
  case .l2cap:
    let ground = unsafe balls.restored()
    unsafe playL2CAP(Pieces(input.span), on: &ground.pointee)
  case .client:
    let ground = unsafe clients.restored()
    unsafe playClient(Pieces(input.span), on: &ground.pointee)
  case .roles:
    let ground = unsafe roles.restored()
    unsafe playClient(Pieces(input.span), on: &ground.pointee)
  case .channels:
    let ground = unsafe channels.restored()
    unsafe playChannels(Pieces(input.span), on: &ground.pointee)
  case .pairing:
    let ground = unsafe pairings.restored()
    unsafe playPairing(Pieces(input.span), on: &ground.pointee)
  case .advertising:
    let ground = unsafe advertisers.restored()
    unsafe playAdvertising(Pieces(input.span), on: &ground.pointee)
  case .air: unsafe playAir(Pieces(input.span))
  case .dbus: unsafe playDBus(Pieces(input.span))
  }
  return 0
}
