import LinuxSystem

/// The secret in the panel's address: 256 random bits.
struct Secret {
  /// 43 characters of letters, digits, - and _.
  let text: String

  /// A new secret from the kernel's random numbers.
  init() {
    var random = SystemRandom()
    let words = (0..<4).map { _ in random.next() }
    text = base64ForAddresses(
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }

  /// Whether `guess` is the secret. Takes constant time for equal lengths.
  func isEqual(to guess: Substring) -> Bool {
    let guess = Array(guess.utf8)
    let own = Array(text.utf8)
    guard guess.count == own.count else { return false }
    return zip(own, guess).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
