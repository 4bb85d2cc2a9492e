/// What an app sends as its device's identifier, made into the one spelling that names the device.
public enum DeviceIdentifier {
  /// Bytes of an identifier.
  public static let lengthMaximum = 4_096

  public enum Problem: Error, Equatable, Sendable {
    case empty
    case tooLong
    case whiteSpace
    /// The type posts to its identifier, and this is no URL of http or https.
    case noURL

    /// What is wrong, to follow the name of a field.
    public var reason: String {
      switch self {
      case .empty: "is empty"
      case .tooLong: "is longer than \(DeviceIdentifier.lengthMaximum) bytes"
      case .whiteSpace: "holds white space or control characters"
      case .noURL: "is no URL of http or https"
      }
    }
  }

  /// Blanks, `<` and `>` go: early iOS code printed a token as `<9f1c 07ab …>`. A token for APNs that is all hex digits
  /// is in lower case. Spec: support requests 3.1.
  /// - Parameter type: the push type; URLs, subscriptions and user keys keep every character.
  public static func cleaned(_ text: String, type: String) throws(Problem) -> String {
    guard text.utf8.count <= lengthMaximum else { throw .tooLong }
    let known = PushType(rawValue: type)
    if known?.keepsText == true {
      guard !text.isEmpty else { throw .empty }
      if known == .httpcb, !isWebURL(text) { throw .noURL }
      return text
    }
    let kept = withoutDecoration(text)
    guard !kept.isEmpty else { throw .empty }
    guard kept.unicodeScalars.allSatisfy({ !isBlank($0) }) else { throw .whiteSpace }
    return known == .ios && kept.utf8.allSatisfy(\.isHexDigit) ? kept.lowercased() : kept
  }

  /// True for a token that one physical device has: it has one owner at a time. A URL or a free name may be many
  /// people's.
  public static func isToken(type: String) -> Bool { PushType(rawValue: type)?.isToken ?? true }

  private static func withoutDecoration(_ text: String) -> String {
    // By bytes where a character is one, as of nearly all: cheaper than walking characters.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.filter { $0 != " " && $0 != "<" && $0 != ">" } }
    return String(decoding: text.utf8.filter { ![0x20, 0x3C, 0x3E].contains($0) }, as: UTF8.self)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII ? scalar.value <= 0x20 || scalar.value == 0x7F : scalar.properties.isWhitespace
  }

  /// Whether it can be posted to at all; the courier judges the rest.
  private static func isWebURL(_ text: String) -> Bool {
    let lower = text.lowercased()
    return ["http://", "https://"].contains { lower.hasPrefix($0) && lower.utf8.count > $0.utf8.count }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
