/// A random text that cannot be guessed, such as the secret in the panel's address: 258 bits.
struct Secret {
  /// 43 characters of letters, digits, - and _.
  let text: String

  /// A new secret from the kernel's random numbers.
  init() {
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var random = SystemRandomNumberGenerator()
    text = String((0..<43).map { _ in characters[Int(random.next(upperBound: 64 as UInt))] })
  }

  /// Whether `guess` is the secret. Takes constant time for equal lengths.
  func isEqual(to guess: Substring) -> Bool {
    let guess = Array(guess.utf8)
    let own = Array(text.utf8)
    guard guess.count == own.count else { return false }
    return zip(own, guess).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
