internal import Crypto

/// Texts that are cut, hashed and cleaned on their way to a provider.
enum PushText {
  /// Letters of a provider's own reason that are kept.
  static let reasonLengthMaximum = 60

  /// The longest beginning of `text`, cut between characters and ended with `…`, that fits; nil if not even one
  /// character does. Spec: GMS 7.3, providers 2.6.
  /// - Parameter fits: monotone: what fits still fits when it is shorter.
  static func shortened(_ text: String, fits: (String) -> Bool) -> String? {
    let ends = text.indices.dropFirst()
    // `ends` are the places to cut at: after one character, after two, … The whole text is none of them.
    var places = Array(ends)
    if places.isEmpty { return nil }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if fits(text[..<places[middle]] + "…") { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    places.removeSubrange(low...)
    return places.last.map { text[..<$0] + "…" }
  }

  private static let base64URLDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Base64 for URLs, without padding. Every push makes one: without texts in between.
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        digits.append(base64URLDigits[Int(bits >> UInt32(count)) & 63])
      }
    }
    if count > 0 { digits.append(base64URLDigits[Int(bits << UInt32(6 - count)) & 63]) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// A short name for these parts that gives none of them away.
  static func digest(_ parts: [String]) -> String {
    var hash = SHA256()
    for part in parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
    return base64URL(hash.finalize().prefix(16))
  }

  static func digest(_ parts: [[UInt8]]) -> String {
    var hash = SHA256()
    for part in parts {
      hash.update(data: Array("\(part.count):".utf8))
      hash.update(data: part)
    }
    return base64URL(hash.finalize().prefix(16))
  }

  /// SHA-256, all of it, in base64 for URLs: 43 characters.
  static func fullDigest(_ text: String) -> String { base64URL(SHA256.hash(data: Array(text.utf8))) }

  /// True if the text may stand in a header: printable ASCII, no blank at its ends.
  static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && text.utf8.first != 0x20 && text.utf8.last != 0x20
  }

  /// What a server wrote, made fit for logs and metrics: a word or a dotted name, of bounded length.
  static func word(_ text: String) -> String {
    let kept = text.unicodeScalars.filter { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "._[]-".unicodeScalars.contains(scalar))
    }
    return String(String.UnicodeScalarView(kept.prefix(reasonLengthMaximum)))
  }

  /// `410 Unregistered`: the status, and the reason if there is one.
  static func reason(_ status: Int, _ text: String?) -> String {
    let word = word(text ?? "")
    return word.isEmpty ? "\(status)" : "\(status) \(word)"
  }
}
