import BallTestSupport
import BluetoothHost
import Expectations

@Suite("Pairing: random input")
struct PairingFuzzTests {
  @Test("Random PDUs give no bond with different keys", arguments: 0..<20)
  func random(seed: UInt64) {
    var random = FixedRandom(seed: seed)
    let way = PairingCase.short[Int(seed) % PairingCase.short.count]
    for _ in 0..<40 {
      let pipe = way.pipe(seed: random.next(), checksCurve: Bool.random(using: &random))
      // Now and then, a random PDU replaces another one, or is inserted.
      pipe.onPDU = { pdu in
        guard UInt8.random(in: 0..<12, using: &random) == 0 else { return pdu.bytes }
        var bytes = pdu.bytes
        switch UInt8.random(in: 0..<5, using: &random) {
        case 0: bytes = randomPDU(UInt8.random(in: 0...16, using: &random), &random)
        case 1:
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        case 2: bytes = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
        case 3: bytes += [UInt8.random(in: 0...255, using: &random)]
        default:
          let end = Bool.random(using: &random) ? pipe.initiator : pipe.responder
          end.receive(randomPDU(UInt8.random(in: 0...16, using: &random), &random))
        }
        return bytes
      }
      pipe.run()
      if let one = pipe.initiator.bond, let other = pipe.responder.bond {
        // Legacy pairing sends the key in a PDU, which may be changed.
        expect(one.longTermKey == other.longTermKey || !way.isSecureConnections)
        expect(one.isAuthenticated, is: other.isAuthenticated)
      }
      for end in [pipe.initiator, pipe.responder] {
        end.pairing.advance(to: Instant(rawValue: 30_000))
        end.collect()
        expect(!end.isActive)
        expect(end.outcome != nil)
      }
    }
  }

  @Test("A device without a pairing sends nothing")
  func idle() {
    var random = FixedRandom(seed: 1)
    let end = LoneEnd(TestAgreement(), FixedRandom(seed: 2))
    for code: UInt8 in 0...255 {
      end.receive(randomPDU(code, &random))
      end.encrypted()
      expect(!end.confirm(true) && !end.enterPasskey(0))
      expect(end.pairing.keyForRequest(), is: nil)
      expect(end.nextPDU(), is: nil)
      expect(end.outcome, is: nil)
    }
  }
}
