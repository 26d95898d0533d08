// Commands and data of faulty hosts, at three controllers of a virtual air.
//
// The low two bits of a piece's tag are the controller. With tag 0xF0 … 0xF3 time passes, in tenths of a
// second; every other piece is a command: bits 2 to 6 of the tag choose one of the commands for advertising,
// scanning and connecting, whose parameters it is, or with bit 7 a packet, type byte first; with tags from 0xC0
// to 0xEF bits 2 to 5 choose one for periodic advertising.

private let chosen: [32 of HCIOpcode] = [
  .reset, .leSetRandomAddress, .leSetAdvertisingSetRandomAddress,
  .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
  .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
  .leClearAdvertisingSets, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
  .leExtendedCreateConnection, .leCreateConnectionCancel, .leSetPHY, .leSetDefaultPHY, .disconnect,
  .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
  .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
  .leAddDeviceToFilterAcceptList, .leClearFilterAcceptList, .leAddDeviceToResolvingList,
  .leClearResolvingList, .leSetAddressResolutionEnable, .leSetPrivacyMode, .leConnectionUpdate,
  .leSetDataLength, .leReadPHY,
]

private let periodic: [12 of HCIOpcode] = [
  .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
  .leSetPeriodicAdvertisingEnable, .lePeriodicAdvertisingCreateSync,
  .lePeriodicAdvertisingCreateSyncCancel, .lePeriodicAdvertisingTerminateSync,
  .leAddDeviceToPeriodicAdvertiserList, .leRemoveDeviceFromPeriodicAdvertiserList,
  .leClearPeriodicAdvertiserList, .leReadPeriodicAdvertiserListSize,
  .leSetPeriodicAdvertisingData, .lePeriodicAdvertisingCreateSync,
]

/// Plays one input of the fuzzer Air.
func playAir(_ pieces: consuming Pieces) {
  let air = VirtualAir()
  let controllers = (0..<3).map { _ in air.addController() }
  var now: UInt64 = 0
  for controller in controllers {
    send(to: controller) { SetEventMask(mask: .max).writePacket(to: &$0) }
    send(to: controller) { LESetEventMask(mask: .max).writePacket(to: &$0) }
    _ = drain(controller, answerTo: nil)
  }
  var pieces = pieces
  while let piece = pieces.next() {
    if piece.tag >= 0xF0 {
      now += UInt64(piece.first) * 100
      air.advance(to: Instant(rawValue: now))
      demand(air.deadline.map { $0.rawValue > now } ?? true, "a deadline that has passed and stays")
    } else {
      let controller = controllers[Int(piece.tag & 3) % 3]
      if piece.tag & 0xC0 == 0x80 {
        controller.send(piece.bytes)
      } else {
        guard piece.bytes.count <= 255 else { continue }
        let opcode =
          piece.tag & 0xC0 == 0xC0
          ? periodic[Int(piece.tag >> 2 & 15)] : chosen[Int(piece.tag >> 2 & 31)]
        // What came before is read, so that the answer is the only one.
        _ = drain(controller, answerTo: nil)
        let parameters = piece.bytes
        send(to: controller) { writer in
          writer.write(0x01 as UInt8)
          writer.write(opcode.rawValue)
          writer.write(UInt8(truncatingIfNeeded: parameters.count))
          writer.write(parameters)
        }
        demand(drain(controller, answerTo: opcode) == 1, "a command without one answer")
      }
    }
    for controller in controllers { _ = drain(controller, answerTo: nil) }
  }
}

private func send(to controller: VirtualController, _ write: (inout ByteWriter) -> Void) {
  var packet = ByteBuffer<300>()
  packet.write { write(&$0) }
  controller.send(packet.span)
}

/// Reads all packets of a controller, which must be whole. Returns how many answer this command.
private func drain(_ controller: VirtualController, answerTo opcode: HCIOpcode?) -> Int {
  var answers = 0
  var turns = 0
  while controller.hasPacket {
    turns += 1
    demand(turns < 10_000, "a controller that never stops sending")
    var packet = ByteBuffer<1_100>()
    packet.write { writer in
      demand(controller.nextPacket(into: &writer), "a packet that does not fit")
    }
    switch HCIPacket(packet.span) {
    case .event(let code, let parameters)?:
      var reader = ByteReader(parameters)
      if code == .commandStatus { _ = reader.readUInt8() }
      guard code == .commandComplete || code == .commandStatus, reader.readUInt8() != nil else {
        continue
      }
      if reader.readUInt16() == opcode?.rawValue { answers += 1 }
    case .acl?: continue
    case .command?, nil: demand(false, "a packet that is none of a controller")
    }
  }
  return answers
}
