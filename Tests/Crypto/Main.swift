// Compiled by scripts/check crypto with Sources/BluetoothHost/Crypto as one module: answers cases
// of key agreement and of AES-CMAC, or computes with numbers that memcheck treats as undefined.

@main
enum Main {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "answer": answerCases()
    case "secrets": computeWithSecrets()
    case "branch": branchOnSecret()
    default: print("usage: crypto answer | secrets | branch")
    }
  }
}

// MARK: Cases

/// Answers each line of the input with a line: `agree PRIVATE X Y` with the shared key or `refused
/// REASON`, `cmac KEY MESSAGE` with the code. Everything is hexadecimal, the most significant byte
/// first; a message may be empty.
private func answerCases() {
  while let line = readLine() {
    let words = line.split(separator: " ").map { hexBytes(String($0)) }
    switch (line.prefix(while: { $0 != " " }), words.count) {
    case ("agree", 4): print(agreement(words[1], words[2], words[3]))
    case ("cmac", 2): print(code(of: [], key: words[1]))
    case ("cmac", 3): print(code(of: words[2], key: words[1]))
    default: print("not understood: \(line)")
    }
  }
}

private func agreement(_ privateKey: [UInt8], _ x: [UInt8], _ y: [UInt8]) -> String {
  // The cases include the debug key, and private keys that are 1.
  var agreement = P256KeyAgreement(allowsDebugKey: true)
  do throws(KeyAgreementError) {
    try agreement.begin(privateKey: number(privateKey))
    _ = agreement.finish()
    try agreement.begin(peer: P256PublicKey(x: number(x), y: number(y)))
  } catch {
    return "refused \(error)"
  }
  guard case .sharedKey(let key) = agreement.finish() else { return "no shared key" }
  return text(key)
}

private func code(of message: [UInt8], key: [UInt8]) -> String {
  var code = AESCMAC(key: number(key))
  code.update(message.span)
  return text(code.finish())
}

/// The bytes of a hexadecimal number; empty for other text.
private func hexBytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count % 2 == 0 else { return [] }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

private func number<let wordCount: Int>(_ bytes: [UInt8]) -> WideNumber<wordCount> {
  var number = WideNumber<wordCount>.zero
  for (index, byte) in bytes.reversed().prefix(wordCount * 4).enumerated() {
    number.words[index / 4] |= UInt32(byte) << UInt32(index % 4 * 8)
  }
  return number
}

private func text<let wordCount: Int>(_ number: WideNumber<wordCount>) -> String {
  (0..<wordCount * 4).reversed().map { index in
    let byte = number.words[index / 4] >> UInt32(index % 4 * 8) & 0xFF
    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()
}

// MARK: Secrets

@_extern(c)
private func make_undefined(_ bytes: UnsafeMutableRawPointer?, _ count: Int)
@_extern(c)
private func make_defined(_ bytes: UnsafeMutableRawPointer?, _ count: Int)

/// Makes memcheck report every branch and address that depends on the value.
private func hide<Value: BitwiseCopyable>(_ value: inout Value) {
  unsafe withUnsafeMutableBytes(of: &value) {
    unsafe make_undefined($0.baseAddress, $0.count)
  }
}

/// Makes memcheck treat the value as defined: it may be public.
private func publish<Value: BitwiseCopyable>(_ value: inout Value) {
  unsafe withUnsafeMutableBytes(of: &value) {
    unsafe make_defined($0.baseAddress, $0.count)
  }
}

private func computeWithSecrets() {
  var key = Number128(words: [0x0123_4567, 0x89AB_CDEF, 0x0246_8ACE, 0x1357_9BDF])
  var nonce = Number128(words: [1, 2, 3, 4])
  hide(&key.words)
  hide(&nonce.words)
  var results = [AES128(key: key).encrypt(nonce)]
  var code = AESCMAC(key: key)
  for _ in 0..<5 { code.update(nonce) }
  code.update(0x80)
  results.append(code.finish())

  let address = DeviceAddress.staticRandom([1, 2, 3, 4, 5, 6])
  results.append(
    PairingFunctions.c1(
      k: key, r: nonce, preq: [1, 2, 3, 4, 5, 6, 7], pres: [2, 3, 4, 5, 6, 7, 8],
      initiator: address, responder: address))
  results.append(PairingFunctions.s1(k: key, r1: nonce, r2: key))
  var hash = PairingFunctions.ah(k: key, r: 0x70_8194)
  publish(&hash)

  var agreement = P256KeyAgreement()
  do throws(KeyAgreementError) {
    try agreement.begin(privateKey: number([0xFF] + [UInt8](repeating: 0x5A, count: 30) + [0x80]))
    // Whether the key is in range is not secret: one out of range is dropped.
    hide(&agreement.privateKey.words)
    var isZero = agreement.privateKey == .zero
    var isBelow = agreement.privateKey.isBelow(P256Point.order)
    publish(&isZero)
    publish(&isBelow)
    guard !isZero, isBelow, agreement.finish() != nil else { return print("no public key") }
    publish(&agreement.publicKey.x.words)
    publish(&agreement.publicKey.y.words)
    try agreement.begin(peer: .debugPeer)
  } catch {
    return print("refused \(error)")
  }
  guard case .sharedKey(let dhKey) = agreement.finish() else { return print("no shared key") }

  let keys = PairingFunctions.f5(w: dhKey, n1: nonce, n2: key, a1: address, a2: address)
  let check = PairingFunctions.f6(
    w: keys.macKey, n1: nonce, n2: key, r: key, ioCap: [3, 0, 9], a1: address, a2: address)
  var isSame = check == keys.ltk
  publish(&isSame)
  results += [keys.macKey, keys.ltk, check]
  results.append(PairingFunctions.f4(u: dhKey, v: dhKey, x: key, z: 0x81))
  for index in results.indices {
    publish(&results[index].words)
    print(text(results[index]))
  }
}

/// The control: memcheck must report this branch.
private func branchOnSecret() {
  var key = Number128(words: [1, 2, 3, 4])
  hide(&key.words)
  print(key.words[2] & 4 == 0 ? "even" : "odd")
}

extension P256PublicKey {
  /// The public key of the specification's other sample, Vol 2, Part G, 7.1.2.
  fileprivate static var debugPeer: P256PublicKey {
    P256PublicKey(
      x: number(hexBytes("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190")),
      y: number(hexBytes("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")))
  }
}
